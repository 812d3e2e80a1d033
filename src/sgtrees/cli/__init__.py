"""The command ``sgtrees``: one file for each of its commands, which parses, calls and prints.

Results go to the standard output; progress and what else there is to say to the standard error.
Their exit codes are told in `sgtrees.cli.exit_codes`.
"""

import gc
import importlib
import os
from typing import Any

import click

from sgtrees.cli.exit_codes import INTERRUPTED
from sgtrees.cli.plugins import plugin_command, plugins
from sgtrees.version import VERSION

# What each command is in, and what it does in a line: a command's own module, and all that it
# needs, is imported when it is called.
_COMMANDS = {
    "train": "Learn files in one pass, and save the model.",
    "evaluate": "Tell how good a tree is on files.",
    "predict": "Predict the rows of files with a saved model.",
    "inspect": "Show what a saved model is and knows.",
    "demo": "Watch a tree learn which flights arrive late.",
    "completion": "Print what makes a shell complete commands and options.",
    "version": "Print the versions of sgtrees and of what it runs on.",
}


# No command calls BLAS, whose threads would wait for work by spinning.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class Commands(click.Group):
    """Commands that an interrupt ends in a word, and with the exit code that shells expect."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own
        """Return the commands, the most wanted first."""
        return [*_COMMANDS, *plugins()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        gc.disable()  # what is imported stays: the collector need not look at it, now or later
        try:
            if cmd_name not in _COMMANDS:
                return plugin_command(cmd_name)
            module = importlib.import_module(f"sgtrees.cli.{cmd_name}")
        except ModuleNotFoundError as error:
            if error.name is None or error.name.startswith("sgtrees"):
                raise
            raise click.ClickException(
                f"{error.name} is needed for this: pip install 'sgtrees[cli]'"
            ) from error
        finally:
            gc.freeze()
            gc.enable()
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list((_COMMANDS | plugins()).items()))

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
    epilog="Try: sgtrees demo, and: sgtrees train --help",
)
@click.version_option(VERSION, "-V", "--version", message="%(prog)s %(version)s")
def main() -> None:
    """Grow stochastic gradient trees: decision trees that learn from streams."""
