"""The results that ``train`` and ``evaluate`` print and write."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from sgtrees.cli.console import counted
from sgtrees.cli.evaluation_run import RunResult
from sgtrees.cli.methods import TREE
from sgtrees.cli.model_choice import ModelChoice
from sgtrees.cli.options import OWN_DEFAULTS
from sgtrees.evaluation import Evaluation
from sgtrees.evaluation.metrics import metric_title
from sgtrees.report import Observations, Page, write_report
from sgtrees.streams import Skipped

# This many of the skipped rows are printed; JSON lists up to a hundred.
_MAX_LISTED = 10
# And this many of the members that were replaced.
_MAX_REPLACED = 5
# This many points of the learning curve are printed.
_MAX_POINTS = 10


def summary_json(result: RunResult, skipped: Skipped, **more: Any) -> str:
    """Return the result as JSON.

    Parameters
    ----------
    result : RunResult
        The result.
    skipped : Skipped
        The rows that were skipped.
    **more
        Further values.
    """
    evaluation = result.evaluation
    values = {
        "verdict": evaluation.verdict(evaluation.names[0]) if evaluation.points else "",
        "rows": result.rows,
        "complete": result.error is None,
        "seconds": result.seconds,
        "rows_per_second": result.rows_per_second,
        "metrics": {
            name: {metric: _plain(evaluation.total(metric, name)) for metric in evaluation.metrics}
            for name in evaluation.names
        },
        "skipped": {"rows": skipped.rows, "faults": [str(fault) for fault in skipped.faults]},
        **{name: str(value) if isinstance(value, Path) else value for name, value in more.items()},
        "evaluation": evaluation.as_dict(),
    }
    return json.dumps(values)


def _plain(value: float) -> float | None:
    return value if value == value else None  # noqa: PLR0124 - JSON has no NaN


def print_summary(result: RunResult, console: Console, **written: Path | None) -> None:
    """Print the result as text.

    Parameters
    ----------
    result : RunResult
        The result.
    console : Console
        The console.
    **written
        The files that were written, by title.
    """
    if not result.evaluation.points:
        return
    console.print()
    console.print(_metrics(result))
    console.print(_learning_curve(result.evaluation))
    for title, path in written.items():
        if path is not None:
            # Folded rather than truncated, so that the path can be copied.
            console.print(
                Text.assemble((f"{title.capitalize():<8}", "bold"), f" {path}", overflow="fold")
            )


def _metrics(result: RunResult) -> RenderableType:
    evaluation = result.evaluation
    method = evaluation.names[0]
    model = evaluation.last(method)
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bold", no_wrap=True)
    lines.add_column()
    speed = f"{result.rows_per_second:,.0f} rows/s"
    lines.add_row("Rows", f"{result.rows:,} in {result.seconds:,.1f} s: {speed}")
    if model.n_leaves is not None:
        size = "" if model.memory_bytes is None else f", {model.memory_bytes / 1e6:.1f} MB"
        leaves = counted(model.n_leaves, "leaf", "leaves")
        nodes = counted(model.n_nodes or 0, "node")
        lines.add_row(method.capitalize(), f"{leaves} ({nodes}{size})")
    replaced = _replaced_members(evaluation)
    if replaced:
        lines.add_row("Replaced" if method == TREE else "Members", replaced)
    verdict = evaluation.verdict(method)
    if verdict:
        lines.add_row("Result", verdict)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=True)
    table.add_column("")
    for metric in evaluation.metrics:
        table.add_column(metric_title(metric), justify="right")
    for name in evaluation.names:
        style = "green" if name == method else None
        totals = [(metric, evaluation.total(metric, name)) for metric in evaluation.metrics]
        cells = [evaluation.formatted(metric, total) for metric, total in totals]
        table.add_row(name, *cells, style=style)
    return Group(lines, Text(), table, Text())


def _replaced_members(evaluation: Evaluation) -> str:
    """Say when the trees, or which members of an ensemble, were replaced or began anew."""
    method = evaluation.names[0]
    events = [event for event in evaluation.drifts.get(method, ()) if event.kind == "replaced"]
    if not events:
        return ""
    latest = events[-_MAX_REPLACED:]
    most_recently = "" if latest == events else ", most recently"
    if method == TREE:
        times = "once" if len(events) == 1 else f"{len(events):,} times"
        return f"{times}{most_recently} at row {', '.join(f'{e.row:,}' for e in latest)}"
    what = "began anew" if method == "boosting" else "replaced"
    places = ", ".join(f"{e.member + 1} at row {e.row:,}" for e in latest)
    return f"{len(events):,} {what}{most_recently or ':'} member {places}"


def _learning_curve(evaluation: Evaluation) -> RenderableType:
    """Return a table of the first metric at a few points."""
    metric = evaluation.metrics[0]
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=True)
    table.add_column("rows", justify="right", no_wrap=True)
    method = evaluation.names[0]
    for name in evaluation.names:
        table.add_column(name, justify="right", style="green" if name == method else None)
    table.add_column("leaves", justify="right")
    for point in _some_points(evaluation):
        windows = [point.models[name].window[metric] for name in evaluation.names]
        cells = [evaluation.formatted(metric, value) for value in windows]
        leaves = point.models[method].n_leaves
        rows = f"{point.rows - point.window + 1:,} to {point.rows:,}"
        table.add_row(rows, *cells, "" if leaves is None else f"{leaves:,}")
    title = Text(f"{metric_title(metric).capitalize()} over time", "bold")
    return Group(title, table, Text())


def _some_points(evaluation: Evaluation) -> list[Any]:
    """Return at most ``_MAX_POINTS`` points, about equally many rows apart."""
    points = evaluation.points
    if len(points) <= _MAX_POINTS:
        return list(points)
    wanted = [evaluation.rows * (place + 1) / _MAX_POINTS for place in range(_MAX_POINTS)]
    chosen = [min(points, key=lambda point: abs(point.rows - rows)) for rows in wanted]
    return [point for place, point in enumerate(chosen) if point not in chosen[:place]]


def print_skipped(skipped: Skipped, log: Console) -> None:
    """Print the rows that were skipped."""
    if not skipped.rows:
        return
    log.print(f"{skipped.rows:,} invalid rows were skipped:", soft_wrap=True)
    for fault in skipped.faults[:_MAX_LISTED]:
        log.print(f"  {fault}", soft_wrap=True)
    if skipped.rows > _MAX_LISTED:
        log.print(f"  ... and {skipped.rows - _MAX_LISTED:,} more", soft_wrap=True)


def write_page(
    path: Path | None,
    choice: ModelChoice,
    result: RunResult,
    observations: Observations,
    files: Sequence[str],
) -> Path | None:
    """Write the report page, if a path is given and there is something to report.

    Returns
    -------
    Path or None
        The page; None if it was not written.
    """
    if path is None or not result.evaluation.points:
        return None
    page = Page(
        evaluation=result.evaluation,
        estimator=choice.estimator,
        target=choice.target,
        sources=list(files),
        seconds=result.seconds,
        skipped=choice.source.skipped.rows,
        observations=observations,
        command=" ".join(["sgtrees", *sys.argv[1:]]),
        own_defaults=OWN_DEFAULTS,
    )
    return write_report(page, path)
