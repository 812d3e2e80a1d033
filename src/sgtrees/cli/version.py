"""``sgtrees version``: what is installed, for a report of a bug say."""

import platform
from importlib.metadata import version as installed

import click

from sgtrees.version import VERSION


@click.command()
def version() -> None:
    """Print the versions of sgtrees and of what it runs on.

    \b
    Examples:
      sgtrees version
      sgtrees --version      (sgtrees alone)
    """  # noqa: D301 - \b is click's own mark of lines to leave as they are
    click.echo(f"sgtrees       {VERSION}")
    click.echo(f"Python        {platform.python_version()} ({platform.python_implementation()})")
    click.echo(f"NumPy         {installed('numpy')}")
    click.echo(f"scikit-learn  {installed('scikit-learn')}")
    click.echo(f"system        {platform.system()} {platform.machine()}")
