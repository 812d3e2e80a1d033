"""``sgtrees reproduce``: the paper's experiments, by one command."""

import os
from pathlib import Path

import click

from sgtrees.cli.console import make_console
from sgtrees.cli.exit_codes import INTERRUPTED, PARTIAL
from sgtrees_experiments.execution.plan import Choice
from sgtrees_experiments.reproduction import RUNS, Reproduction
from sgtrees_experiments.terminal import follow, follow_downloads, print_list, print_report

_OUT = Path("sgtrees-paper")


def _names(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Take names separated by commas as well as repeated options."""
    return tuple(name.strip() for words in given for name in words.split(",") if name.strip())


@click.command()
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with the data; else $SGTREES_DATA, else ../shared/data.",
)
@click.option("--datasets", multiple=True, callback=_names, help="Only these, separated by commas.")
@click.option("--learners", multiple=True, callback=_names, help="Only these, separated by commas.")
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Shuffles of each stream, repetitions of each cross-validation.",
)
@click.option("--rows", type=click.IntRange(min=100), help="Maximum number of rows of each stream.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="the number of cores",
    help="Processes at a time.",
)
@click.option("--download", is_flag=True, help="Download public originals that are missing.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=_OUT,
    show_default=True,
    help="Folder for the results. Runs that it holds are not repeated.",
)
@click.option(
    "--markdown",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the Markdown page here as well.",
)
@click.option("--fresh", is_flag=True, help="Delete earlier results in the folder.")
@click.option("--list", "only_list", is_flag=True, help="List data sets and learners, and stop.")
def reproduce(
    data: Path | None,
    datasets: tuple[str, ...],
    learners: tuple[str, ...],
    runs: int,
    rows: int | None,
    jobs: int,
    download: bool,
    out: Path,
    markdown: Path | None,
    fresh: bool,
    only_list: bool,
) -> None:
    """Run the paper's experiments, and print its tables beside the measured figures.

    Results go to a folder as JSON, Markdown, LaTeX and one HTML page. An interrupted
    reproduction continues where it stopped. If data, Java or a package is missing, the rest is run,
    the report explains how to get what is missing, and the exit code is 5.

    \b
    Examples:
      sgtrees reproduce
      sgtrees reproduce --datasets covtype,musk1 --runs 2
      sgtrees reproduce --rows 20000 --runs 1 --learners sgt,vfdt
      sgtrees reproduce --list
    """  # noqa: D301 - \b is click's own mark of lines to leave as they are
    log = make_console(stderr=True)
    if fresh:
        (out / RUNS).unlink(missing_ok=True)
    reproduction = Reproduction(Choice(datasets, learners, runs, rows, data), out, jobs)
    if only_list:
        print_list(reproduction.plan)
        return
    if download:
        follow_downloads(reproduction, log)
    interrupted = False
    try:
        follow(reproduction, log)
    except KeyboardInterrupt:
        interrupted = True
    written = reproduction.write(markdown)
    print_report(reproduction, written)
    if interrupted:
        log.print(
            f"Stopped with {reproduction.missing} runs left; the same command continues with them.",
            soft_wrap=True,
        )
        raise click.exceptions.Exit(INTERRUPTED)
    # Missing data is an error only if it was named.
    if reproduction.problems or (datasets and reproduction.plan.absent):
        raise click.exceptions.Exit(PARTIAL)
