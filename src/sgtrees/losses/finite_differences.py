"""A loss's derivatives: problems of their form, and finite differences to compare them with."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BuiltInLoss
from sgtrees.losses.derivatives import GREATEST, Floats, read_derivatives
from sgtrees.losses.errors import LossError
from sgtrees.losses.links import EXP, IDENTITY, LOGISTIC, Link, read_link
from sgtrees.losses.sample_rows import SampleRows

CLOSE = 1e-6
# Near a corner of the loss differences mean nothing, so this share of the rows may differ.
_CORNERS = 0.05

WRONG_SIGN = (
    "the gradient has the wrong sign: it must be the derivative of the loss with respect to the "
    "raw score, which is raw - y for squared error, not y - raw"
)


# --------------------------------------------------------------------------------------------------
# Form: pairs of arrays, finite, not negative, row by row
# --------------------------------------------------------------------------------------------------


def derivatives_of(loss: Loss, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
    """Return a loss's derivatives; any error becomes a LossError."""
    try:
        return read_derivatives(loss.gradient_hessian(y, raw), y.shape)
    except LossError:
        raise
    except Exception as error:
        raise LossError(f"the loss raised {type(error).__name__}: {error}") from error


def form_problems(loss: Loss, rows: SampleRows) -> Iterator[str]:
    """Yield what is wrong with derivatives by themselves: not finite, negative, not row by row."""
    with np.errstate(all="ignore"):
        g, h = derivatives_of(loss, rows.y, rows.raw)
        dependence = _dependence_on_other_rows(loss, rows, g, h)
    if dependence is not None:
        yield dependence
        return
    for what, values in (("gradient", g), ("hessian", h)):
        right = np.abs(values) <= GREATEST
        if not right.all():
            yield f"the {what} is {values.flat[right.argmin()]} for {_row(rows, right)}"
    if np.isfinite(h).all() and (h < 0).any():
        expected = link_expected_by(loss, rows)
        if expected is not None:
            yield takes_prediction(expected)
            return
        yield (
            f"the hessian is negative: {h.flat[(h < 0).argmax()]} for {_row(rows, h >= 0)}; where "
            "the second derivative is negative, return a surrogate >= 0 (hessian_is_exact=False)"
        )


def _dependence_on_other_rows(loss: Loss, rows: SampleRows, g: Floats, h: Floats) -> str | None:
    for i in (0, len(g) // 2):
        single = derivatives_of(loss, rows.y[i : i + 1], rows.raw[i : i + 1])
        if not all(
            np.allclose(one, block[i], rtol=CLOSE, atol=0, equal_nan=True)
            for one, block in zip(single, (g, h), strict=True)
        ):
            return (
                f"the derivatives of a row depend on the rows that come with it: alone it has "
                f"({single[0][0]}, {single[1][0]}), in a block ({g[i]}, {h[i]}); compute each row "
                "separately, without sums or means over rows"
            )
    return None


def _row(rows: SampleRows, right: NDArray[np.bool_]) -> str:
    bad = ~right.reshape(len(right), -1).all(axis=1)
    return f"{rows.describe(int(right.argmin()))} ({bad.sum()} of {len(right)} rows)"


# --------------------------------------------------------------------------------------------------
# Differences
# --------------------------------------------------------------------------------------------------


def link_expected_by(loss: Loss, rows: SampleRows) -> Link | None:
    """Return a link after which g and h agree with each other, as they do not before it."""
    own = read_link(loss.link)
    if isinstance(loss, BuiltInLoss) or loss.is_joint:
        return None
    candidates = (LOGISTIC, EXP) if own.name == IDENTITY.name else (own,)
    for link in candidates:
        h = derivatives_or_nan(loss, rows.y, link(rows.raw), part=1)
        slope = difference(lambda raw, link=link: derivatives_or_nan(loss, rows.y, link(raw)), rows)  # type: ignore[misc]
        if (h >= 0).all() and is_close(h, slope) and float(np.abs(slope).max()) > 0:
            return link
    return None


def takes_prediction(link: Link) -> str:
    """Return the message that a loss takes the raw score for the prediction."""
    return (
        f"the derivatives seem to expect the prediction (after the link {link.name!r}), but they "
        "get the raw score; apply the link inside gradient_hessian"
    )


def derivatives_or_nan(loss: Loss, y: Floats, raw: Floats, part: int = 0) -> Floats:
    """Return gradients (part 0) or hessians (part 1); NaN where the loss raises."""
    try:
        return derivatives_of(loss, y, raw)[part]
    except LossError:
        return np.full(len(y), np.nan)


def difference(function: Callable[[Floats], Floats], rows: SampleRows) -> Floats:
    """Return the derivative of a function of raw scores, by a difference of fourth order."""
    at = [np.asarray(function(rows.raw + k * rows.step), dtype=np.float64) for k in (-2, -1, 1, 2)]
    result: Floats = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * rows.step)
    return result


def is_close(found: Floats, expected: Floats) -> bool:
    """Whether derivatives agree with differences, except for a few rows near corners."""
    size = np.abs(expected) + float(np.nanmedian(np.abs(expected))) + 1e-9
    different = ~(np.abs(found - expected) <= CLOSE * size)
    return bool(different.mean() <= _CORNERS)
