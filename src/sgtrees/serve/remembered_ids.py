"""The ids of what has been learned, so that a repeated request is learned once."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple


class Learned(NamedTuple):
    """Something that was learned under an id."""

    key: str
    sequence: int
    time: float
    digest: str


class RememberedIds:
    """The latest ids, bounded by number and time.

    Parameters
    ----------
    most : int
        How many there may be.
    seconds : float
        How old they may be. The time is that of the newest one, so that a log gives the same ids
        whenever it is read.

    Examples
    --------
    >>> ids = RememberedIds(most=2, seconds=60.0)
    >>> for key in "abc":
    ...     ids.add(Learned(key, 0, 0.0, ""))
    >>> ids.find("a") is None, ids.find("c").key
    (True, 'c')
    """

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._learned: OrderedDict[str, Learned] = OrderedDict()
        self._unsaved: list[Learned] = []

    def __len__(self) -> int:
        return len(self._learned)

    def find(self, key: str) -> Learned | None:
        """Return what was learned under an id, if it is remembered."""
        return self._learned.get(key)

    def add(self, learned: Learned) -> None:
        """Remember one more, and forget those that are too many or too old."""
        self._keep(learned)
        self._unsaved.append(learned)

    def restore(self, saved: Iterable[Learned]) -> None:
        """Remember those of a checkpoint, the oldest first."""
        for learned in saved:
            self._keep(learned)

    def _keep(self, learned: Learned) -> None:
        self._learned[learned.key] = learned
        self._learned.move_to_end(learned.key)
        oldest = learned.time - self._seconds
        while self._learned:
            first = next(iter(self._learned.values()))
            if len(self._learned) <= self._most and first.time >= oldest:
                break
            self._learned.popitem(last=False)

    def take_unsaved(self) -> list[Learned]:
        """Return those that came since the last call."""
        unsaved, self._unsaved = self._unsaved, []
        return unsaved

    def put_back(self, unsaved: list[Learned]) -> None:
        """Take back what `take_unsaved` has returned: it could not be saved."""
        self._unsaved[:0] = unsaved
