"""The command line interface: ``sgtrees`` and a module for each of its commands.

Results go to standard output, progress and notes to standard error. The exit codes are in
`sgtrees.cli.exit_codes`.
"""

import os

import click

from sgtrees.cli.command_group import CommandGroup
from sgtrees.cli.lazy_modules import load_lazily
from sgtrees.version import VERSION

# No command calls BLAS, whose threads would wait for work by spinning.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What scipy and scikit-learn import for their own sake, and few commands use: much of the time that
# a command takes to start. Here and in the library they are imported as modules, not by names.
load_lazily("numpy.f2py", "numpy.ma", "scipy.stats", "sklearn.metrics", "sklearn.model_selection")


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Try: sgtrees demo, and: sgtrees train --help",
)
@click.version_option(VERSION, "-V", "--version", message="%(prog)s %(version)s")
def main() -> None:
    """Train and use stochastic gradient trees: decision trees that learn from streams."""
