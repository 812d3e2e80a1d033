"""What went wrong, in a line and an exit code."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from sgtrees.cli.exit_codes import WRONG_DATA, WRONG_MODEL
from sgtrees.persistence import ModelFileError
from sgtrees.streams import StreamError


class WrongData(click.ClickException):
    """Data that cannot be used."""

    exit_code = WRONG_DATA


class WrongModel(click.ClickException):
    """A model file that cannot be used."""

    exit_code = WRONG_MODEL


@contextmanager
def told() -> Iterator[None]:
    """Turn what may go wrong inside into a line and an exit code."""
    try:
        yield
    except ModelFileError as error:
        raise WrongModel(str(error)) from error
    except StreamError as error:
        raise WrongData(str(error)) from error
    except ImportError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{place}{error.strerror or error}") from error
