"""Names from data as text: every character can be displayed, and none of them acts."""

import re

# Control characters, among them those of terminals; line separators; those that turn the order of
# reading; halves of characters; and what XML does not allow.
_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def shown(value: object, *, keep: str = "") -> str:
    r"""Return a name, label or category as text on one line.

    Characters that cannot be displayed, or that act on what displays them, are written as their
    escapes in Python.

    Parameters
    ----------
    value : object
        The name.
    keep : str
        Characters that stay as they are, like ``"\n"``.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> print(shown("Ångström"), shown("a\nb"), shown("\x1b[2J\x00"))
    Ångström a\nb \x1b[2J\x00
    """
    return _ACTING.sub(
        lambda found: found[0] if found[0] in keep else repr(found[0])[1:-1], str(value)
    )
