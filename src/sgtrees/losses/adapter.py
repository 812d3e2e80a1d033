"""The adapter between the core and a loss written in Python."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sgtrees import _core
from sgtrees.losses.base import Loss, has_scale, in_shape_of, scaled, with_scale
from sgtrees.losses.built_in import is_built_in
from sgtrees.losses.derivatives import GREATEST, Floats, read_derivatives
from sgtrees.losses.errors import LearnedRows, LossError


class LossAdapter:
    """What the core calls of a loss written in Python (``_core.LossInPython``).

    If the loss raises for a block it is called row by row, and the rows for which it raises
    get NaN. The core stops at the first of them that it reaches, so that the rows before it are
    learned, as they are if rows come one by one.

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
        # What the loss raised, by target and raw score of the row.
        self._raised: dict[tuple[float, float], Exception] = {}
        # Rows of the warm-up that the core has left out because the loss failed for them.
        self.left_out = 0
        # The loss with the scale of each output, if there are several that have one.
        self._of_outputs: list[Loss] = []

    def core_loss(self) -> _core.LossSpec:
        """Return the loss for the core's learner."""
        return _core.LossSpec.in_python(self)

    def _of_output(self, output: int) -> Loss:
        return self._of_outputs[output] if self._of_outputs else self.loss

    def _is_separate(self, y: Floats) -> bool:
        """Whether there are several outputs, each with its own loss."""
        return y.ndim == 2 and not self.loss.is_joint

    # ---- derivatives ----------------------------------------------------------------------------

    def derivatives(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return g and h of each row; NaN for rows for which the loss raises."""
        if self.loss.is_joint:
            g, h = self._derivatives(
                self.loss, in_shape_of(self.loss, y), in_shape_of(self.loss, raw)
            )
            return g.reshape(raw.shape), h.reshape(raw.shape)
        if raw.ndim == 1:
            return self._derivatives(self.loss, y, raw)
        g, h = np.empty_like(raw), np.empty_like(raw)
        for output in range(raw.shape[1]):
            one = np.ascontiguousarray(y[:, output]), np.ascontiguousarray(raw[:, output])
            g[:, output], h[:, output] = self._derivatives(self._of_output(output), *one)
        return g, h

    def _derivatives(self, loss: Loss, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        try:
            return read_derivatives(loss.gradient_hessian(y, raw), raw.shape)
        except Exception:  # noqa: BLE001 - any error is kept, and raised for its row
            return self._row_by_row(loss, y, raw)

    def _row_by_row(self, loss: Loss, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        g, h = np.full(raw.shape, np.nan), np.full(raw.shape, np.nan)
        for i in range(len(raw)):
            row = slice(i, i + 1)
            try:
                returned = loss.gradient_hessian(y[row], raw[row])
                g[row], h[row] = read_derivatives(returned, raw[row].shape)
            except Exception as error:  # noqa: BLE001 - as above
                # The core reports the first output of a row that has no derivatives.
                self._raised[float(y[i].flat[0]), float(raw[i].flat[0])] = error
        return g, h

    # ---- starts and scales ----------------------------------------------------------------------

    def starts(self, y: Floats, weight: Floats) -> Floats:
        """Return the best constant for each output, checked."""
        if self._is_separate(y):
            return np.array([self._start(column, weight).item() for column in y.T.copy()])
        return self._start(in_shape_of(self.loss, y), weight)

    def _start(self, y: Floats, weight: Floats) -> Floats:
        if self.for_classes:
            y, weight = _with_both_classes(y, weight)
        try:
            start = np.asarray(scaled(self.loss, y, weight).start(y, weight), dtype=np.float64)
        except Exception as error:
            error.add_note(f"raised by the loss's start for {len(y)} targets")
            raise
        if start.shape != y.shape[1:] or not np.isfinite(start).all():
            what = "a finite number" + (" for each output" if y.ndim == 2 else "")
            raise LossError(f"the loss's start is {start} for {len(y)} targets; it must be {what}")
        return start.reshape(-1)

    def scales(self, n_outputs: int) -> Floats:
        """Return the scale of each output as it is now; 0 for a loss without one."""
        if not has_scale(self.loss):
            return np.zeros(n_outputs)
        if self.loss.is_joint:
            return np.broadcast_to(self.loss.scale_, n_outputs).astype(np.float64)
        return np.array([self._of_output(output).scale_ for output in range(n_outputs)])

    def take_scales(self, y: Floats, weight: Floats) -> None:
        """Take the scales from the targets of the warm-up, if the loss has one."""
        if not has_scale(self.loss):
            return
        if self._is_separate(y):
            self._of_outputs = [scaled(self.loss, column, weight) for column in y.T.copy()]
        else:
            self.loss.scale_ = scaled(self.loss, in_shape_of(self.loss, y), weight).scale_

    def set_scales(self, scales: Floats) -> None:
        """Set the scales that were saved with the model."""
        if not has_scale(self.loss):
            return
        if self.loss.is_joint:
            self.loss.scale_ = np.array(scales)
        elif len(scales) == 1:
            self.loss.scale_ = float(scales[0])
        else:
            self._of_outputs = [with_scale(self.loss, scale) for scale in scales.tolist()]

    # ---- failures -------------------------------------------------------------------------------

    @contextmanager
    def guard(self, core: Any, rows: LearnedRows) -> Iterator[None]:
        """Learn inside; if the loss fails, the error names the row and the rows that were learned.

        Parameters
        ----------
        core : _core.Learner
            The learner.
        rows : LearnedRows
            The rows that it learns.
        """
        before = core.n_rows
        self.left_out = 0
        self._raised.clear()
        try:
            yield
        except _core.LossFailure as failure:
            raise self._error_for(failure, core, rows, before) from None
        except Exception as error:
            error.add_note(rows.describe_learned(max(core.n_rows - before, 0)))
            raise
        finally:
            self._raised.clear()

    def _error_for(
        self, failure: _core.LossFailure, core: Any, rows: LearnedRows, before: int
    ) -> Exception:
        """Return what to raise: the loss's own exception if it raised one."""
        left_out = self.left_out = failure.left_out or 0
        learned = rows.describe_learned(max(core.n_rows - before + left_out, 0), left_out)
        row = f"{rows.name(failure, before)} (y = {failure.y}, raw score = {failure.raw})"
        raised = self._raised.get((failure.y, failure.raw))
        if raised is not None:
            raised.add_note(f"raised by the loss for {row}; {learned}")
            return raised
        return LossError(
            f"the loss gave the gradient {failure.g:g} and the hessian {failure.h:g} for {row}; "
            f"both must be at most {GREATEST:g} in size, and the hessian not negative; {learned}"
        )


def _with_both_classes(y: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Count a class without rows as half a row: otherwise the best constant is infinite."""
    is_alone = y.min(axis=0) == y.max(axis=0)
    if not is_alone.any():
        return y, weight
    other = np.where(is_alone, 1.0 - y[:1], y[:1])
    return np.concatenate([y, other]), np.append(weight, 0.5 * weight.mean())


def adapt_loss(loss: Loss, *, for_classes: bool) -> tuple[_core.LossSpec, LossAdapter | None]:
    """Return the core's loss, and the adapter of one that is written in Python."""
    if is_built_in(loss):
        return loss.core_loss(), None
    adapter = LossAdapter(loss, for_classes=for_classes)
    return adapter.core_loss(), adapter
