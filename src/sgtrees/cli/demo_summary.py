"""The result that ``sgtrees demo`` prints."""

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sgtrees.demo import MAJORITY, TREE, DemoResult
from sgtrees.inspection import ALWAYS, SplitSummary, TreeView, format_prediction


def print_demo(result: DemoResult, picture: Path | None, console: Console) -> None:
    """Print the result as text.

    Parameters
    ----------
    result : DemoResult
        The result.
    picture : Path or None
        The file of the learning curve, if it was written.
    console : Console
        The console.
    """
    if not result.rows:
        return
    console.print()
    console.print(_summary(result, picture))
    _print_title(console, "Error over time", "each over the rows since the line before")
    console.print(_errors(result))
    if result.tree is None or not result.top_splits:
        _print_title(console, "No split yet", "the tree needs more rows")
        return
    _print_title(console, "Top splits", "and the probability of being late in each branch")
    for number, split in enumerate(result.top_splits, start=1):
        console.print(_split(number, split, result.tree))
    console.print()


def _print_title(console: Console, title: str, explanation: str) -> None:
    console.print()
    console.print(Text.assemble((title, "bold"), (f", {explanation}", "dim")))


def _summary(result: DemoResult, picture: Path | None) -> RenderableType:
    evaluation = result.evaluation
    tree, last = evaluation.last(TREE), evaluation.points[-1]
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bold", no_wrap=True)
    lines.add_column(justify="right", no_wrap=True)
    lines.add_column()
    lines.add_row(
        "Speed",
        Text(f"{evaluation.rows_per_second(TREE):,.0f}", "bold cyan"),
        f"rows/s: each predicted, then learned ({tree.seconds:.2f} s in total)",
    )
    lines.add_row(
        "Error",
        Text(_percent(evaluation.total("error", TREE)), "bold green"),
        f"the tree ({_percent(tree.window['error'])} over the last {last.window:,} rows)",
    )
    lines.add_row("", _percent(evaluation.total("error", MAJORITY)), "the majority class so far")
    lines.add_row("", _percent(result.best_error), "best possible, due to noise")
    lines.add_row(
        "Tree",
        Text(f"{tree.n_leaves:,}", "bold cyan"),
        f"leaves ({tree.n_nodes:,} nodes, depth {result.depth}, "
        f"{(tree.memory_bytes or 0) / 1e6:.1f} MB)",
    )
    if picture is None:
        return lines
    whole = Table.grid()
    whole.add_row(lines)
    # On a separate line, folded rather than truncated, so that the path can be copied.
    whole.add_row(Text.assemble(("Picture", "bold"), f"  {picture}", overflow="fold"))
    return whole


def _errors(result: DemoResult) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=True)
    for title in ("rows", "tree", "majority class", "best possible", "leaves"):
        table.add_column(title, justify="right", style="green" if title == "tree" else None)
    for point in result.milestones():
        table.add_row(
            f"{point.rows:,}",
            _percent(point.models[TREE].window["error"]),
            _percent(point.models[MAJORITY].window["error"]),
            _percent(point.best_error or 0.0),
            f"{point.models[TREE].n_leaves:,}",
        )
    return table


def _split(number: int, split: SplitSummary, tree: TreeView) -> RenderableType:
    text = Text.assemble((split.test, "bold"), f", {100.0 * split.share:.0f} % of the flights\n")
    if split.where != ALWAYS:
        text.append(f"where {split.where}\n")
    for position, (branch, late) in enumerate(split.branches):
        text.append(", " if position else "")
        text.append(f"{branch} ")
        text.append(format_prediction(tree, late), "green")
    line = Table.grid(padding=(0, 1))
    line.add_column(justify="right")
    line.add_column()
    line.add_row(f"{number}.", text)
    return Padding(line, (0, 0, 0, 1))


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f} %"
