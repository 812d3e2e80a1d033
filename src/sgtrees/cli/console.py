"""The console of the commands: text from files is shown as it is, and nothing in it acts."""

from typing import Any

from rich.console import Console
from rich.text import Text

from sgtrees.inspection.characters import shown


def make_console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Return a console for standard output or standard error.

    Names and labels may contain what rich reads as markup (``[/red]``) or as the name of a picture
    (``:smile:``), and what terminals obey. Here they are text; styles are given by `rich.text.Text`
    and by arguments.
    """
    return _PlainConsole(stderr=stderr, quiet=quiet, highlight=False, markup=False, emoji=False)


class _PlainConsole(Console):
    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(shown(text, keep="\n"), **options)


def counted(n: int, thing: str, things: str = "") -> str:
    """Return a number of things in words; ``things`` are several where an "s" is not enough.

    Examples
    --------
    >>> counted(1, "leaf", "leaves"), counted(2, "leaf", "leaves"), counted(1200, "row")
    ('1 leaf', '2 leaves', '1,200 rows')
    """
    return f"{n:,} {thing if n == 1 else things or thing + 's'}"
