"""A quick check of a custom loss on the first rows that it is to learn."""

import numpy as np

from sgtrees.losses.base import Loss, in_shape_of, scaled
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.errors import LossError
from sgtrees.losses.finite_differences import CLOSE, WRONG_SIGN, derivatives_of, form_problems
from sgtrees.losses.links import Link, read_link
from sgtrees.losses.sample_rows import STEP, SampleRows

_MOST_ROWS = 64


def quick_check(loss: Loss, y: Floats, weight: Floats | None, *, for_classes: bool) -> None:
    """Raise LossError for a loss that is plainly wrong on the first rows that it is to learn.

    Raises
    ------
    LossError
        If something is wrong; `losses.check` reports more.
    """
    if weight is not None:
        y, weight = y[weight > 0], weight[weight > 0]
    y = y[:_MOST_ROWS]
    if len(y) == 0:
        return
    if for_classes:
        y = np.stack([np.zeros(y.shape[1:]), np.ones(y.shape[1:])])
    weight = np.ones(len(y)) if weight is None or for_classes else weight[:_MOST_ROWS]
    is_separate = y.ndim == 2 and not loss.is_joint
    for targets in y.T if is_separate else [in_shape_of(loss, y)]:
        _check(loss, targets, weight, for_classes=for_classes)


def _check(loss: Loss, y: Floats, weight: Floats, *, for_classes: bool) -> None:
    hint = "losses.check(loss, y) reports more"
    derivatives_of(loss, y, np.zeros(y.shape))  # before anything is computed from them
    loss = scaled(loss, y, weight)
    start = np.asarray(loss.start(y, weight), dtype=np.float64)
    if start.shape != y.shape[1:] or not np.isfinite(start).all():
        raise LossError(f"the loss's start is {start} for the first {len(y)} targets; {hint}")
    step = STEP * max(1.0, float(np.abs(start).max()))
    rows = SampleRows(y, np.broadcast_to(start, y.shape).copy(), step)
    for problem in form_problems(loss, rows):
        raise LossError(f"{problem}; {hint}")
    _check_link(read_link(loss.link), y.shape[1:], for_classes=for_classes)
    around = (derivatives_of(loss, rows.y, rows.raw + side * rows.step)[0] for side in (-1, 1))
    below, above = (float(np.dot(weight, g.reshape(len(y), -1).sum(axis=1))) for g in around)
    if above < below - CLOSE * (abs(above) + abs(below)):
        raise LossError(f"{WRONG_SIGN}; {hint}")


def _check_link(link: Link, outputs: tuple[int, ...], *, for_classes: bool) -> None:
    raw = np.multiply.outer(np.array([-2.0, -0.5, 0.0, 0.5, 2.0]), np.ones(outputs))
    predictions = np.asarray(link(raw))
    if predictions.shape != raw.shape or not np.isfinite(predictions).all():
        raise LossError(
            f"the link {link.name!r} gives {predictions.tolist()} for the raw scores "
            f"{raw.tolist()}; it must give a finite number for each"
        )
    if for_classes and not ((predictions >= 0) & (predictions <= 1)).all():
        raise LossError(
            f"the link {link.name!r} gives {predictions.tolist()} for the raw scores "
            f"{raw.tolist()}; in a classifier it must give probabilities of class 1, as "
            "link='logistic' does"
        )
