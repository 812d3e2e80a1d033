"""Waiting for a task for as long as there are workers that may do it."""

import threading
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
    is_done = threading.Event()
    future.add_done_callback(lambda _: is_done.set())
    while True:
        # The result is taken without a limit: it may be large.
        if is_done.wait(min(_SECONDS_BETWEEN, seconds)) or future.done():
            return future.result()
        if future.client.nthreads():
            last_seen = time.monotonic()
        elif time.monotonic() - last_seen >= seconds:
            raise NoWorkersError(seconds)
