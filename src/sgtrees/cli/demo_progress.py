"""The progress bar of ``sgtrees demo``."""

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sgtrees.demo import TREE, Demo


def follow(demo: Demo, console: Console) -> None:
    """Run a demonstration to its end, and show how far it is where somebody watches.

    Parameters
    ----------
    demo : Demo
        What to run.
    console : Console
        Where to show it; nothing is written where that is no terminal.
    """
    progress = Progress(
        BarColumn(bar_width=None),
        TextColumn("{task.fields[rows]}"),
        TextColumn("[cyan]{task.fields[speed]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        TextColumn("[bold]{task.fields[error]}"),
        TextColumn("{task.fields[leaves]}"),
        console=console,
        disable=not console.is_terminal,
        expand=True,
        transient=True,
    )
    with progress:
        task = progress.add_task("", total=demo.rows, rows="", speed="", error="", leaves="")
        for point in demo.run():
            tree = point.models[TREE]
            progress.update(
                task,
                completed=point.rows,
                rows=f"{point.rows:,} rows",
                speed=f"{point.rows / tree.seconds:,.0f} rows/s" if tree.seconds > 0.0 else "",
                error=f"{100.0 * tree.window['error']:.1f} % error",
                leaves=f"{tree.n_leaves:,} leaves",
            )
