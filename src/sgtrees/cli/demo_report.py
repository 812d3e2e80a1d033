"""What ``sgtrees demo`` prints in the end."""

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sgtrees.demo import DemoResult
from sgtrees.evaluation import LearningCurve
from sgtrees.inspection import EVERYTHING, SplitInWords, TreeView, value_in_words


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
    curve = result.curve
    if not curve.points:
        return
    console.print()
    console.print(_summary(result, picture))
    _print_title(console, "Error over time", "of the rows since the window before")
    console.print(_errors(curve))
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
    curve = result.curve
    last = curve.points[-1]
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bold", no_wrap=True)
    lines.add_column(justify="right", no_wrap=True)
    lines.add_column()
    lines.add_row(
        "Speed",
        Text(f"{curve.rows_per_second:,.0f}", "bold cyan"),
        f"rows/s: each predicted, then learned ({curve.seconds:.2f} s in all)",
    )
    lines.add_row(
        "Error",
        Text(_percent(curve.error), "bold green"),
        f"the tree ({_percent(last.error)} over the last {last.window:,} rows)",
    )
    lines.add_row("", _percent(curve.majority_error), "the majority class so far")
    lines.add_row("", _percent(curve.best_error), "best possible: the rest is chance")
    lines.add_row(
        "Tree",
        Text(f"{result.n_leaves:,}", "bold cyan"),
        f"leaves ({result.n_nodes:,} nodes, depth {result.depth}, "
        f"{result.memory_bytes / 1e6:.1f} MB while it learns)",
    )
    if picture is None:
        return lines
    whole = Table.grid()
    whole.add_row(lines)
    # On a line of its own, and folded rather than cut: a path shall be there to be copied.
    whole.add_row(Text.assemble(("Picture", "bold"), f"  {picture}", overflow="fold"))
    return whole


def _errors(curve: LearningCurve) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=True)
    for title in ("rows", "tree", "majority class", "best possible", "leaves"):
        table.add_column(title, justify="right", style="green" if title == "tree" else None)
    for point in curve.milestones():
        table.add_row(
            f"{point.rows:,}",
            _percent(point.error),
            _percent(point.majority_error),
            _percent(point.best_error),
            f"{point.n_leaves:,}",
        )
    return table


def _split(place: int, split: SplitInWords, tree: TreeView) -> RenderableType:
    words = Text.assemble(
        (split.question, "bold"), f", asked of {100.0 * split.share:.0f} % of the flights\n"
    )
    if split.where != EVERYTHING:
        words.append(f"where {split.where}\n")
    for number, (answer, late) in enumerate(split.answers):
        words.append(", " if number else "")
        words.append(f"{answer} ")
        words.append(value_in_words(tree, late), "green")
    line = Table.grid(padding=(0, 1))
    line.add_column(justify="right")
    line.add_column()
    line.add_row(f"{place}.", words)
    return Padding(line, (0, 0, 0, 1))


def _percent(part: float) -> str:
    return f"{100.0 * part:.1f} %"
