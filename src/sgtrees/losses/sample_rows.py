"""Rows on which a loss is checked: targets, and raw scores around their best ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sgtrees.losses.base import Loss, has_value
from sgtrees.losses.derivatives import Floats, read_derivatives
from sgtrees.losses.errors import LossError
from sgtrees.losses.links import IDENTITY, LOGISTIC, Link, read_link

# Differences of fourth order with this step, relative to the scores' unit, are accurate to about
# 1e-11.
STEP = 1e-3
# Targets, and corners of a loss, hardly ever coincide with these.
_SPACED = np.linspace(-0.9731, 0.9817, 24)


@dataclass(frozen=True)
class SampleRows:
    """Targets and raw scores; ``step`` is a small change of a raw score."""

    y: Floats
    raw: Floats
    step: float
    of_joint_loss: bool = False  # y are then numbers of rows, see `OneOutput`

    def describe(self, place: int) -> str:
        """Describe a row for a message."""
        row = f"row {self.y.flat[place]:.0f}" if self.of_joint_loss else f"y = {self.y.flat[place]}"
        return f"{row}, raw score = {self.raw.flat[place]:.6g}"

    @classmethod
    def of_output(cls, scores: Floats, output: int, width: float) -> "SampleRows":
        """Return many raw scores for each row, of one output of a joint loss."""
        around = scores[:, output, None] + width * _SPACED
        numbers = np.repeat(np.arange(len(scores), dtype=np.float64), around.shape[1])
        return cls(numbers, around.ravel(), width / 3.0 * STEP, of_joint_loss=True)

    @classmethod
    def of(cls, loss: Loss, y: ArrayLike | None) -> "SampleRows":
        """Return every target with many raw scores, for a loss of one output."""
        link = read_link(loss.link)
        targets = _targets(loss, link, y)
        if link is IDENTITY and y is not None:
            middle, width = float(np.median(targets)), max(float(np.ptp(targets)), 1e-6)
        else:
            middle, width = 0.0, 3.0
            if y is not None:
                start = loss.start(targets, np.ones(len(targets)))
                middle = start if np.isfinite(start) else 0.0
        grid = np.meshgrid(targets, middle + width * _SPACED, indexing="ij")
        return cls(grid[0].ravel(), grid[1].ravel(), width / 3.0 * STEP)


def joint_rows(loss: Loss, y: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    """Return targets of a joint loss, raw scores near their best ones, and the scores' widths.

    The width of an output is the range over which its scores are varied.
    """
    link = read_link(loss.link)
    if y is None:
        sample = _targets(loss, link, None)
        targets, middle = np.column_stack([sample, np.roll(sample, 1)]), np.zeros(2)
    else:
        targets = np.asarray(y, dtype=np.float64)
        if targets.ndim != 2:
            raise ValueError(f"y of a joint loss has a column for each output, got {targets.shape}")
        targets = targets[:: max(1, len(targets) // 8)]
        loss.check_y(targets)
        start = np.asarray(loss.start(targets, np.ones(len(targets))), dtype=np.float64)
        middle = np.where(np.isfinite(start), start, 0.0)
    widths = np.full(targets.shape[1], 3.0)
    if link is IDENTITY and y is not None:
        widths = np.maximum(np.ptp(targets, axis=0), 1e-6)
    away = np.random.default_rng(0).uniform(-0.2, 0.2, targets.shape)
    return targets, middle + widths * away, widths


def _targets(loss: Loss, link: Link, y: ArrayLike | None) -> Floats:
    if y is not None:
        targets = np.unique(np.asarray(y, dtype=np.float64))
        targets = targets[:: max(1, len(targets) // 20)]
        loss.check_y(targets)
        return targets
    samples = [
        np.array([-2.3, -0.7, 0.0, 0.4, 1.0, 2.9]),
        np.array([0.0, 0.4, 1.0, 2.0, 7.0]),
        np.array([0.1, 0.4, 1.0, 2.0, 7.0]),
    ]
    binary = np.array([0.0, 1.0])
    samples = [binary, *samples] if link.name == LOGISTIC.name else [*samples, binary]
    for sample in samples:
        try:
            loss.check_y(sample)
        except ValueError:
            continue
        return sample
    raise LossError("the loss refuses all targets that were tried; give some that it is made for")


# ---- one output of a joint loss -----------------------------------------------------------------


class OneOutput(Loss):
    """A joint loss as a function of one output's raw score; those of the others are fixed.

    Its "targets" are numbers of the rows whose targets and other raw scores it holds.

    Parameters
    ----------
    loss : Loss
        The joint loss.
    y, raw : ndarray of shape (n, n_outputs)
        Targets, and the fixed raw scores of the other outputs.
    output : int
        The number of the output.
    """

    def __init__(self, loss: Loss, y: Floats, raw: Floats, output: int) -> None:
        self.loss = loss
        self.link = loss.link
        self.hessian_is_exact = loss.hessian_is_exact
        self._y = y
        self._raw = raw
        self._output = output

    def gradient_hessian(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return the derivatives with respect to the one raw score."""
        targets, scores = self._rows(y, raw)
        g, h = read_derivatives(self.loss.gradient_hessian(targets, scores), scores.shape)
        return g[:, self._output], h[:, self._output]

    def _rows(self, numbers: Floats, raw: Floats) -> tuple[Floats, Floats]:
        rows = numbers.astype(np.intp)
        scores = self._raw[rows]
        scores[:, self._output] = raw
        return self._y[rows], scores


class OneOutputWithValue(OneOutput):
    """The same for a loss that defines its value."""

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the joint loss."""
        return self.loss.value(*self._rows(y, raw))


def one_output(loss: Loss, y: Floats, raw: Floats, output: int) -> Loss:
    """Return one output of a joint loss.

    Examples
    --------
    >>> from sgtrees import losses
    >>> product = losses.from_derivatives(lambda y, raw: (raw[:, ::-1], 0 * raw), joint=True)
    >>> first = one_output(product, np.zeros((1, 2)), np.array([[1.0, 5.0]]), 0)
    >>> first.gradient_hessian(np.array([0.0]), np.array([2.0]))[0]
    array([5.])
    """
    view = OneOutputWithValue if has_value(loss) else OneOutput
    return view(loss, y, raw, output)
