"""A loss as the core asks it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sgtrees import _core
from sgtrees.losses.base import Floats, Loss, LossError, has_scale, read_pair, scaled
from sgtrees.losses.built_in import BuiltInLoss
from sgtrees.losses.failing import LearnedRows, Stop


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
        return _core.Loss.in_python(self)

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

    def starts(self, y: Floats, weight: Floats) -> Floats:
        """Return the best constant, checked."""
        if self.for_classes:
            y, weight = _with_both_classes(y, weight)
        try:
            start = float(scaled(self.loss, y, weight).start(y, weight))
        except Exception as error:
            error.add_note(f"raised by the loss's start for {len(y)} targets")
            raise
        if not np.isfinite(start):
            raise LossError(
                f"the loss's start is {start} for {len(y)} targets; it must be a finite number"
            )
        return np.array([start])

    def scales(self, n_outputs: int) -> Floats:
        """Return the loss's scale as it is now; 0 for a loss without one."""
        return np.full(n_outputs, self.loss.scale_ if has_scale(self.loss) else 0.0)

    def take_scales(self, y: Floats, weight: Floats) -> None:
        """Take the scale from the targets of the warm-up, if the loss has one."""
        if has_scale(self.loss):
            self.loss.scale_ = scaled(self.loss, y, weight).scale_

    def set_scales(self, scales: Floats) -> None:
        """Take back a scale that was saved with the model."""
        if has_scale(self.loss):
            self.loss.scale_ = float(scales[0])

    @contextmanager
    def guard(self, core: Any, rows: LearnedRows) -> Iterator[None]:
        """Learn inside; where the loss fails the error says for which row, and what was learned.

        Parameters
        ----------
        core : _core.Learner
            The learner.
        rows : LearnedRows
            What it learns.
        """
        before = core.n_rows
        self._raised.clear()
        try:
            yield
        except Exception as error:
            stop = Stop.read(error)
            left_out = stop.left_out or 0 if stop is not None else 0
            learned = rows.tell(stop, max(core.n_rows - before + left_out, 0))
            if stop is None:
                error.add_note(learned)
                raise
            where = f"{rows.name(stop, before)} (y = {stop.y}, raw score = {stop.raw})"
            raised = self._raised.get((stop.y, stop.raw))
            if raised is not None:
                raised.add_note(f"raised by the loss for {where}; {learned}")
                raise raised from None
            raise LossError(
                f"the loss gave the gradient {stop.g:g} and the hessian {stop.h:g} for {where}; "
                f"both must be finite, and the hessian not negative; {learned}"
            ) from None
        finally:
            self._raised.clear()


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
