"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(lines: Sequence[Sequence[str]]) -> str:
    """Return a table; the first line is its head, and all columns but the first are numbers."""
    head, *body = lines
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))
