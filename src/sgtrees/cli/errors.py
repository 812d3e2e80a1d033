"""Errors of the commands: a message and an exit code."""

import errno
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
        if error.errno == errno.EPIPE:
            raise BrokenPipeError(*error.args) from error
        raise click.ClickException(_message(error)) from error


@contextmanager
def collect_failures(messages: list[str]) -> Iterator[None]:
    """Keep the message of what cannot be written, so that the command writes the rest too."""
    try:
        yield
    except click.ClickException as error:
        messages.append(error.message)
    except OSError as error:
        messages.append(_message(error))


def _message(error: OSError) -> str:
    file = f"{error.filename}: " if error.filename else ""
    return f"{file}{error.strerror or error}"
