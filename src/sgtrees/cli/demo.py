"""``sgtrees demo``: a tree learns a synthetic stream of flights."""

import json
from pathlib import Path

import click
from rich.console import Console

from sgtrees.cli.console import make_console
from sgtrees.cli.demo_summary import print_demo
from sgtrees.cli.exit_codes import INTERRUPTED
from sgtrees.cli.option_types import count_option, output_path
from sgtrees.cli.progress import ProgressDisplay
from sgtrees.demo import TREE, Demo, DemoResult
from sgtrees.extras import install_command


@click.command()
@count_option("--rows", least=1000, default=1_000_000, help="The number of rows.")
@count_option("--seed", least=0, default=0, help="Seed of the stream.")
@output_path("--png", default="sgtrees-demo.png", help="The learning curve (PNG) to write.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def demo(rows: int, seed: int, png: Path, *, as_json: bool) -> None:
    """Train a tree on a synthetic stream of flights, which arrive late or on time.

    Every row is predicted first, then learned. Since the stream is synthetic, the best possible
    error is known; the tree's error is shown beside it and that of the majority class.

    \b
    Examples:
      sgtrees demo
      sgtrees demo --rows 100000 --seed 7 --png curve.png
      sgtrees demo --json > result.json
    """  # noqa: D301 - \b is click's mark of preformatted lines
    log = make_console(stderr=True)
    demonstration = Demo(rows, seed)
    try:
        _run(demonstration, log)
    except KeyboardInterrupt:
        _print(result := demonstration.result(), picture=None, as_json=as_json)
        log.print(_stopped(result))
        raise click.exceptions.Exit(INTERRUPTED) from None
    result = demonstration.result()
    _print(result, picture=_draw(result, png, log), as_json=as_json)


def _run(demonstration: Demo, log: Console) -> None:
    display = ProgressDisplay(log, demonstration.rows, quiet=not log.is_terminal)
    with display.shown():
        for point in demonstration.run():
            tree = point.models[TREE]
            error = f"{100.0 * tree.window['error']:.1f} % error"
            display.update(point.rows, error, tree.n_leaves, tree.seconds)


def _draw(result: DemoResult, path: Path, log: Console) -> Path | None:
    title = f"Late flights: a tree learns {result.rows:,} rows in one pass"
    try:
        result.evaluation.plot(path=path, title=title)
    except ImportError:
        log.print(
            f"No picture, as matplotlib is not installed: {install_command('plot')}",
            soft_wrap=True,
        )
        return None
    except OSError as error:
        raise click.FileError(str(path), error.strerror) from error
    return path


def _print(result: DemoResult, *, picture: Path | None, as_json: bool) -> None:
    if as_json:
        values = result.as_dict() | {"picture": None if picture is None else str(picture)}
        click.echo(json.dumps(values, indent=2))
    else:
        print_demo(result, picture, make_console())


def _stopped(result: DemoResult) -> str:
    rows = result.rows
    if rows == 0:
        return "Stopped before anything was learned."
    return f"Stopped after {rows:,} of {result.requested_rows:,} rows; no picture was written."
