"""When the requests that wait become a group, which is written and learned together."""

SECONDS_TO_GATHER = 0.001
"""So long a group waits for more requests at most."""

# With each group so much is forgotten of how many requests have been open at once.
_FORGOTTEN_SHARE = 16


class Gathering:
    """Says whether enough requests wait for a group.

    Half of those that are open are enough. So there are two groups in turns: one is on its way to
    the disk while the replies of the other one are sent and its clients' next requests are read.
    All of them at once would leave the processor idle until the disk has answered; and groups of
    few requests cost more wake-ups than learning.

    Examples
    --------
    >>> gathering = Gathering()
    >>> for _ in range(8):
    ...     gathering.open()
    >>> [gathering.is_enough(n_waiting) for n_waiting in (3, 4)]
    [False, True]
    """

    def __init__(self) -> None:
        self._n_open = 0
        self._most_open = 0

    def open(self) -> None:
        """Count a request that has come."""
        self._n_open += 1
        self._most_open = max(self._most_open, self._n_open)

    def close(self, n_requests: int) -> None:
        """Count requests that have their results."""
        self._n_open -= n_requests

    def is_enough(self, n_waiting: int) -> bool:
        """Return whether a group of so many requests should begin."""
        return 2 * n_waiting >= self._most_open

    def begin_group(self) -> None:
        """Forget some of the requests that were open once: their clients may have gone."""
        self._most_open += -self._most_open // _FORGOTTEN_SHARE  # rounded away from zero
        self._most_open = max(self._most_open, self._n_open)
