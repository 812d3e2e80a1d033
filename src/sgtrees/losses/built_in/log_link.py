"""Losses under a logarithmic link: the prediction is exp(raw), always above 0."""

from dataclasses import dataclass
from math import nextafter

import numpy as np

from sgtrees.losses.base import require
from sgtrees.losses.built_in.base import BuiltInLoss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.links import EXP, HIGHEST_LOG_MEAN, LOWEST_LOG_MEAN
from sgtrees.targets.numbers import GREATEST_TARGET

# A positive target is not smaller than the reciprocal of the largest one.
LEAST_POSITIVE = 1.0 / GREATEST_TARGET


class LogLinkLoss(BuiltInLoss):
    """A built-in loss of targets that are not negative."""

    hessian_is_exact = False
    link = EXP
    domain_above = nextafter(0.0, -1.0)

    def check_y(self, y: Floats) -> None:
        """Refuse negative targets."""
        require(y >= 0, y, "must not be negative")


@dataclass
class Poisson(LogLinkLoss):
    """Poisson deviance, for counts and frequencies; predicts their mean.

    l = exp(raw) - y raw (half the deviance, up to a term without raw), g = exp(raw) - y. h is
    a surrogate, (exp(raw) + y) / 2, with which a step is never longer than the best one; with the
    second derivative, exp(raw), a step from a low mean to a high one is far too long.

    The prediction is exp(raw), so it is above 0; the neutral start is 0 (a prediction of 1), the
    best constant the logarithm of the mean. Targets must not be negative. For frequencies pass
    the exposure as sample_weight.

    Examples
    --------
    >>> Poisson().gradient_hessian(np.array([3.0]), np.array([0.0]))
    (array([-2.]), array([2.]))
    """

    name = "poisson"

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return exp(raw) - y raw."""
        result: Floats = _power(raw) - y * raw
        return result


@dataclass
class Gamma(LogLinkLoss):
    """Gamma deviance, for positive amounts whose spread grows with their mean.

    l = raw + y exp(-raw) (half the deviance, up to a term without raw), g = 1 - y exp(-raw). h
    is a surrogate, (1 + y exp(-raw)) / 2, with which a step is never longer than the best one.

    The prediction is exp(raw), so it is above 0; the neutral start is 0 (a prediction of 1), the
    best constant the logarithm of the mean. Targets must be above 0. Useful for claim sizes,
    prices and durations, where relative errors matter.

    Examples
    --------
    >>> Gamma().gradient_hessian(np.array([3.0]), np.array([0.0]))
    (array([-2.]), array([2.]))
    """

    name = "gamma"
    domain_above = nextafter(LEAST_POSITIVE, 0.0)

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return raw + y exp(-raw)."""
        result: Floats = raw + _ratio(y, raw)
        return result

    def check_y(self, y: Floats) -> None:
        """Refuse targets that are not above 0."""
        require(y > 0, y, "must be above 0")
        require(y >= LEAST_POSITIVE, y, f"must be at least {LEAST_POSITIVE:g}")


@dataclass
class Tweedie(LogLinkLoss):
    """Tweedie deviance, for amounts that are often exactly 0 and otherwise positive.

    With p = power, l = exp((2 - p) raw) / (2 - p) - y exp((1 - p) raw) / (1 - p) (half the
    deviance, up to a term without raw), g = exp((2 - p) raw) - y exp((1 - p) raw). h is a
    surrogate, half the sum of these two terms, with which a step is never longer than the best
    one.

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

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the loss as above."""
        a, b = 2 - self.power, self.power - 1
        result: Floats = _power(raw, a) / a + _ratio(y, raw, b) / b
        return result


def _power(raw: Floats, share: float = 1.0) -> Floats:
    """Return exp(share * raw), as large as the core lets it be."""
    result: Floats = np.exp(share * np.minimum(raw, HIGHEST_LOG_MEAN))
    return result


def _ratio(y: Floats, raw: Floats, share: float = 1.0) -> Floats:
    """Return y exp(-share * raw), as large as the core lets it be."""
    result: Floats = y * np.exp(-share * np.maximum(raw, LOWEST_LOG_MEAN))
    return result


LOG_LINK_LOSSES: tuple[type[BuiltInLoss], ...] = (Poisson, Gamma, Tweedie)
