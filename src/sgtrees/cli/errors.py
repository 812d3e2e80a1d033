"""Errors of the commands: a message and an exit code."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from sgtrees.cli.exit_codes import DATA_ERROR, MODEL_ERROR
from sgtrees.persistence import ModelFileError
from sgtrees.streams import StreamError


class DataError(click.ClickException):
    """Data that cannot be used."""

    exit_code = DATA_ERROR


class ModelError(click.ClickException):
    """A model file that cannot be used."""

    exit_code = MODEL_ERROR


@contextmanager
def report_errors() -> Iterator[None]:
    """Turn the library's errors into messages and exit codes."""
    try:
        yield
    except ModelFileError as error:
        raise ModelError(str(error)) from error
    except StreamError as error:
        raise DataError(str(error)) from error
    except ImportError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{file}{error.strerror or error}") from error
