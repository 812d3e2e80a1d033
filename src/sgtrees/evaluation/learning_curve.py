"""How a model's error changes while rows come in, window by window."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

# Over fewer rows than this an error is mostly chance; more at a time take memory, and keep whoever
# watches waiting.
_LEAST_ROWS = 1000
_MOST_ROWS = 50_000


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A window of rows, each predicted before it was learned.

    Attributes
    ----------
    rows : int
        The number of rows so far, those of the window included.
    window : int
        The number of rows in the window.
    error : float
        The part of them that the model predicted wrong.
    majority_error : float
        The part of them that the majority class predicts wrong.
    best_error : float
        The error expected of whoever knows how the labels come about.
    n_leaves : int
        The model's leaves after the window.
    seconds : float
        The time that the model has taken to predict and learn, all windows so far together.
    """

    rows: int
    window: int
    error: float
    majority_error: float
    best_error: float
    n_leaves: int
    seconds: float


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Windows that follow one another from the first row on.

    Attributes
    ----------
    points : tuple of CurvePoint
        The windows; there may be none yet.

    Examples
    --------
    >>> first = CurvePoint(1000, 1000, 0.3, 0.4, 0.1, 1, 0.25)
    >>> second = CurvePoint(4000, 3000, 0.2, 0.4, 0.1, 9, 0.5)
    >>> curve = LearningCurve((first, second))
    >>> curve.rows, curve.rows_per_second, round(curve.error, 3)
    (4000, 8000.0, 0.225)
    """

    points: tuple[CurvePoint, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.points[-1].rows if self.points else 0

    @property
    def seconds(self) -> float:
        """The time that predicting and learning took."""
        return self.points[-1].seconds if self.points else 0.0

    @property
    def rows_per_second(self) -> float:
        """The number of rows predicted and learned in a second."""
        return self.rows / self.seconds if self.seconds > 0.0 else 0.0

    @property
    def error(self) -> float:
        """The error over all rows."""
        return self._mean([point.error for point in self.points])

    @property
    def majority_error(self) -> float:
        """The majority class's error over all rows."""
        return self._mean([point.majority_error for point in self.points])

    @property
    def best_error(self) -> float:
        """The best possible error over all rows."""
        return self._mean([point.best_error for point in self.points])

    def _mean(self, errors: list[float]) -> float:
        weighted = (point.window * error for point, error in zip(self.points, errors, strict=True))
        return sum(weighted) / self.rows if self.rows else 0.0

    def milestones(self) -> tuple[CurvePoint, ...]:
        """Return the windows that end at 1, 2 or 5 times a power of ten, and the last one.

        Returns
        -------
        tuple of CurvePoint
            A few of the windows, in their order.

        Examples
        --------
        >>> ends = (1000, 2000, 3000, 4000)
        >>> curve = LearningCurve(tuple(CurvePoint(n, 1000, 0.2, 0.4, 0.1, 1, 0.1) for n in ends))
        >>> [point.rows for point in curve.milestones()]
        [1000, 2000, 4000]
        """
        return tuple(
            point
            for place, point in enumerate(self.points, start=1)
            if place == len(self.points) or str(point.rows).rstrip("0") in ("1", "2", "5")
        )


def window_ends(n_rows: int) -> Iterator[int]:
    """Cut a stream into windows that grow with it: up to a tenth of the rows so far.

    Early on, where much happens, they are short; later, where errors differ little, they are long
    enough to tell. On a logarithmic axis they are about equally wide. None is longer than 50,000
    rows, for the sake of memory.

    Parameters
    ----------
    n_rows : int
        The number of rows in all.

    Yields
    ------
    int
        The number of rows at the end of each window.

    Examples
    --------
    >>> list(window_ends(24_500))[-5:]
    [19000, 20000, 22000, 24000, 24500]
    """
    end = 0
    while end < n_rows:
        end = min(end + _window(end), n_rows)
        yield end


def _window(rows: int) -> int:
    """Return the greatest of 1000, 2000, 5000, ..., 50,000 that is at most a tenth of the rows."""
    window = _LEAST_ROWS
    for factor in itertools.cycle((2.0, 2.5, 2.0)):
        longer = int(window * factor)
        if 10 * longer > rows or longer > _MOST_ROWS:
            break
        window = longer
    return window
