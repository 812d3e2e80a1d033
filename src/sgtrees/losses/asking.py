"""A loss as the core asks it, and what went wrong where it could not answer."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.losses.base import Floats, Loss, LossError, read_pair
from sgtrees.losses.built_in import BuiltInLoss

# How the core names the row at which it stopped, and what it stopped for.
_STOPPED = re.compile(
    r"gave gradient (?P<g>\S+) and hessian (?P<h>\S+) for row (?P<row>\d+) "
    r"\(y = (?P<y>\S+), raw score = (?P<raw>\S+)\)"
)


class AskedLoss:
    """A loss written in Python, between the core and the user's functions.

    Where the function raises for a block it is asked row by row, and the rows for which it raises
    get NaN. The core stops at the first of them that it comes to, so that the rows before it are
    learned, as they are where rows come one by one.

    Parameters
    ----------
    loss : Loss
        The loss.
    for_classes : bool
        Whether targets are class numbers, 0 and 1.
    """

    def __init__(self, loss: Loss, *, for_classes: bool) -> None:
        self.loss = loss
        self.for_classes = for_classes
        self._raised: dict[tuple[float, float], Exception] = {}

    def core_loss(self) -> _core.Loss:
        """Return what the core's learner is made with."""
        return _core.Loss.from_functions(self.derivatives, self.start)

    def derivatives(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return g and h of each row; NaN for rows for which the loss raises."""
        try:
            return read_pair(self.loss.gradient_hessian(y, raw), len(y))
        except Exception:  # noqa: BLE001 - whatever it is, it is kept and raised for its row
            return self._row_by_row(y, raw)

    def _row_by_row(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        g, h = np.full(len(y), np.nan), np.full(len(y), np.nan)
        for i in range(len(y)):
            row = slice(i, i + 1)
            try:
                g[row], h[row] = read_pair(self.loss.gradient_hessian(y[row], raw[row]), 1)
            except Exception as error:  # noqa: BLE001 - as above
                self._raised[float(y[i]), float(raw[i])] = error
        return g, h

    def start(self, y: Floats, weight: Floats) -> float:
        """Return the best constant, checked."""
        if self.for_classes:
            y, weight = _with_both_classes(y, weight)
        try:
            start = float(self.loss.start(y, weight))
        except Exception as error:
            error.add_note(f"raised by the loss's start for {len(y)} targets")
            raise
        if not np.isfinite(start):
            raise LossError(
                f"the loss's start is {start} for {len(y)} targets; it must be a finite number"
            )
        return start

    @contextmanager
    def guard(self, core: Any, block: "LearnedBlock") -> Iterator[None]:
        """Learn inside; where the loss fails the error says for which row, and what was learned.

        Parameters
        ----------
        core : _core.Learner
            The learner.
        block : LearnedBlock
            What it learns.
        """
        before, warming_up = core.n_rows, core.warming_up
        self._raised.clear()
        try:
            yield
        except Exception as error:
            stopped = _STOPPED.search(str(error)) if isinstance(error, RuntimeError) else None
            learned = f"{max(core.n_rows - before, 0)} rows of the block have been learned"
            if not block.is_kept:
                learned = "nothing has been learned: fit leaves the estimator as it was"
            if stopped is None:
                error.add_note(learned)
                raise
            row = f"row {block.row_number(int(stopped['row']))}"
            if warming_up and core.n_rows < block.warm_up:
                row = block.place_in_warm_up(core.n_rows, before)
                if before > 0 and block.is_kept:
                    learned = f"{core.n_rows} rows of the warm-up have been learned, and no others"
            y, raw = float(stopped["y"]), float(stopped["raw"])
            where = f"{row} (y = {y}, raw score = {raw})"
            raised = self._raised.get((y, raw))
            if raised is not None:
                raised.add_note(f"raised by the loss for {where}; {learned}")
                raise raised from None
            raise LossError(
                f"the loss gave the gradient {stopped['g']} and the hessian {stopped['h']} for "
                f"{where}; both must be finite, and the hessian not negative; {learned}"
            ) from None
        finally:
            self._raised.clear()


@dataclass(frozen=True)
class LearnedBlock:
    """What an error message needs to know of a block that is learned.

    Attributes
    ----------
    weights : ndarray or None
        The rows' weights.
    rows : slice or ndarray
        The caller's numbers of the rows.
    warm_up : int
        The number of rows of the whole warm-up.
    is_kept : bool
        Whether the rows learned before the loss failed are kept.
    """

    weights: Floats | None
    rows: slice | NDArray[np.intp]
    warm_up: int
    is_kept: bool

    def row_number(self, row: int) -> int:
        """Return the caller's number of a row."""
        return (self.rows.start or 0) + row if isinstance(self.rows, slice) else int(self.rows[row])

    def place_in_warm_up(self, place: int, before: int) -> str:
        """Name a row of the warm-up: by its number, if it came with this block."""
        if place < before:
            return f"row {place} of the warm-up, which had come before,"
        counts = None if self.weights is None else np.flatnonzero(self.weights)
        row = place - before
        return f"row {self.row_number(row if counts is None else int(counts[row]))}"


def _with_both_classes(y: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Let a class that is not there count as half a row: without it no constant is the best."""
    if y.min() != y.max():
        return y, weight
    return np.append(y, 1.0 - y[0]), np.append(weight, 0.5 * weight.mean())


def ask(loss: Loss, *, for_classes: bool) -> tuple[_core.Loss, AskedLoss | None]:
    """Return the core's loss, and for one written in Python who stands in between."""
    # A subclass of a built-in loss may have changed anything.
    if isinstance(loss, BuiltInLoss) and type(loss).__module__ == BuiltInLoss.__module__:
        return loss.core_loss(), None
    asked = AskedLoss(loss, for_classes=for_classes)
    return asked.core_loss(), asked
