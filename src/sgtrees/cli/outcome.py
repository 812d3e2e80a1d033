"""What ``train`` and ``evaluate`` print in the end."""

import json
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from sgtrees.cli.session import TREE, Ending
from sgtrees.evaluation import Evaluation
from sgtrees.evaluation.metrics import metric_title
from sgtrees.streams import Skipped

# So many of the rows that were left out are listed on the terminal; JSON has up to a hundred.
_MOST_LISTED = 10


def as_json(ending: Ending, skipped: Skipped, **more: Any) -> str:
    """Return the result as JSON.

    Parameters
    ----------
    ending : Ending
        How it ended.
    skipped : Skipped
        The rows that were left out.
    **more
        What else there is to say.
    """
    found = ending.evaluation
    values = {
        "rows": ending.rows,
        "complete": ending.error is None,
        "seconds": ending.seconds,
        "rows_per_second": ending.rows / ending.seconds if ending.seconds > 0.0 else 0.0,
        "metrics": {
            name: {metric: _plain(found.total(metric, name)) for metric in found.metrics}
            for name in found.names
        },
        "skipped": {"rows": skipped.rows, "faults": [str(fault) for fault in skipped.faults]},
        **{name: str(value) if isinstance(value, Path) else value for name, value in more.items()},
        "evaluation": found.as_dict(),
    }
    return json.dumps(values)


def _plain(value: float) -> float | None:
    return value if value == value else None  # noqa: PLR0124 - NaN is none


def print_ending(ending: Ending, console: Console, **written: Path | None) -> None:
    """Print a result for people to read.

    Parameters
    ----------
    ending : Ending
        How it ended.
    console : Console
        Where to print.
    **written
        Files that were written, by what they are.
    """
    if not ending.evaluation.points:
        return
    console.print()
    console.print(_figures(ending))
    console.print(_over_time(ending.evaluation))
    for title, path in written.items():
        if path is not None:
            # Folded rather than cut: a path shall be there to be copied.
            console.print(
                Text.assemble((f"{title.capitalize():<8}", "bold"), f" {path}", overflow="fold")
            )


def _figures(ending: Ending) -> RenderableType:
    found = ending.evaluation
    tree = found.last(TREE)
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bold", no_wrap=True)
    lines.add_column()
    speed = ending.rows / ending.seconds if ending.seconds > 0.0 else 0.0
    lines.add_row("Rows", f"{ending.rows:,} in {ending.seconds:,.1f} s: {speed:,.0f} rows/s")
    if tree.n_leaves is not None:
        size = "" if tree.memory_bytes is None else f", {tree.memory_bytes / 1e6:.1f} MB"
        lines.add_row("Tree", f"{tree.n_leaves:,} leaves ({tree.n_nodes:,} nodes{size})")
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=True)
    table.add_column("")
    for metric in found.metrics:
        table.add_column(metric_title(metric), justify="right")
    for name in found.names:
        style = "green" if name == TREE else None
        figures = [found.formatted(metric, found.total(metric, name)) for metric in found.metrics]
        table.add_row(name, *figures, style=style)
    return Group(lines, Text(), table, Text())


def _over_time(found: Evaluation) -> RenderableType:
    """Return the first metric in a few points."""
    metric = found.metrics[0]
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=True)
    table.add_column("rows", justify="right")
    for name in found.names:
        table.add_column(name, justify="right", style="green" if name == TREE else None)
    table.add_column("leaves", justify="right")
    for point in _few(found):
        figures = [
            found.formatted(metric, point.models[name].window[metric]) for name in found.names
        ]
        leaves = point.models[TREE].n_leaves
        table.add_row(f"{point.rows:,}", *figures, "" if leaves is None else f"{leaves:,}")
    title = Text(f"{metric_title(metric).capitalize()} over time", "bold")
    return Group(title, table, Text())


def _few(found: Evaluation, most: int = 10) -> list[Any]:
    """Return at most so many points, those between them about equally many rows apart."""
    points = found.points
    if len(points) <= most:
        return list(points)
    wanted = [found.rows * (place + 1) / most for place in range(most)]
    chosen = [min(points, key=lambda point: abs(point.rows - rows)) for rows in wanted]
    return [point for place, point in enumerate(chosen) if point not in chosen[:place]]


def print_skipped(skipped: Skipped, log: Console) -> None:
    """List the rows that were left out."""
    if not skipped.rows:
        return
    log.print(f"{skipped.rows:,} rows could not be used and were left out:", soft_wrap=True)
    for fault in skipped.faults[:_MOST_LISTED]:
        log.print(f"  {fault}", soft_wrap=True, markup=False)
    if skipped.rows > _MOST_LISTED:
        log.print(f"  ... and {skipped.rows - _MOST_LISTED:,} more", soft_wrap=True)
