"""Sections of a page that scripts write: what stands between two marks."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reliability.md"


def write_section(page: Path, name: str, text: str) -> None:
    """Put the text between the marks ``<!-- name -->`` and ``<!-- end of name -->``."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, found, rest = page.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page} has no section {name!r}")
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}")
