"""Errors of a training on a cluster, which name the rows and the worker."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import CancelledError, Future, get_worker
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from sgtrees.dask.waiting import NoWorkersError, wait_for
from sgtrees.streams import StreamError


class PartitionError(ValueError):
    """Rows that cannot be learned; the message names their partition, and what would be right.

    Examples
    --------
    >>> print(PartitionError.of_memory("partition 3"))
    partition 3: this process has too little memory; make partitions ... smaller, ...
    """

    @classmethod
    def of_memory(cls, where: str) -> "PartitionError":
        """Return the error of rows that do not fit into this worker's memory."""
        try:
            worker = f"worker {get_worker().address}"
        except ValueError:
            worker = "this process"
        return cls(
            f"{where}: {worker} has too little memory; make partitions (row groups, files) "
            "smaller, or give workers more memory"
        )


def result_of(future: Future, what: str) -> Any:
    """Wait for a task, which reads, learns or adds ``what``.

    Raises a `PartitionError` if workers died of it repeatedly or its input could not be computed,
    and a `ConnectionError` if the scheduler has lost it, or all workers have gone.
    """
    try:
        return wait_for(future)
    except KilledWorker as error:
        raise PartitionError(
            f"{what}: {error.allowed_failures + 1} workers died while they had it, the last one at "
            f"{error.last_worker.address}. A worker with too little memory dies like that: make "
            "partitions (row groups, files) smaller, or give workers more memory"
        ) from error
    except CancelledError as error:
        raise ConnectionError(f"{what}: the Dask scheduler has lost it ({error})") from error
    except (PartitionError, StreamError):
        raise
    except NoWorkersError as error:
        raise ConnectionError(f"{what}: {error}") from error
    except OSError as error:
        if future.status == "error":  # the task's own
            raise PartitionError(f"{what}: {type(error).__name__}: {error}") from error
        raise ConnectionError(
            f"{what}: it was not received from the Dask cluster ({error})"
        ) from error
    except Exception as error:  # tasks before our own are the user's
        raise PartitionError(f"{what}: {type(error).__name__}: {error}") from error


@contextmanager
def scheduler_errors() -> Iterator[None]:
    """Turn a broken connection to the scheduler into a `ConnectionError` with its consequences."""
    try:
        yield
    except CommClosedError as error:
        raise scheduler_lost(error) from error


def scheduler_lost(error: Exception) -> ConnectionError:
    """Return the error of a scheduler that does not answer."""
    return ConnectionError(
        f"the Dask scheduler does not answer ({error}); the model is as it was after the last "
        "complete round"
    )
