"""Rows on which a loss is tried or checked: targets, and raw scores around their best ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sgtrees.losses.answers import Floats, LossError
from sgtrees.losses.base import Loss
from sgtrees.losses.links import IDENTITY, LOGISTIC, Link, read_link

# Differences of fourth order over this part of the scores' unit: right to about 1e-11.
STEP = 1e-3
# No target, and no corner that one would think of, falls on these.
_SPACED = np.linspace(-0.9731, 0.9817, 24)


@dataclass(frozen=True)
class SampleRows:
    """Targets and raw scores; ``unit`` is what a small step of a raw score is."""

    y: Floats
    raw: Floats
    unit: float
    of_joint_loss: bool = False  # then y are the numbers of rows

    def tell(self, place: int) -> str:
        """Say which row of the loss's is meant."""
        row = f"row {self.y.flat[place]:.0f}" if self.of_joint_loss else f"y = {self.y.flat[place]}"
        return f"{row}, raw score = {self.raw.flat[place]:.6g}"

    @classmethod
    def of_output(cls, scores: Floats, output: int, width: float) -> "SampleRows":
        """Return raw scores of one output of a joint loss, for each row many."""
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
    """Return targets of a joint loss, raw scores near their best ones, and widths to look around.

    A width for each output: how far its scores may sensibly be apart.
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
