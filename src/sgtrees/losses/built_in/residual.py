"""Losses of the residual r = raw - y."""

from dataclasses import dataclass

import numpy as np

from sgtrees.losses.built_in.base import BuiltInLoss
from sgtrees.losses.derivatives import Floats


@dataclass
class SquaredError(BuiltInLoss):
    """Squared error, which predicts the mean.

    l = r^2 / 2, g = r, h = 1, with r = raw - y.

    The prediction is the raw score itself, the neutral start 0, the best constant the mean; any
    finite target will do. The loss to begin with; a few wild targets pull its predictions away.

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
    """A built-in loss that knows what is a small residual."""

    scale: float | None

    @property
    def unit(self) -> float:
        """The scale that was given, else the one that was found; 1 before that."""
        return self.scale_ if self.scale is None else self.scale


@dataclass
class AbsoluteError(ScaledLoss):
    """Absolute error, which predicts the median; rounded off below its scale s.

    l = abs(r) where abs(r) > s, (r^2 / s + s) / 2 below, with r = raw - y;
    g = r / max(abs(r), s), h = 1 / max(abs(r), s).

    h is a surrogate, since abs(r) has no second derivative: that of the parabola which touches
    the loss at r and lies above it, so that a step never overshoots ("reweighted squares").
    The prediction is the raw score itself, the neutral start 0, the best constant the median; any
    finite target will do. Useful where the mean absolute error counts, or targets are wild.

    Parameters
    ----------
    scale : float, optional
        Below which residual the loss is rounded off; by default a tenth of the spread of the
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
        """Return the rounded absolute error."""
        return _rounded_absolute(raw - y, self.unit)


@dataclass
class Quantile(ScaledLoss):
    """Quantile ("pinball") loss, which predicts a quantile; rounded off below its scale s.

    l = (a(r) + (1 - 2 alpha) r) / 2, with r = raw - y and a(r) the rounded abs(r) of
    `AbsoluteError`: alpha for each unit that a prediction is too low, 1 - alpha for each that it
    is too high;
    g = (r / max(abs(r), s) + 1 - 2 alpha) / 2, h = 1 / (2 max(abs(r), s)), a surrogate, as there.

    The prediction is the raw score itself, the neutral start 0, the best constant the quantile;
    any finite target will do. Two of them, alpha=0.1 and alpha=0.9, make a band that holds four
    targets of five.

    Parameters
    ----------
    alpha : float, default=0.5
        Which quantile, between 0 and 1.
    scale : float, optional
        As in `AbsoluteError`.

    Examples
    --------
    >>> Quantile(alpha=0.9, scale=1.0).gradient_hessian(np.zeros(2), np.array([2.0, -2.0]))
    (array([ 0.1, -0.9]), array([0.25, 0.25]))
    """

    alpha: float = 0.5
    scale: float | None = None
    name = "quantile"
    hessian_is_exact = False

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the rounded pinball loss."""
        r = raw - y
        return (_rounded_absolute(r, self.unit) + (1 - 2 * self.alpha) * r) / 2


@dataclass
class Huber(ScaledLoss):
    """Huber's loss: squared error for small residuals, absolute error for large ones.

    l = r^2 / 2 where abs(r) <= s, s abs(r) - s^2 / 2 beyond, with r = raw - y;
    g = r min(1, s / abs(r)), h = min(1, s / abs(r)).

    h is a surrogate, that of the parabola which touches the loss at r and lies above it (the
    second derivative is 0 beyond s). The prediction is the raw score itself, the neutral start 0;
    any finite target will do. Useful where most targets are well-behaved and a few are wild.

    Parameters
    ----------
    scale : float, optional
        Where squares end; by default 1.35 standard deviations, estimated from the spread of the
        targets in the warm-up.

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
    """Logarithm of the hyperbolic cosine: Huber's loss without a corner.

    l = s^2 log cosh(z), g = s tanh(z), h = tanh(z) / z, with z = (raw - y) / s.

    h is a surrogate, that of the parabola which touches the loss at r and lies above it (the
    second derivative, 1 - tanh(z)^2, vanishes for large z). The prediction is the raw score
    itself, the neutral start 0; any finite target will do. Useful where Huber's loss is.

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


def _rounded_absolute(r: Floats, s: float) -> Floats:
    result: Floats = np.where(np.abs(r) > s, np.abs(r), (r**2 / s + s) / 2)
    return result


RESIDUAL_LOSSES: tuple[type[BuiltInLoss], ...] = (
    SquaredError,
    AbsoluteError,
    Huber,
    LogCosh,
    Quantile,
)
