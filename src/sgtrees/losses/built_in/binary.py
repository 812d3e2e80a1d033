"""Losses of two classes, y = 0 or 1; p is the probability of the true class, q = 1 - p."""

from dataclasses import dataclass
from math import inf

import numpy as np

from sgtrees.losses.base import require
from sgtrees.losses.built_in.base import BuiltInLoss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.links import LOGISTIC, TWICE_LOGISTIC


class BinaryLoss(BuiltInLoss):
    """A built-in loss of two classes."""

    is_for_classes = True
    link = LOGISTIC
    domain_above = inf

    def check_y(self, y: Floats) -> None:
        """Refuse targets other than 0 and 1."""
        require((y == 0) | (y == 1), y, "must be 0 or 1")


@dataclass
class LogLoss(BinaryLoss):
    """Log loss (cross entropy), which predicts probabilities.

    l = -log p, g = probability of class 1 - y, h = p q.

    The probability of class 1 is 1 / (1 + exp(-raw)), the neutral start 0 (a probability of one
    half), the best constant the logarithm of the odds. The usual choice for classification, and
    the only one for more than two classes (softmax; see ``multiclass``).

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
class Focal(BinaryLoss):
    """Focal loss: log loss with a low weight for rows that are already predicted well.

    l = -q^gamma log p, g = s q^gamma (gamma p log p - q) with s = 1 for class 1 and -1 for
    class 0, h = q^gamma p (q (1 + 2 gamma) - gamma^2 p log p).

    h is a surrogate: the second derivative without its negative term, so it lies above it. The
    probability of class 1 is taken to be 1 / (1 + exp(-raw)), the neutral start is 0. Useful where
    one class is rare and the other is easy; its probabilities are closer to one half than the
    frequencies are.

    Parameters
    ----------
    gamma : float, default=2.0
        How strongly rows that are predicted well are down-weighted; 0 gives the log loss.

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
class Exponential(BinaryLoss):
    """Exponential loss, AdaBoost's.

    l = exp(-s raw), g = -s l, h = l, with s = 1 for class 1 and -1 for class 0.

    The probability of class 1 is 1 / (1 + exp(-2 raw)), the neutral start 0 (a probability of one
    half), the best constant half the logarithm of the odds. It weighs misclassified rows more
    than the log loss does, which helps with clean labels and hurts with noisy ones.

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


BINARY_LOSSES: tuple[type[BuiltInLoss], ...] = (LogLoss, Focal, Exponential)
