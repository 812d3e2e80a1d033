"""The commands of ``sgtrees``, each imported only when it is called."""

import gc
import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from sgtrees.cli.exit_codes import BROKEN_PIPE, INTERRUPTED
from sgtrees.cli.plugins import plugin_command, plugins
from sgtrees.extras import install_command

# Commands and their help, so that `sgtrees --help` imports none of them.
_COMMANDS = {
    "train": "Train a model on files in one pass, and save it.",
    "evaluate": "Evaluate a model on files.",
    "predict": "Predict the rows of files with a saved model.",
    "serve": "Serve a model that learns while it predicts, over HTTP.",
    "export": "Write a saved model as ONNX, C, Python, treelite or JSON.",
    "inspect": "Show a saved model: size, importances, splits and rules.",
    "demo": "Train a tree on a synthetic stream of flights.",
    "completion": "Print a script for shell completion.",
    "version": "Print the versions of sgtrees and its dependencies.",
}
# The extra that a command needs, if not `cli`.
_EXTRAS = {"serve": "serve"}


class CommandGroup(click.Group):
    """Commands that are imported when they are called, and that end cleanly when interrupted."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own
        """Return the commands in the order of the help."""
        return [*_COMMANDS, *plugins()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        gc.disable()  # imported objects stay: the collector need not visit them
        try:
            if cmd_name not in _COMMANDS:
                return plugin_command(cmd_name)
            module = importlib.import_module(f"sgtrees.cli.{cmd_name}")
        except ModuleNotFoundError as error:
            if error.name is None or error.name.startswith("sgtrees"):
                raise
            needed = install_command(_EXTRAS.get(cmd_name, "cli"))
            raise click.ClickException(f"this command needs {error.name}: {needed}") from error
        finally:
            gc.freeze()
            gc.enable()
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list((_COMMANDS | plugins()).items()))

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the command line."""
        with _exit_code_of_interrupts():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        try:
            with _exit_code_of_interrupts():
                return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever read the output has seen enough, as `head` does.
            _forget_output()
            raise click.exceptions.Exit(BROKEN_PIPE) from None


@contextmanager
def _exit_code_of_interrupts() -> Iterator[None]:
    """End with the exit code of Ctrl-C, which click takes for a failure."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


def _forget_output() -> None:
    """Let what is still to be written go nowhere, so that Python's end is silent too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
