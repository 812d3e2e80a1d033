"""Losses of the residual r = raw - y."""

from dataclasses import dataclass

import numpy as np

from sgtrees.losses.built_in.base import BuiltInLoss
from sgtrees.losses.derivatives import Floats


@dataclass
class SquaredError(BuiltInLoss):
    """Squared error, which predicts the mean.

    l = r^2 / 2, g = r, h = 1, with r = raw - y.

    The prediction is the raw score, the neutral start 0, the best constant the mean; any finite
    target is allowed. The usual choice for regression; sensitive to outliers.

    Examples
    --------
    >>> SquaredError().gradient_hessian(np.array([1.0]), np.array([3.0]))
    (array([2.]), array([1.]))
    """

    name = "squared_error"

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return r^2 / 2."""
        result: Floats = (raw - y) ** 2 / 2
        return result


class ScaledLoss(BuiltInLoss):
    """A built-in loss whose shape depends on the scale of the targets."""

    scale: float | None

    @property
    def unit(self) -> float:
        """The given scale, else the one found in the warm-up; 1 before its end."""
        return self.scale_ if self.scale is None else self.scale


@dataclass
class AbsoluteError(ScaledLoss):
    """Absolute error, which predicts the median; quadratic below its scale s.

    l = abs(r) where abs(r) > s, (r^2 / s + s) / 2 below, with r = raw - y;
    g = r / max(abs(r), s), h = 1 / max(abs(r), s).

    h is a surrogate, since abs(r) has no second derivative: that of the parabola which touches
    the loss at r and lies above it, so that a step never overshoots ("reweighted squares").
    The prediction is the raw score, the neutral start 0, the best constant the median; any finite
    target is allowed. Useful for the mean absolute error, and for targets with outliers.

    Parameters
    ----------
    scale : float, optional
        The residual below which the loss is quadratic; by default a tenth of the spread of the
        targets in the warm-up (their mean distance from their median).

    Examples
    --------
    >>> AbsoluteError(scale=1.0).gradient_hessian(np.array([0.0, 0.0]), np.array([0.5, -4.0]))
    (array([ 0.5, -1. ]), array([1.  , 0.25]))
    """

    scale: float | None = None
    name = "absolute_error"
    hessian_is_exact = False

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the absolute error, quadratic below the scale."""
        return _smooth_absolute(raw - y, self.unit)


@dataclass
class Quantile(ScaledLoss):
    """Quantile ("pinball") loss, which predicts a quantile.

    l = (abs(r) + (1 - 2 alpha) r) / 2, with r = raw - y: alpha for each unit that a prediction is
    too low, 1 - alpha for each that it is too high; g = (sign(r) + 1 - 2 alpha) / 2,
    h = 1 / (2 (abs(r) + s)), s the scale.

    h is a surrogate, since l has no second derivative. Leaves that keep rows (``kept_rows``) take
    the quantile of these where their value changes, not the step by g and h.
    The prediction is the raw score, the neutral start 0, the best constant the quantile; any
    finite target is allowed. Two models, alpha=0.1 and alpha=0.9, give an 80 % prediction
    interval.

    Parameters
    ----------
    alpha : float, default=0.5
        Which quantile, between 0 and 1.
    scale : float, optional
        By how much residuals count as larger in h, which bounds it; by default 0.3 spreads of the
        targets in the warm-up (their mean distance from their median).

    Examples
    --------
    >>> Quantile(alpha=0.9, scale=2.0).gradient_hessian(np.zeros(2), np.array([2.0, -2.0]))
    (array([ 0.1, -0.9]), array([0.125, 0.125]))
    """

    alpha: float = 0.5
    scale: float | None = None
    name = "quantile"
    hessian_is_exact = False

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the pinball loss."""
        r = raw - y
        result: Floats = (np.abs(r) + (1 - 2 * self.alpha) * r) / 2
        return result


@dataclass
class Huber(ScaledLoss):
    """Huber's loss: squared error for small residuals, absolute error for large ones.

    l = r^2 / 2 where abs(r) <= s, s abs(r) - s^2 / 2 beyond, with r = raw - y;
    g = r min(1, s / abs(r)), h = min(1, s / abs(r)).

    h is a surrogate, that of the parabola which touches the loss at r and lies above it (the
    second derivative is 0 beyond s). The prediction is the raw score, the neutral start 0; any
    finite target is allowed. Robust to outliers.

    Parameters
    ----------
    scale : float, optional
        The residual beyond which the loss is linear; by default 1.35 standard deviations,
        estimated from the spread of the targets in the warm-up.

    Examples
    --------
    >>> Huber(scale=1.0).gradient_hessian(np.zeros(2), np.array([0.5, 4.0]))
    (array([0.5, 1. ]), array([1.  , 0.25]))
    """

    scale: float | None = None
    name = "huber"
    hessian_is_exact = False

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return Huber's loss."""
        s, r = self.unit, np.abs(raw - y)
        result: Floats = np.where(r <= s, r**2 / 2, s * r - s**2 / 2)
        return result


@dataclass
class LogCosh(ScaledLoss):
    """Logarithm of the hyperbolic cosine: a smooth version of Huber's loss.

    l = s^2 log cosh(z), g = s tanh(z), h = tanh(z) / z, with z = (raw - y) / s.

    h is a surrogate, that of the parabola which touches the loss at r and lies above it (the
    second derivative, 1 - tanh(z)^2, vanishes for large z). The prediction is the raw score, the
    neutral start 0; any finite target is allowed. Robust to outliers.

    Parameters
    ----------
    scale : float, optional
        s; by default the standard deviation, estimated from the spread of the targets in the
        warm-up.

    Examples
    --------
    >>> LogCosh(scale=1.0).gradient_hessian(np.zeros(1), np.zeros(1))
    (array([0.]), array([1.]))
    """

    scale: float | None = None
    name = "log_cosh"
    hessian_is_exact = False

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return s^2 log cosh(r / s)."""
        z = np.abs(raw - y) / self.unit
        result: Floats = self.unit**2 * (z + np.log1p(np.exp(-2 * z)) - np.log(2))
        return result


def _smooth_absolute(r: Floats, s: float) -> Floats:
    result: Floats = np.where(np.abs(r) > s, np.abs(r), (r**2 / s + s) / 2)
    return result


RESIDUAL_LOSSES: tuple[type[BuiltInLoss], ...] = (
    SquaredError,
    AbsoluteError,
    Huber,
    LogCosh,
    Quantile,
)
