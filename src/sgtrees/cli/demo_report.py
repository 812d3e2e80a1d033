"""What ``sgtrees demo`` prints in the end."""

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sgtrees.demo import MAJORITY, TREE, DemoResult
from sgtrees.inspection import ALWAYS, SplitSummary, TreeView, format_prediction


def print_report(result: DemoResult, picture: Path | None, console: Console) -> None:
    """Print a result for people to read.

    Parameters
    ----------
    result : DemoResult
        What came out.
    picture : Path or None
        Where the learning curve was drawn, if it was.
    console : Console
        Where to print.
    """
    if not result.rows:
        return
    console.print()
    console.print(_summary(result, picture))
    _print_title(console, "Error over time", "of the rows since the window before")
    console.print(_errors(result))
    if result.tree is None or not result.top_splits:
        _print_title(console, "No split yet", "the tree needs more rows")
        return
    _print_title(console, "Top splits", "and the chance of being late after each answer")
    for place, split in enumerate(result.top_splits, start=1):
        console.print(_split(place, split, result.tree))
    console.print()


def _print_title(console: Console, title: str, explanation: str) -> None:
    console.print()
    console.print(Text.assemble((title, "bold"), (f", {explanation}", "dim")))


def _summary(result: DemoResult, picture: Path | None) -> RenderableType:
    found = result.evaluation
    tree, last = found.last(TREE), found.points[-1]
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bold", no_wrap=True)
    lines.add_column(justify="right", no_wrap=True)
    lines.add_column()
    lines.add_row(
        "Speed",
        Text(f"{found.rows_per_second(TREE):,.0f}", "bold cyan"),
        f"rows/s: each predicted, then learned ({tree.seconds:.2f} s in all)",
    )
    lines.add_row(
        "Error",
        Text(_percent(found.total("error", TREE)), "bold green"),
        f"the tree ({_percent(tree.window['error'])} over the last {last.window:,} rows)",
    )
    lines.add_row("", _percent(found.total("error", MAJORITY)), "the majority class so far")
    lines.add_row("", _percent(result.best_error), "best possible: the rest is chance")
    lines.add_row(
        "Tree",
        Text(f"{tree.n_leaves:,}", "bold cyan"),
        f"leaves ({tree.n_nodes:,} nodes, depth {result.depth}, "
        f"{(tree.memory_bytes or 0) / 1e6:.1f} MB while it learns)",
    )
    if picture is None:
        return lines
    whole = Table.grid()
    whole.add_row(lines)
    # On a line of its own, and folded rather than cut: a path shall be there to be copied.
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


def _split(place: int, split: SplitSummary, tree: TreeView) -> RenderableType:
    words = Text.assemble(
        (split.test, "bold"), f", asked of {100.0 * split.share:.0f} % of the flights\n"
    )
    if split.where != ALWAYS:
        words.append(f"where {split.where}\n")
    for number, (answer, late) in enumerate(split.branches):
        words.append(", " if number else "")
        words.append(f"{answer} ")
        words.append(format_prediction(tree, late), "green")
    line = Table.grid(padding=(0, 1))
    line.add_column(justify="right")
    line.add_column()
    line.add_row(f"{place}.", words)
    return Padding(line, (0, 0, 0, 1))


def _percent(part: float) -> str:
    return f"{100.0 * part:.1f} %"
