"""What a loss is: derivatives with respect to the raw score, a link, a domain, a best constant."""

import copy
import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees.losses.links import EXP, IDENTITY, LOGISTIC, Link, LinkFunction, read_link

Floats: TypeAlias = NDArray[np.float64]

# Newton's method needs a handful of steps; a surrogate hessian may make it slower.
_MOST_STEPS = 100
_PRECISION = 1e-12


class LossError(RuntimeError):
    """A loss gave what is no gradient and hessian, or no start."""


class Loss:
    """A loss l(y, raw) of one output: what a tree is to make small.

    Write a subclass for a loss of your own. `gradient_hessian` is all that it must have; the rest
    has sensible defaults.

    Attributes
    ----------
    link : {"identity", "exp", "logistic"}, or callable, default="identity"
        How a prediction is made of a raw score: a name, or a method that takes an array of raw
        scores. In a classifier it must give the probability of class 1.
    hessian_is_exact : bool, default=True
        Whether h is the second derivative of the loss. False: it is a surrogate, any h >= 0 that
        makes good steps, as for losses whose second derivative vanishes or is negative.
    scale_ : float, default=1.0
        What `find_scale` found in the warm-up, for `gradient_hessian` to use.

    Examples
    --------
    Squared error of logarithms, for targets above 0; a prediction is exp(raw):

    >>> import numpy as np
    >>> from sgtrees import SGTRegressor, losses
    >>> class SquaredLogError(losses.Loss):
    ...     link = "exp"
    ...
    ...     def gradient_hessian(self, y, raw):
    ...         return raw - np.log(y), np.ones_like(raw)
    ...
    ...     def check_y(self, y):
    ...         losses.require(y > 0, y, "must be above 0")
    >>> losses.check(SquaredLogError(), y=[1.0, 2.0, 5.0]).ok
    True
    >>> model = SGTRegressor(loss=SquaredLogError()).partial_fit([[1.0], [2.0]], [1.0, 100.0])
    >>> round(model.predict_one({0: 1.5}), 9)
    10.0
    """

    link: Link | LinkFunction | str = "identity"
    hessian_is_exact: bool = True
    scale_: float = 1.0

    def gradient_hessian(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return the first and second derivative of the loss with respect to the raw score.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Targets; in a classifier 0 or 1.
        raw : ndarray of shape (n,)
            Raw scores, before the link.

        Returns
        -------
        g, h : ndarray of shape (n,)
            For each row by itself: rows come in blocks of any size, and the size must not matter.
            The hessians must not be negative.
        """
        raise NotImplementedError(f"{type(self).__name__} must define gradient_hessian(y, raw)")

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the loss of each row; needed by nothing but `losses.check`, which uses it well.

        Parameters
        ----------
        y, raw : ndarray of shape (n,)
            Targets and raw scores.

        Returns
        -------
        ndarray of shape (n,)
            The losses.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define value(y, raw)")

    def check_y(self, y: Floats) -> None:
        """Refuse targets outside the loss's domain with a ValueError that names the first.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Targets, all of them finite. See `losses.require`.
        """

    def start(self, y: Floats, weight: Floats) -> float:
        """Return the raw score that would be best for all targets alike.

        Unless a subclass knows better, the root of the summed gradient, by Newton's method from the
        mean on, with halved steps where they lead too far.

        Parameters
        ----------
        y, weight : ndarray of shape (n,)
            Targets and their weights, all above 0; at least one.

        Returns
        -------
        float
            The best constant.
        """
        return best_constant(self, y, weight)

    def find_scale(self, y: Floats, weight: Floats) -> float | None:  # noqa: ARG002 - for subclasses
        """Return what is a small residual among these targets, for a loss that needs to know.

        It is called with the targets of the warm-up when that ends, becomes ``scale_``, and is
        saved with the model. (During the warm-up `start` sees the scale of the rows so far.)

        Parameters
        ----------
        y, weight : ndarray of shape (n,)
            Targets and their weights, all above 0; at least one. See `losses.spread`.

        Returns
        -------
        float or None
            The scale, above 0; None (the default) for a loss without one.

        Examples
        --------
        Absolute error, rounded off below a tenth of the targets' spread:

        >>> import numpy as np
        >>> from sgtrees import SGTRegressor, losses
        >>> class AbsoluteError(losses.Loss):
        ...     hessian_is_exact = False
        ...
        ...     def find_scale(self, y, weight):
        ...         return 0.1 * losses.spread(y, weight)
        ...
        ...     def gradient_hessian(self, y, raw):
        ...         h = 1 / np.maximum(np.abs(raw - y), self.scale_)
        ...         return h * (raw - y), h
        ...
        ...     def start(self, y, weight):
        ...         return losses.weighted_quantile(y, weight, 0.5)
        >>> model = SGTRegressor(loss=AbsoluteError(), warm_up=3)
        >>> model.partial_fit([[1.0]] * 3, [1.0, 2.0, 7.0]).loss_scale_
        0.2
        """
        return None

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def scaled(loss: Loss, y: Floats, weight: Floats) -> Loss:
    """Return a loss with the scale that it finds in targets; the loss itself where it has none.

    Examples
    --------
    >>> from sgtrees.losses import AbsoluteError
    >>> scaled(AbsoluteError(), np.array([1.0, 2.0, 7.0]), np.ones(3)).scale_
    0.2
    """
    scale: Any = loss.find_scale(y, weight)  # a user may return anything
    if scale is None:
        return loss
    if not (isinstance(scale, int | float | np.number) and 0 < scale < math.inf):
        raise LossError(
            f"the loss's find_scale gave {scale!r} for {len(y)} targets; a scale is a finite "
            "number above 0, or None for a loss without one"
        )
    of_targets = copy.copy(loss)
    of_targets.scale_ = float(scale)
    return of_targets


def has_scale(loss: Loss) -> bool:
    """Whether a loss defines `Loss.find_scale`."""
    return type(loss).find_scale is not Loss.find_scale


def require(right: NDArray[np.bool_], y: Floats, what: str) -> None:
    """Refuse targets unless all of them are right, naming the first that is not.

    Parameters
    ----------
    right : ndarray of bool
        Whether each target is right.
    y : ndarray
        The targets.
    what : str
        What a target must be, as the end of a sentence.

    Examples
    --------
    >>> y = np.array([2.0, -1.0])
    >>> require(y >= 0, y, "must not be negative")
    Traceback (most recent call last):
    ValueError: y is -1.0 in row 1; targets of this loss must not be negative
    """
    if not right.all():
        row = int(right.argmin())
        raise ValueError(f"y is {y[row]} in row {row}; targets of this loss {what}")


def has_value(loss: Loss) -> bool:
    """Whether a loss defines `Loss.value`."""
    return type(loss).value is not Loss.value


def read_pair(answer: Any, n_rows: int) -> tuple[Floats, Floats]:
    """Check the form of what a loss returned: a pair of arrays of a number for each row.

    Examples
    --------
    >>> read_pair((np.zeros(3), 1.0), 3)
    Traceback (most recent call last):
    sgtrees.losses.base.LossError: the hessian is a single number; one for each row is needed \
(np.full_like(raw, h))
    """
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        got = f"{len(answer)} values" if isinstance(answer, tuple | list) else type(answer).__name__
        raise LossError(f"a loss must return a pair: gradients and hessians; it returned {got}")
    g, h = answer
    return _read(g, "gradient", n_rows), _read(h, "hessian", n_rows)


def _read(values: Any, what: str, n_rows: int) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise LossError(f"the {what} is an array of {array.dtype}; floats are needed")
    if array.ndim == 0:
        raise LossError(
            f"the {what} is a single number; one for each row is needed (np.full_like(raw, "
            f"{what[0]}))"
        )
    if array.shape != (n_rows,):
        raise LossError(
            f"the {what} has the shape {array.shape} for {n_rows} rows; it must be ({n_rows},), "
            "one number for each row"
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def best_constant(loss: Loss, y: Floats, weight: Floats) -> float:
    """Find the root of the summed gradient: Newton's method between the bounds found so far.

    Examples
    --------
    >>> from sgtrees.losses import Poisson
    >>> round(float(np.exp(best_constant(Poisson(), np.array([1.0, 4.0]), np.ones(2)))), 9)
    2.5
    """
    constant = _first_guess(read_link(loss.link), float(np.average(y, weights=weight)))
    before, last_step = constant, math.inf
    low, high = -math.inf, math.inf
    for _ in range(_MOST_STEPS):
        with np.errstate(all="ignore"):
            g, h = read_pair(loss.gradient_hessian(y, np.full(len(y), constant)), len(y))
            slope, curvature = float(np.dot(weight, g)), float(np.dot(weight, h))
        if not (math.isfinite(slope) and math.isfinite(curvature)):
            if constant == 0 == before:
                return 0.0
            # Back half the way; from a first guess that is none, to 0.
            constant = (before + constant) / 2 if constant != before else 0.0
            before = constant if constant == 0 else before
            continue
        if slope == 0:
            return constant
        low, high = (low, constant) if slope > 0 else (constant, high)
        step = -slope / curvature if curvature > 0 else -math.copysign(1.0, slope)
        if math.isfinite(high - low) and not (
            low < constant + step < high and abs(step) <= abs(last_step) / 2
        ):
            step = (low + high) / 2 - constant  # Newton's leads out, or is slow
        before, constant, last_step = constant, constant + step, step
        if abs(step) <= _PRECISION * max(1.0, abs(constant)):
            break
    return constant


def _first_guess(link: Link, mean: float) -> float:
    """Return the raw score whose prediction is the mean, where there is one."""
    if link is EXP and mean > 0:
        return math.log(mean)
    if link is LOGISTIC and 0 < mean < 1:
        return math.log(mean / (1 - mean))
    return mean if link is IDENTITY else 0.0
