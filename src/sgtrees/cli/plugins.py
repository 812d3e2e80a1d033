"""Commands that other packages add: entry points of the group ``sgtrees.commands``."""

import importlib.metadata

import click

_GROUP = "sgtrees.commands"
# Commands of packages that may not be installed, and how to get them.
_NOT_INSTALLED = {
    "reproduce": "it is part of the package sgtrees-experiments; in a clone of the repository run "
    "`make reproduce` or `pip install ./experiments`",
}


def plugins() -> dict[str, str]:
    """Return the commands that installed packages add, with the summary of each package."""
    entries = importlib.metadata.entry_points(group=_GROUP)
    return {entry.name: entry.dist.metadata["Summary"] if entry.dist else "" for entry in entries}


def plugin_command(name: str) -> click.Command | None:
    """Import a command that another package adds; None if there is no such command.

    Raises
    ------
    click.ClickException
        If the command is part of a package that is not installed.
    """
    for entry in importlib.metadata.entry_points(group=_GROUP, name=name):
        command: click.Command = entry.load()
        return command
    if name in _NOT_INSTALLED:
        raise click.ClickException(f"{name} is not installed: {_NOT_INSTALLED[name]}")
    return None
