"""Values as C writes them."""

from collections.abc import Sequence
from textwrap import fill


def c_string(text: str) -> str:
    r"""Write a string: UTF-8, with octal escapes for all that is no plain ASCII.

    Examples
    --------
    >>> print(c_string('"Ångström"?'))
    "\042\303\205ngstr\303\266m\042\077"
    """
    # Question marks too: two of them may begin a trigraph.
    plain = set(range(0x20, 0x7F)) - set(b'"\\?')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'


def c_comment(text: str) -> str:
    """Write a comment; what would end it early is taken apart.

    Examples
    --------
    >>> c_comment("a */ b")
    '/* a * / b */'
    """
    return f"/* {text.replace('*/', '* /')} */"


def c_array(kind: str, name: str, values: Sequence[object]) -> str:
    """Write a constant array; an empty one gets an entry, since C knows no empty arrays.

    Examples
    --------
    >>> print(c_array("double", "halves", [0.5, 1.5]))
    static const double halves[] = {
        0.5, 1.5
    };
    """
    inside = fill(
        ", ".join(map(str, values)) or "0",
        width=100,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"static const {kind} {name}[] = {{\n{inside}\n}};"
