"""The built-in losses; the core computes their derivatives, best constants and scales."""

from dataclasses import dataclass, fields
from math import inf, nextafter
from typing import Any, ClassVar, Self

import numpy as np

from sgtrees import _core
from sgtrees.losses.answers import Floats
from sgtrees.losses.base import Loss, require
from sgtrees.losses.links import EXP, LOGISTIC, TWICE_LOGISTIC


class BuiltInLoss(Loss):
    """A loss that the core knows by its name."""

    name: ClassVar[str]
    is_for_classes: ClassVar[bool] = False
    # Every finite number above this one is in the domain.
    domain_above: ClassVar[float] = -inf

    def core_loss(self) -> _core.Loss:
        """Return the core's loss; ValueError where a parameter is out of range."""
        given = {name: value for name, value in self.get_params().items() if value is not None}
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise TypeError(f"loss {self!r}: {name} must be a number")
        return _core.Loss.built_in(self.name, {name: float(v) for name, v in given.items()})

    def gradient_hessian(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return the derivatives, as the core computes them."""
        y, raw = (np.ascontiguousarray(a, dtype=np.float64) for a in (y, raw))
        # A scale that was found is one of this instance; without one the core knows what to do.
        return self.core_loss().derivatives(y, raw, vars(self).get("scale_", 0.0))

    def find_scale(self, y: Floats, weight: Floats) -> float | None:
        """Return the scale that the core takes from a warm-up with these targets."""
        y, weight = (np.ascontiguousarray(a, dtype=np.float64) for a in (y, weight))
        return self.core_loss().find_scale(y, weight) or None

    def start(self, y: Floats, weight: Floats) -> float:
        """Return the best constant, as the core finds it over a warm-up with these targets."""
        y, weight = (np.ascontiguousarray(a, dtype=np.float64) for a in (y, weight))
        return self.core_loss().best_constant(y, weight)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's
        """Return the loss's parameters, by which scikit-learn clones and varies it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; a model that has started keeps those it started with."""
        for name, value in parameters.items():
            if name not in self.get_params():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}")
            setattr(self, name, value)
        return self


# --------------------------------------------------------------------------------------------------
# Losses of the residual r = raw - y
# --------------------------------------------------------------------------------------------------


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


# --------------------------------------------------------------------------------------------------
# Losses under a logarithmic link: the prediction is exp(raw), always above 0
# --------------------------------------------------------------------------------------------------


@dataclass
class Poisson(BuiltInLoss):
    """Poisson deviance, for counts and frequencies; predicts their mean.

    l = exp(raw) - y raw (half the deviance, up to a term without raw), g = exp(raw) - y. A
    surrogate stands for the hessian, h = (exp(raw) + y) / 2, with which a step never passes the
    best one; with the true one, exp(raw), a step from a low mean to a high one is far too long.

    The prediction is exp(raw), so it is above 0; the neutral start is 0 (a prediction of 1), the
    best constant the logarithm of the mean. Targets must not be negative. For frequencies give
    the exposure as weight.

    Examples
    --------
    >>> Poisson().gradient_hessian(np.array([3.0]), np.array([0.0]))
    (array([-2.]), array([2.]))
    """

    name = "poisson"
    hessian_is_exact = False
    link = EXP
    domain_above = nextafter(0.0, -1.0)

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return exp(raw) - y raw."""
        result: Floats = np.exp(raw) - y * raw
        return result

    def check_y(self, y: Floats) -> None:
        """Refuse negative targets."""
        require(y >= 0, y, "must not be negative")


@dataclass
class Gamma(BuiltInLoss):
    """Gamma deviance, for positive amounts whose spread grows with their mean.

    l = raw + y exp(-raw) (half the deviance, up to a term without raw), g = 1 - y exp(-raw). A
    surrogate stands for the hessian, h = (1 + y exp(-raw)) / 2, with which a step never passes the
    best one.

    The prediction is exp(raw), so it is above 0; the neutral start is 0 (a prediction of 1), the
    best constant the logarithm of the mean. Targets must be above 0. Useful for claim sizes,
    prices and durations, where errors count in per cent.

    Examples
    --------
    >>> Gamma().gradient_hessian(np.array([3.0]), np.array([0.0]))
    (array([-2.]), array([2.]))
    """

    name = "gamma"
    hessian_is_exact = False
    link = EXP
    domain_above = 0.0

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return raw + y exp(-raw)."""
        result: Floats = raw + y * np.exp(-raw)
        return result

    def check_y(self, y: Floats) -> None:
        """Refuse targets that are not above 0."""
        require(y > 0, y, "must be above 0")


@dataclass
class Tweedie(BuiltInLoss):
    """Tweedie deviance, for amounts that are often exactly 0 and otherwise positive.

    With p = power, l = exp((2 - p) raw) / (2 - p) - y exp((1 - p) raw) / (1 - p) (half the
    deviance, up to a term without raw), g = exp((2 - p) raw) - y exp((1 - p) raw). A surrogate
    stands for the hessian, half the sum of these two terms, with which a step never passes the
    best one.

    The prediction is exp(raw), so it is above 0; the neutral start is 0 (a prediction of 1), the
    best constant the logarithm of the mean. Targets must not be negative. Useful for the cost of
    insurance claims per year, or rainfall.

    Parameters
    ----------
    power : float, default=1.5
        Between 1 (Poisson) and 2 (gamma), both excluded.

    Examples
    --------
    >>> Tweedie().gradient_hessian(np.array([0.0]), np.array([0.0]))
    (array([1.]), array([0.5]))
    """

    power: float = 1.5
    name = "tweedie"
    hessian_is_exact = False
    link = EXP
    domain_above = nextafter(0.0, -1.0)

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the loss as above."""
        a, b = 2 - self.power, 1 - self.power
        result: Floats = np.exp(a * raw) / a - y * np.exp(b * raw) / b
        return result

    def check_y(self, y: Floats) -> None:
        """Refuse negative targets."""
        require(y >= 0, y, "must not be negative")


# --------------------------------------------------------------------------------------------------
# Losses of two classes, y = 0 or 1; p is the probability of the true class, q = 1 - p
# --------------------------------------------------------------------------------------------------


class BuiltInClassLoss(BuiltInLoss):
    """A built-in loss of two classes."""

    is_for_classes = True
    link = LOGISTIC
    domain_above = inf

    def check_y(self, y: Floats) -> None:
        """Refuse targets other than 0 and 1."""
        require((y == 0) | (y == 1), y, "must be 0 or 1")


@dataclass
class LogLoss(BuiltInClassLoss):
    """Log loss (cross entropy), which predicts probabilities.

    l = -log p, g = probability of class 1 - y, h = p q.

    The probability of class 1 is 1 / (1 + exp(-raw)), the neutral start 0 (a probability of one
    half), the best constant the logarithm of the odds. The loss to begin with, and the only one
    that takes more than two classes (softmax; see ``multiclass``).

    Examples
    --------
    >>> LogLoss().gradient_hessian(np.array([1.0]), np.array([0.0]))
    (array([-0.5]), array([0.25]))
    """

    name = "log_loss"

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return -log p."""
        return -_log_p(_margin(y, raw))


@dataclass
class Focal(BuiltInClassLoss):
    """Focal loss: log loss in which rows that are right already count little.

    l = -q^gamma log p, g = s q^gamma (gamma p log p - q) with s = 1 for class 1 and -1 for
    class 0, h = q^gamma p (q (1 + 2 gamma) - gamma^2 p log p).

    h is a surrogate: the second derivative without its negative term, so it lies above it. The
    probability of class 1 is taken to be 1 / (1 + exp(-raw)), the neutral start is 0. Useful where
    one class is rare and the other is easy; its probabilities lie closer to one half than the
    frequencies do.

    Parameters
    ----------
    gamma : float, default=2.0
        How much rows that are right are held back; with 0 it is the log loss.

    Examples
    --------
    >>> g, h = Focal(gamma=0.0).gradient_hessian(np.array([1.0]), np.array([0.0]))
    >>> g, h
    (array([-0.5]), array([0.25]))
    """

    gamma: float = 2.0
    name = "focal"
    hessian_is_exact = False

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return -q^gamma log p."""
        margin = _margin(y, raw)
        result: Floats = -(LOGISTIC(-margin) ** self.gamma) * _log_p(margin)
        return result


@dataclass
class Exponential(BuiltInClassLoss):
    """Exponential loss, AdaBoost's.

    l = exp(-s raw), g = -s l, h = l, with s = 1 for class 1 and -1 for class 0.

    The probability of class 1 is 1 / (1 + exp(-2 raw)), the neutral start 0 (a probability of one
    half), the best constant half the logarithm of the odds. It drives at rows that are wrong
    harder than the log loss does, which pays where labels are clean and hurts where they are not.

    Examples
    --------
    >>> Exponential().gradient_hessian(np.array([1.0]), np.array([0.0]))
    (array([-1.]), array([1.]))
    """

    name = "exponential"
    link = TWICE_LOGISTIC

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return exp(-s raw)."""
        result: Floats = np.exp(-_margin(y, raw))
        return result


def _margin(y: Floats, raw: Floats) -> Floats:
    result: Floats = np.where(y > 0.5, raw, -raw)
    return result


def _log_p(margin: Floats) -> Floats:
    result: Floats = np.minimum(margin, 0.0) - np.log1p(np.exp(-np.abs(margin)))
    return result


BY_NAME: dict[str, type[BuiltInLoss]] = {
    loss.name: loss
    for loss in (
        SquaredError,
        AbsoluteError,
        Huber,
        LogCosh,
        Quantile,
        Poisson,
        Gamma,
        Tweedie,
        LogLoss,
        Focal,
        Exponential,
    )
}
