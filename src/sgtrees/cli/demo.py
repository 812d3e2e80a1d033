"""``sgtrees demo``: watch a tree learn."""

import json
from pathlib import Path

import click
from rich.console import Console

from sgtrees.cli.demo_progress import follow
from sgtrees.cli.demo_report import print_report
from sgtrees.cli.exit_codes import INTERRUPTED
from sgtrees.cli.writing import writable
from sgtrees.demo import Demo, DemoResult


@click.command()
@click.option(
    "--rows",
    type=click.IntRange(min=1000),
    default=1_000_000,
    show_default=True,
    help="Number of rows to learn.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the generated stream; the same seed gives the same rows.",
)
@click.option(
    "--png",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    callback=writable,
    default="sgtrees-demo.png",
    show_default=True,
    metavar="PATH",
    help="Where to write the learning curve.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def demo(rows: int, seed: int, png: Path, *, as_json: bool) -> None:
    """Watch a tree learn which flights arrive late.

    The flights are made up while they are learned: a stream of rows with carriers, airports, wind,
    missing values and chance. Every row is predicted first, and learned then. Since the flights are
    made up, the best possible error is known; the tree's is printed between it and the error of the
    majority class.

    \b
    Examples:
      sgtrees demo
      sgtrees demo --rows 100000 --seed 7 --png curve.png
      sgtrees demo --json > result.json
    """  # noqa: D301 - \b is click's own mark of lines to leave as they are
    log = Console(stderr=True, highlight=False)
    demonstration = Demo(rows, seed)
    try:
        follow(demonstration, log)
    except KeyboardInterrupt:
        _print(result := demonstration.result(), picture=None, as_json=as_json)
        log.print(_stopped(result))
        raise click.exceptions.Exit(INTERRUPTED) from None
    result = demonstration.result()
    _print(result, picture=_draw(result, png, log), as_json=as_json)


def _draw(result: DemoResult, path: Path, log: Console) -> Path | None:
    title = f"Which flights arrive late? A tree learns {result.rows:,} rows in one pass"
    try:
        result.evaluation.plot(path=path, title=title)
    except ImportError:
        log.print(
            "No picture, as matplotlib cannot be imported: pip install 'sgtrees[plot]'",
            markup=False,
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
        print_report(result, picture, Console(highlight=False))


def _stopped(result: DemoResult) -> str:
    rows = result.rows
    if rows == 0:
        return "Stopped before anything was learned."
    return f"Stopped after {rows:,} of {result.requested_rows:,} rows; no picture was written."
