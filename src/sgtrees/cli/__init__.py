"""The command ``sgtrees``: one file for each of its commands, which parses, calls and prints.

Results go to the standard output; progress and what else there is to say to the standard error.
Their exit codes are told in `sgtrees.cli.exit_codes`.
"""

from typing import Any

import click

from sgtrees.cli.demo import demo as demo_command
from sgtrees.cli.exit_codes import INTERRUPTED
from sgtrees.cli.reproduce import reproduce as reproduce_command
from sgtrees.cli.version import VERSION
from sgtrees.cli.version import version as version_command


class Commands(click.Group):
    """Commands that an interrupt ends in a word, and with the exit code that shells expect."""

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Try: sgtrees demo",
)
@click.version_option(VERSION, "-V", "--version", message="%(prog)s %(version)s")
def main() -> None:
    """Grow stochastic gradient trees: decision trees that learn from streams."""


main.add_command(demo_command)
main.add_command(reproduce_command)
main.add_command(version_command)
