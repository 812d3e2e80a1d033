"""The report as one HTML file that needs no network: tables, remarks and figures."""

import html
import re
from collections.abc import Iterator, Sequence

from sgtrees.inspection.characters import shown
from sgtrees_experiments.report.document import TITLE, Section, introduction
from sgtrees_experiments.report.figures import as_svg
from sgtrees_experiments.report.tables import Cell, Table

_STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --page: #ffffff; --soft: #57606a;
  --line: #d8dee4; --ours: #0b4f9e; --card: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --page: #14181d; --soft: #9aa4af; --line: #333b44; --ours: #7db4ee; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 72rem; color: var(--text);
  background: var(--page); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; } h2 { margin-top: 2.6rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin-bottom: 0.4rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; } a { color: var(--ours); }
.wide { overflow-x: auto; } p, li { max-width: 50rem; } .soft { color: var(--soft); }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; white-space: nowrap; }
th { font-weight: 600; } th.word, td.word { text-align: left; white-space: normal; }
td.word { min-width: 4.5rem; }
td.aside { color: var(--soft); font-style: italic; } td.best { font-weight: 700; }
figure { margin: 1rem 0; background: #ffffff; border-radius: 6px; padding: 0.4rem; }
figure svg { width: 100%; height: auto; max-width: 60rem; display: block; margin: auto; }
"""


def html_page(parts: Sequence[Section]) -> str:
    """Return the page."""
    return "\n".join(_page(parts))


def _page(parts: Sequence[Section]) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(TITLE)}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{escape(TITLE)}</h1><p>{escape(introduction())}</p>"
    links = "".join(f'<a href="#{_anchor(part.title)}">{escape(part.title)}</a>' for part in parts)
    yield f"<nav>{links}</nav>"
    for part in parts:
        yield from _section(part)
    yield "</body></html>"


def _section(part: Section) -> Iterator[str]:
    yield f'<section><h2 id="{_anchor(part.title)}">{escape(part.title)}</h2>'
    if part.words:
        yield f"<p>{escape(part.words)}</p>"
    if part.points:
        yield "<ul>" + "".join(f"<li>{_marked(point)}</li>" for point in part.points) + "</ul>"
    for table in part.tables:
        if table.caption:
            yield f"<h3>{escape(table.caption)}</h3>"
        yield _table(table)
        for note in table.notes:
            yield f'<p class="soft">{escape(note)}</p>'
    for name, figure in part.figures.items():
        yield f'<figure role="img" aria-label="Learning curves on {escape(name)}">'
        yield as_svg(figure)
        yield "</figure>"
    yield "</section>"


def _table(table: Table) -> str:
    head = "".join(
        f"<th{_class(table, place)}>{escape(word)}</th>" for place, word in enumerate(table.heading)
    )
    body = "".join(
        "<tr>" + "".join(_cell(table, place, cell) for place, cell in enumerate(row)) + "</tr>"
        for row in table.rows
    )
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{whole}</div>'


def _cell(table: Table, place: int, cell: Cell) -> str:
    kinds = ["best"] * cell.best + ["aside"] * cell.aside
    return f"<td{_class(table, place, *kinds)}>{escape(cell.text)}</td>"


def _class(table: Table, place: int, *kinds: str) -> str:
    names = ["word"] * (place < table.words) + list(kinds)
    return f' class="{" ".join(names)}"' if names else ""


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def _marked(words: str) -> str:
    """Turn ** and * into the marks of HTML."""
    text = escape(words)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)


def escape(text: str) -> str:
    """Return a text with HTML's special characters escaped."""
    return html.escape(shown(text))
