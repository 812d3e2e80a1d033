"""Whether a loss is what it says: its derivatives against finite differences, in words."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sgtrees.losses.base import Floats, Loss, LossError, has_value, read_pair, scaled
from sgtrees.losses.built_in import BuiltInLoss
from sgtrees.losses.links import EXP, IDENTITY, LOGISTIC, Link, read_link
from sgtrees.losses.own import read_loss

# Differences of fourth order over this part of the scores' unit: right to about 1e-11.
_STEP = 1e-3
_CLOSE = 1e-6
# Losses may have corners; near them differences mean nothing. So this part of the rows may differ.
_CORNERS = 0.05
# Rows on which an estimator tries a loss before it learns the first.
_TRIED_ROWS = 64


@dataclass(frozen=True)
class Report:
    """What `check` found; true where nothing is wrong.

    Attributes
    ----------
    problems : tuple of str
        What is wrong.
    notes : tuple of str
        What is good to know: what was compared with what.
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
        head = "the loss is in order" if self.ok else "the loss is not in order"
        lines = [f"- {problem}" for problem in self.problems]
        return "\n".join([head, *lines, *(f"- ({note})" for note in self.notes)])

    __repr__ = __str__


def check(loss: Any, y: ArrayLike | None = None) -> Report:
    """Compare a loss's derivatives with finite differences, and say in words what is wrong.

    The gradient is compared with differences of `Loss.value` where there is one, the hessian with
    differences of the gradient; a surrogate hessian (``hessian_is_exact=False``) must only not be
    negative.

    Parameters
    ----------
    loss : Loss, callable or str
        The loss, as an estimator takes it.
    y : array, optional
        Targets like those it is meant for; by default 0 and 1 where the link is "logistic", some
        numbers of either sign otherwise, or counts where the loss refuses them.

    Returns
    -------
    Report
        ``ok``, ``problems`` and ``notes``; it shows them when it is printed.

    Examples
    --------
    >>> import numpy as np
    >>> from sgtrees import losses
    >>> losses.check(losses.Huber(scale=1.0))
    the loss is in order
    - (the gradient is the derivative of value)
    - (the hessian is declared a surrogate: it is not negative, which is all that is asked)
    >>> losses.check(lambda y, raw: (y - raw, np.ones_like(raw)))
    the loss is not in order
    - the gradient has the wrong sign: it must be the derivative of the loss with respect to the raw
      score, which is raw - y for squared error, not y - raw
    """
    loss = _read(loss)
    try:
        if y is not None:
            targets = np.array(y, dtype=np.float64).ravel()
            loss = scaled(loss, targets, np.ones(len(targets)))
        rows = _Rows.of(loss, y)
        problems = tuple(_problems_of_form(loss, rows))
        if problems:
            return Report(problems, ())
        return _compare(loss, rows)
    except LossError as error:
        return Report((str(error),), ())


def try_loss(loss: Loss, y: Floats, weight: Floats | None, *, for_classes: bool) -> None:
    """Refuse a loss that is plainly wrong on the first rows that it is to learn.

    Raises
    ------
    LossError
        Says what is wrong; `check` says more.
    """
    if weight is not None:
        y, weight = y[weight > 0], weight[weight > 0]
    y = y[:_TRIED_ROWS]
    if len(y) == 0:
        return
    if for_classes:
        y = np.array([0.0, 1.0])
    weight = np.ones(len(y)) if weight is None or for_classes else weight[:_TRIED_ROWS]
    hint = "losses.check(loss, y) tells more"
    _ask(loss, y, np.zeros(len(y)))  # before anything is computed of it
    loss = scaled(loss, y, weight)
    start = loss.start(y, weight)
    if not np.isfinite(start):
        raise LossError(f"the loss's start is {start} for the first {len(y)} targets; {hint}")
    rows = _Rows(y, np.full(len(y), float(start)), _STEP * max(1.0, abs(float(start))))
    for problem in _problems_of_form(loss, rows):
        raise LossError(f"{problem}; {hint}")
    _check_link(read_link(loss.link), for_classes=for_classes)
    around = (_ask(loss, rows.y, rows.raw + side * rows.unit)[0] for side in (-1, 1))
    below, above = (float(np.dot(weight, g)) for g in around)
    if above < below - _CLOSE * (abs(above) + abs(below)):
        raise LossError(f"{_WRONG_SIGN}; {hint}")


def _check_link(link: Link, *, for_classes: bool) -> None:
    raw = np.array([-2.0, -0.5, 0.0, 0.5, 2.0])
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


# --------------------------------------------------------------------------------------------------
# Rows to try
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rows:
    """Targets and raw scores; ``unit`` is what a small step of a raw score is."""

    y: Floats
    raw: Floats
    unit: float

    @classmethod
    def of(cls, loss: Loss, y: ArrayLike | None) -> "_Rows":
        link = read_link(loss.link)
        targets = _targets(loss, link, y)
        if link is IDENTITY and y is not None:
            middle, width = float(np.median(targets)), max(float(np.ptp(targets)), 1e-6)
        else:
            middle, width = 0.0, 3.0
            if y is not None:
                start = loss.start(targets, np.ones(len(targets)))
                middle = start if np.isfinite(start) else 0.0
        # No target, and no corner that one would think of, falls on these.
        scores = middle + width * np.linspace(-0.9731, 0.9817, 24)
        grid = np.meshgrid(targets, scores, indexing="ij")
        return cls(grid[0].ravel(), grid[1].ravel(), width / 3.0 * _STEP)


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


# --------------------------------------------------------------------------------------------------
# Form: pairs of arrays, finite, not negative, row by row
# --------------------------------------------------------------------------------------------------


def _read(loss: Any) -> Loss:
    if isinstance(loss, Loss):
        return loss
    for for_classes in (False, True):
        try:
            return read_loss(loss, for_classes=for_classes)
        except ValueError:
            if for_classes:
                raise
    raise AssertionError


def _ask(loss: Loss, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
    try:
        return read_pair(loss.gradient_hessian(y, raw), len(y))
    except LossError:
        raise
    except Exception as error:
        raise LossError(f"the loss raised {type(error).__name__}: {error}") from error


def _problems_of_form(loss: Loss, rows: _Rows) -> Iterator[str]:
    with np.errstate(all="ignore"):
        g, h = _ask(loss, rows.y, rows.raw)
        for i in (0, len(g) // 2):
            single = _ask(loss, rows.y[i : i + 1], rows.raw[i : i + 1])
            if not all(
                np.allclose(one, block[i], rtol=_CLOSE, atol=0, equal_nan=True)
                for one, block in zip(single, (g, h), strict=True)
            ):
                yield (
                    f"the derivatives of a row depend on the rows that come with it: alone it has "
                    f"({single[0][0]}, {single[1][0]}), in a block ({g[i]}, {h[i]}); each row must "
                    "be computed by itself, without sums or means"
                )
                return
    for what, values in (("gradient", g), ("hessian", h)):
        finite = np.isfinite(values)
        if not finite.all():
            yield f"the {what} is {values[finite.argmin()]} for {_row(rows, finite)}"
    if np.isfinite(h).all() and (h < 0).any():
        expected = _expects_prediction(loss, rows)
        if expected is not None:
            yield _transformed(expected)
            return
        yield (
            f"the hessian is negative: {h[(h < 0).argmax()]} for {_row(rows, h >= 0)}; where the "
            "second derivative is, give something that is not (and hessian_is_exact=False)"
        )


def _row(rows: _Rows, right: NDArray[np.bool_]) -> str:
    i = int(right.argmin())
    return f"y = {rows.y[i]}, raw score = {rows.raw[i]} ({(~right).sum()} of {len(right)} rows)"


# --------------------------------------------------------------------------------------------------
# Derivatives
# --------------------------------------------------------------------------------------------------

_WRONG_SIGN = (
    "the gradient has the wrong sign: it must be the derivative of the loss with respect to the "
    "raw score, which is raw - y for squared error, not y - raw"
)


def _compare(loss: Loss, rows: _Rows) -> Report:
    problems: list[str] = []
    notes: list[str] = []
    with np.errstate(all="ignore"):
        g, h = _ask(loss, rows.y, rows.raw)
        slope_of_g = _difference(lambda raw: _ask(loss, rows.y, raw)[0], rows)
        if has_value(loss):
            problem = _compare_with_value(loss, rows, g)
            problems += [problem] if problem else []
            notes += [] if problem else ["the gradient is the derivative of value"]
        elif float(np.mean(slope_of_g)) < 0:
            problems.append(_WRONG_SIGN)
        if not problems and not _is_close(h, slope_of_g):
            problem, note = _about_hessian(loss, rows, h, slope_of_g)
            problems += [problem] if problem else []
            notes += [note] if note else []
        elif not problems:
            notes.append("the hessian is the derivative of the gradient")
    return Report(tuple(problems), tuple(notes))


def _compare_with_value(loss: Loss, rows: _Rows, g: Floats) -> str | None:
    values = np.asarray(loss.value(rows.y, rows.raw))
    if values.shape != rows.y.shape:
        return f"value has the shape {values.shape} for {len(rows.y)} rows; one for each is needed"
    slope = _difference(lambda raw: loss.value(rows.y, raw), rows)
    if _is_close(g, slope):
        return None
    if _is_close(-g, slope):
        return _WRONG_SIGN
    problem = _mistaken_for_prediction(loss, rows, g, slope)
    if problem is not None:
        return problem
    square = float(np.dot(slope, slope))
    factor = float(np.dot(g, slope)) / square if square > 0 else 0.0
    if factor != 0 and _is_close(g, factor * slope):
        return f"the gradient is {factor:.6g} times the derivative of value"
    i = int(np.nanargmax(np.abs(g - slope)))
    return (
        f"the gradient is not the derivative of value: {g[i]:.6g} in place of {slope[i]:.6g} for "
        f"y = {rows.y[i]}, raw score = {rows.raw[i]:.6g}"
    )


def _mistaken_for_prediction(loss: Loss, rows: _Rows, g: Floats, slope: Floats) -> str | None:
    """Say whether gradient or value take the raw score for the prediction."""
    link = read_link(loss.link)
    if link.name == IDENTITY.name:
        return None
    if _is_close(_quietly(loss, rows.y, link(rows.raw)), slope):
        return _transformed(link)
    if _is_close(g, _difference(lambda raw: loss.value(rows.y, link(raw)), rows)):
        return (
            f"value seems to take the prediction (after the link {link.name!r}), but it gets the "
            "raw score"
        )
    return None


def _about_hessian(
    loss: Loss, rows: _Rows, h: Floats, slope_of_g: Floats
) -> tuple[str | None, str | None]:
    """Say what is wrong with a hessian that differs from the second derivative, or what it is."""
    if not loss.hessian_is_exact:
        return None, (
            "the hessian is declared a surrogate: it is not negative, which is all that is asked"
        )
    expected = _expects_prediction(loss, rows)
    if expected is not None:
        return _transformed(expected), None
    i = int(np.nanargmax(np.abs(h - slope_of_g)))
    return (
        f"the hessian is not the derivative of the gradient: {h[i]:.6g} in place of "
        f"{slope_of_g[i]:.6g} for y = {rows.y[i]}, raw score = {rows.raw[i]:.6g}; if it is meant "
        "to be a surrogate, say so: hessian_is_exact=False"
    ), None


def _expects_prediction(loss: Loss, rows: _Rows) -> Link | None:
    """Find a link after which the derivatives fit each other, as they do not before it."""
    own = read_link(loss.link)
    if isinstance(loss, BuiltInLoss):
        return None
    candidates = (LOGISTIC, EXP) if own.name == IDENTITY.name else (own,)
    for link in candidates:
        h = _quietly(loss, rows.y, link(rows.raw), part=1)
        slope = _difference(lambda raw, link=link: _quietly(loss, rows.y, link(raw)), rows)  # type: ignore[misc]
        if (h >= 0).all() and _is_close(h, slope) and float(np.abs(slope).max()) > 0:
            return link
    return None


def _transformed(link: Link) -> str:
    return (
        f"the derivatives seem to expect the prediction (after the link {link.name!r}), but they "
        "get the raw score; apply the link inside gradient_hessian"
    )


def _quietly(loss: Loss, y: Floats, raw: Floats, part: int = 0) -> Floats:
    try:
        return _ask(loss, y, raw)[part]
    except LossError:
        return np.full(len(y), np.nan)


def _difference(function: Callable[[Floats], Floats], rows: _Rows) -> Floats:
    """Return the derivative of a function of raw scores, by a difference of fourth order."""
    at = [np.asarray(function(rows.raw + k * rows.unit), dtype=np.float64) for k in (-2, -1, 1, 2)]
    result: Floats = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * rows.unit)
    return result


def _is_close(found: Floats, expected: Floats) -> bool:
    size = np.abs(expected) + float(np.nanmedian(np.abs(expected))) + 1e-9
    different = ~(np.abs(found - expected) <= _CLOSE * size)
    return bool(different.mean() <= _CORNERS)
