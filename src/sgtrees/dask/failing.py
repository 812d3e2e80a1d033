"""What the cluster could not do, in words that name the rows and the worker."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import CancelledError, Future
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from sgtrees.dask.work import PartitionError
from sgtrees.streams import StreamError


def result_of(future: Future, what: str) -> Any:
    """Wait for a task that learns, reads or adds something; say what where it was given up.

    Raises
    ------
    PartitionError
        Where workers died of it, again and again; where what it needs could not be computed.
    ConnectionError
        Where the scheduler does not know it any more.
    """
    try:
        return future.result()
    except KilledWorker as error:
        raise PartitionError(
            f"{what}: {error.allowed_failures + 1} workers died while they had it, the last one at "
            f"{error.last_worker.address}. A worker with too little memory dies like that: make "
            "partitions (row groups, files) smaller, or give workers more"
        ) from error
    except CancelledError as error:
        raise ConnectionError(f"{what}: the Dask scheduler has lost it ({error})") from error
    except (PartitionError, StreamError):
        raise
    except OSError as error:
        if future.status == "error":  # the task's own
            raise PartitionError(f"{what}: {type(error).__name__}: {error}") from error
        raise ConnectionError(f"{what}: it did not come from the Dask cluster ({error})") from error
    except Exception as error:  # what comes before our own tasks is the user's
        raise PartitionError(f"{what}: {type(error).__name__}: {error}") from error


@contextmanager
def with_scheduler() -> Iterator[None]:
    """Say that the scheduler is gone where a message to it fails.

    Raises
    ------
    ConnectionError
        With what had happened.
    """
    try:
        yield
    except CommClosedError as error:
        raise scheduler_is_gone(error) from error


def scheduler_is_gone(error: Exception) -> ConnectionError:
    """Return what to say of it."""
    return ConnectionError(
        f"the Dask scheduler does not answer any more ({error}); the model is as it was after the "
        "last complete round"
    )
