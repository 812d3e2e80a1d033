"""The best constant of a loss, found from its derivatives."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sgtrees.losses.derivatives import Floats, read_derivatives
from sgtrees.losses.links import EXP, IDENTITY, LOGISTIC, Link, read_link

if TYPE_CHECKING:
    from sgtrees.losses.base import Loss

# Slope and curvature of the summed loss at a constant.
Slope: TypeAlias = Callable[[float], tuple[float, float]]

# Newton's method needs a handful of steps; a surrogate hessian may make it slower.
_MOST_STEPS = 100
_PRECISION = 1e-12
# The least mean curvature of a row, for the steps of a joint loss.
_LEAST_CURVATURE = 1e-9


def best_constant(loss: "Loss", y: Floats, weight: Floats) -> float:
    """Find the root of the summed gradient: Newton's method between the bounds found so far.

    Parameters
    ----------
    loss : Loss
        A loss of one output.
    y, weight : ndarray of shape (n,)
        Targets and their weights.

    Examples
    --------
    >>> from sgtrees.losses import Poisson
    >>> round(float(np.exp(best_constant(Poisson(), np.array([1.0, 4.0]), np.ones(2)))), 9)
    2.5
    """

    def slope(constant: float) -> tuple[float, float]:
        g, h = read_derivatives(loss.gradient_hessian(y, np.full(len(y), constant)), y.shape)
        return float(np.dot(weight, g)), float(np.dot(weight, h))

    return _root(slope, _first_guess(read_link(loss.link), float(np.average(y, weights=weight))))


def best_constants(loss: "Loss", y: Floats, weight: Floats) -> Floats:
    """Find the best constants of a joint loss: Newton steps of all outputs, damped together.

    A step of outputs that depend on each other may be too long. It is taken only if it makes
    the slopes smaller (in units of the curvatures), and is halved otherwise.

    Parameters
    ----------
    loss : Loss
        A joint loss.
    y : ndarray of shape (n, n_outputs)
        Targets.
    weight : ndarray of shape (n,)
        Their weights.

    Examples
    --------
    >>> from sgtrees import losses
    >>> def distance(y, raw):
    ...     r = raw - y
    ...     d = np.sqrt(1.0 + (r**2).sum(axis=1, keepdims=True))
    ...     return r / d, (d**2 - r**2) / d**3
    >>> loss = losses.from_derivatives(distance, joint=True)
    >>> best_constants(loss, np.array([[0.0, 1.0], [4.0, 1.0]]), np.ones(2)).round(6)
    array([2., 1.])
    """

    def slopes(constants: Floats) -> tuple[Floats, Floats]:
        raw = np.tile(constants, (len(y), 1))
        with np.errstate(all="ignore"):
            g, h = read_derivatives(loss.gradient_hessian(y, raw), y.shape)
            return weight @ g, np.maximum(weight @ h, _LEAST_CURVATURE * weight.sum())

    link = read_link(loss.link)
    constants = np.array([_first_guess(link, mean) for mean in np.average(y, 0, weight)])
    slope, curvature = slopes(constants)
    if not _are_finite(slope, curvature):
        constants = np.zeros(y.shape[1])
        slope, curvature = slopes(constants)
    if not _are_finite(slope, curvature):
        return constants
    length = 1.0
    for _ in range(_MOST_STEPS):
        step = -length * slope / curvature
        if not (np.abs(step) > _PRECISION * np.maximum(1.0, np.abs(constants))).any():
            break
        new_slope, new_curvature = slopes(constants + step)
        if _are_finite(new_slope, new_curvature) and (
            (new_slope**2 / curvature).sum() < (slope**2 / curvature).sum()
        ):
            constants, slope, curvature = constants + step, new_slope, new_curvature
            length = min(1.0, 1.5 * length)
        else:
            length /= 2
    return constants


def _are_finite(slope: Floats, curvature: Floats) -> bool:
    return bool(np.isfinite(slope).all() and np.isfinite(curvature).all())


def _root(slope: Slope, constant: float) -> float:
    before, last_step = constant, math.inf
    low, high = -math.inf, math.inf
    for _ in range(_MOST_STEPS):
        with np.errstate(all="ignore"):
            down, curvature = slope(constant)
        if not (math.isfinite(down) and math.isfinite(curvature)):
            if constant == 0 == before:
                return 0.0
            # Half of the last step; if the first guess itself failed, 0.
            constant = (before + constant) / 2 if constant != before else 0.0
            before = constant if constant == 0 else before
            continue
        if down == 0:
            return constant
        low, high = (low, constant) if down > 0 else (constant, high)
        step = -down / curvature if curvature > 0 else -math.copysign(1.0, down)
        if math.isfinite(high - low) and not (
            low < constant + step < high and abs(step) <= abs(last_step) / 2
        ):
            step = (low + high) / 2 - constant  # the Newton step leaves the bounds, or is slow
        before, constant, last_step = constant, constant + step, step
        if abs(step) <= _PRECISION * max(1.0, abs(constant)):
            break
    return constant


def _first_guess(link: Link, mean: float) -> float:
    """Return the raw score whose prediction is the mean, if there is one."""
    if link is EXP and mean > 0:
        return math.log(mean)
    if link is LOGISTIC and 0 < mean < 1:
        return math.log(mean / (1 - mean))
    return mean if link is IDENTITY else 0.0
