"""``sgtrees version``: the installed versions, for bug reports."""

import platform
from importlib.metadata import version as installed

import click

from sgtrees.version import VERSION


@click.command()
def version() -> None:
    """Print the versions of sgtrees and its dependencies.

    \b
    Examples:
      sgtrees version
      sgtrees --version      (only sgtrees)
    """  # noqa: D301 - \b is click's mark of preformatted lines
    click.echo(f"sgtrees       {VERSION}")
    click.echo(f"Python        {platform.python_version()} ({platform.python_implementation()})")
    click.echo(f"NumPy         {installed('numpy')}")
    click.echo(f"scikit-learn  {installed('scikit-learn')}")
    click.echo(f"system        {platform.system()} {platform.machine()}")
