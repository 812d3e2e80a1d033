"""Waiting for a task for as long as there are workers that may do it."""

import time
from typing import Any

import dask
from dask.utils import parse_timedelta
from distributed import Future

# How long all workers may be gone; after a while, workers that died have been replaced.
SETTING = "sgtrees.workers-timeout"
_DEFAULT = "5 minutes"
# How often the scheduler is asked for its workers while a task is not done.
_SECONDS_BETWEEN = 2.0
_MOST_SECONDS_BETWEEN = 60.0


class NoWorkersError(ConnectionError):
    """There has been no worker for too long; without one a task would wait for ever."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the Dask cluster has had no worker for {seconds:g} s; start workers, or let "
            f"`client.wait_for_workers` wait for them first (dask.config {SETTING!r} sets another "
            "time); the model is as it was after the last complete round"
        )


def wait_for(future: Future) -> Any:
    """Return the result of a task.

    Raises
    ------
    NoWorkersError
        If there is no worker for the time that ``sgtrees.workers-timeout`` in Dask's configuration
        allows, 5 minutes by default.
    """
    seconds = parse_timedelta(dask.config.get(SETTING, _DEFAULT))
    last_seen = time.monotonic()
    patience = min(_SECONDS_BETWEEN, seconds)
    while True:
        try:
            return future.result(timeout=patience)
        except TimeoutError:
            if future.status == "error":  # the task's own
                raise
        if future.client.nthreads():
            last_seen = time.monotonic()
            # A large result may take longer to come than that, and begins anew each time.
            patience = min(2.0 * patience, _MOST_SECONDS_BETWEEN)
        elif time.monotonic() - last_seen >= seconds:
            raise NoWorkersError(seconds)
