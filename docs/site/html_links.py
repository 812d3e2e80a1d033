"""The links of a built site that lead nowhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Links(HTMLParser):
    """The anchors of a page, and where its links and pictures lead."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the names and targets of an element."""
        for key, value in attrs:
            if key in ("id", "name") and value:
                self.anchors.add(value)
            elif key in ("href", "src") and value and tag != "form":
                self.targets.append(value)


def broken_links(folder: Path) -> list[str]:
    """Return the links within a folder of HTML pages that lead nowhere.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    list of str
        A line for each: the page, and the link. Links to other sites count only if they fetch
        something, since pages must work offline.
    """
    # Those of the theme itself are templates.
    found = (page for page in folder.rglob("*.html") if "_static" not in page.parts)
    pages = {page: _read(page) for page in sorted(found)}
    broken = []
    for page, links in pages.items():
        for target in links.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            place = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if place.is_dir():
                place /= "index.html"
            is_there = place.exists()
            if is_there and parts.fragment and place in pages:
                is_there = unquote(parts.fragment) in pages[place].anchors
            if not is_there:
                broken.append(f"{page.relative_to(folder)}: {target}")
    return broken


def _read(page: Path) -> _Links:
    links = _Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links
