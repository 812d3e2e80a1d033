"""A check of a loss: its derivatives against finite differences."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sgtrees.losses.base import Loss, has_value, scaled
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.errors import LossError
from sgtrees.losses.finite_differences import (
    WRONG_SIGN,
    derivatives_of,
    derivatives_or_nan,
    difference,
    form_problems,
    is_close,
    link_expected_by,
    takes_prediction,
)
from sgtrees.losses.links import IDENTITY, read_link
from sgtrees.losses.parameter import read_loss
from sgtrees.losses.sample_rows import STEP, SampleRows, joint_rows, one_output


@dataclass(frozen=True)
class Report:
    """The result of `check`; true if nothing is wrong.

    Attributes
    ----------
    problems : tuple of str
        What is wrong.
    notes : tuple of str
        What was compared with what.

    Examples
    --------
    >>> from sgtrees import losses
    >>> report = losses.check(lambda y, raw: (y - raw, 0.0 * raw + 1.0))
    >>> report.ok, len(report.problems)
    (False, 1)
    """

    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        head = "no problems found" if self.ok else "problems of the loss:"
        lines = [f"- {problem}" for problem in self.problems]
        return "\n".join([head, *lines, *(f"- ({note})" for note in self.notes)])

    __repr__ = __str__


def check(loss: Any, y: ArrayLike | None = None) -> Report:
    """Compare a loss's derivatives with finite differences, and report what is wrong.

    The gradient is compared with differences of `Loss.value` if there is one, the hessian with
    differences of the gradient; a surrogate hessian (``hessian_is_exact=False``) must only not be
    negative. A joint loss is checked for each output.

    Parameters
    ----------
    loss : Loss, callable or str
        The loss, as an estimator takes it.
    y : array, optional
        Typical targets (two-dimensional for a joint loss); by default 0 and 1 if the link is
        "logistic", otherwise some numbers of either sign, or counts if the loss refuses
        negative targets.

    Returns
    -------
    Report
        ``ok``, ``problems`` and ``notes``; printing it shows them.

    Examples
    --------
    >>> import numpy as np
    >>> from sgtrees import losses
    >>> losses.check(losses.Huber(scale=1.0))
    no problems found
    - (the gradient is the derivative of value)
    - (the hessian is declared a surrogate, and is not negative)
    >>> losses.check(lambda y, raw: (y - raw, np.ones_like(raw)))
    problems of the loss:
    - the gradient has the wrong sign: it must be the derivative of the loss with respect to the raw
      score, which is raw - y for squared error, not y - raw
    """
    loss = _read(loss)
    try:
        if y is not None:
            targets = np.array(y, dtype=np.float64)
            targets = targets if loss.is_joint else targets.ravel()
            loss = scaled(loss, targets, np.ones(len(targets)))
        return _check_joint(loss, y) if loss.is_joint else _check(loss, SampleRows.of(loss, y))
    except LossError as error:
        return Report((str(error),), ())


def _check(loss: Loss, rows: SampleRows) -> Report:
    problems = tuple(form_problems(loss, rows))
    return Report(problems, ()) if problems else _compare(loss, rows)


def _check_joint(loss: Loss, y: ArrayLike | None) -> Report:
    targets, scores, widths = joint_rows(loss, y)
    problems = tuple(form_problems(loss, SampleRows(targets, scores, STEP)))
    if problems:
        return Report(problems, ())
    found: dict[str, None] = {}
    notes: dict[str, None] = {}
    for output, width in enumerate(widths.tolist()):
        of_output = one_output(loss, targets, scores, output)
        report = _check(of_output, SampleRows.of_output(scores, output, width))
        found |= dict.fromkeys(f"output {output}: {problem}" for problem in report.problems)
        notes |= dict.fromkeys(report.notes)
    return Report(tuple(found), tuple(notes))


def _read(loss: Any) -> Loss:
    if isinstance(loss, Loss):
        return loss
    with suppress(ValueError):
        return read_loss(loss, for_classes=False)
    return read_loss(loss, for_classes=True)


def _compare(loss: Loss, rows: SampleRows) -> Report:
    problems: list[str] = []
    notes: list[str] = []
    with np.errstate(all="ignore"):
        g, h = derivatives_of(loss, rows.y, rows.raw)
        slope_of_g = difference(lambda raw: derivatives_of(loss, rows.y, raw)[0], rows)
        if has_value(loss):
            problem = _compare_with_value(loss, rows, g)
            problems += [problem] if problem else []
            notes += [] if problem else ["the gradient is the derivative of value"]
        elif float(np.mean(slope_of_g)) < 0:
            problems.append(WRONG_SIGN)
        if not problems and not is_close(h, slope_of_g):
            problem, note = _about_hessian(loss, rows, h, slope_of_g)
            problems += [problem] if problem else []
            notes += [note] if note else []
        elif not problems:
            notes.append("the hessian is the derivative of the gradient")
    return Report(tuple(problems), tuple(notes))


def _compare_with_value(loss: Loss, rows: SampleRows, g: Floats) -> str | None:
    values = np.asarray(loss.value(rows.y, rows.raw))
    if values.shape != rows.y.shape:
        return f"value has the shape {values.shape} for {len(rows.y)} rows; one for each is needed"
    slope = difference(lambda raw: loss.value(rows.y, raw), rows)
    if is_close(g, slope):
        return None
    if is_close(-g, slope):
        return WRONG_SIGN
    problem = _mistaken_for_prediction(loss, rows, g, slope)
    if problem is not None:
        return problem
    square = float(np.dot(slope, slope))
    factor = float(np.dot(g, slope)) / square if square > 0 else 0.0
    if factor != 0 and is_close(g, factor * slope):
        return f"the gradient is {factor:.6g} times the derivative of value"
    i = int(np.nanargmax(np.abs(g - slope)))
    return (
        f"the gradient is not the derivative of value: {g[i]:.6g} in place of {slope[i]:.6g} for "
        f"{rows.describe(i)}"
    )


def _mistaken_for_prediction(loss: Loss, rows: SampleRows, g: Floats, slope: Floats) -> str | None:
    """Return the problem if gradient or value take the raw score for the prediction."""
    link = read_link(loss.link)
    if link.name == IDENTITY.name:
        return None
    if is_close(derivatives_or_nan(loss, rows.y, link(rows.raw)), slope):
        return takes_prediction(link)
    if is_close(g, difference(lambda raw: loss.value(rows.y, link(raw)), rows)):
        return (
            f"value seems to take the prediction (after the link {link.name!r}), but it gets the "
            "raw score"
        )
    return None


def _about_hessian(
    loss: Loss, rows: SampleRows, h: Floats, slope_of_g: Floats
) -> tuple[str | None, str | None]:
    """Return the problem or the note of a hessian that is not the second derivative."""
    if not loss.hessian_is_exact:
        return None, "the hessian is declared a surrogate, and is not negative"
    expected = link_expected_by(loss, rows)
    if expected is not None:
        return takes_prediction(expected), None
    i = int(np.nanargmax(np.abs(h - slope_of_g)))
    return (
        f"the hessian is not the derivative of the gradient: {h[i]:.6g} in place of "
        f"{slope_of_g[i]:.6g} for {rows.describe(i)}; for a surrogate set "
        "hessian_is_exact=False"
    ), None
