"""The interface of a loss: derivatives, a link, a domain, a best constant and a scale."""

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.losses.best_constant import best_constant, best_constants
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.errors import LossError
from sgtrees.losses.links import Link, LinkFunction


class Loss:
    """A loss l(y, raw), which a tree minimises.

    For a custom loss write a subclass. Only `gradient_hessian` is required; the rest has defaults.

    A loss is one of a single output. If there are several, it is called for each separately,
    and each has its own start and scale. Only a joint loss (``is_joint``) sees all outputs of a
    row at once: its arrays have the shape (n, n_outputs) where (n,) is written below.

    Attributes
    ----------
    link : {"identity", "exp", "logistic"}, or callable, default="identity"
        From raw scores to predictions: a name, or a method that takes an array of raw scores. In
        a classifier it must give the probability of class 1.
    hessian_is_exact : bool, default=True
        Whether h is the second derivative of the loss. False: it is a surrogate, any h >= 0 that
        gives good Newton steps, as for losses whose second derivative vanishes or is negative.
    is_joint : bool, default=False
        Whether the loss of a row depends on all its outputs together. Then y, raw, g and h have
        the shape (n, n_outputs), and h is the diagonal of the hessian.
    scale_ : float, default=1.0
        What `find_scale` returned at the end of the warm-up, for use in `gradient_hessian`.

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
    is_joint: bool = False
    scale_: Any = 1.0

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
            Computed for each row separately, from its y and raw only: rows come in blocks of any
            size, and a row may be evaluated several times. The hessians must not be negative.
        """
        raise NotImplementedError(f"{type(self).__name__} must define gradient_hessian(y, raw)")

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the loss of each row. Optional: `losses.check` compares the gradient with it.

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
        """Raise ValueError if a target is outside the loss's domain, naming the first.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Targets, all of them finite. See `losses.require`.
        """

    def start(self, y: Floats, weight: Floats) -> Any:
        """Return the best constant: the raw score that minimises the loss of all targets.

        By default the root of the summed gradient, by Newton's method from the mean, with steps
        halved if they are too long.

        Parameters
        ----------
        y, weight : ndarray of shape (n,)
            Targets and their weights, all above 0; at least one.

        Returns
        -------
        float, or ndarray of shape (n_outputs,) for a joint loss
            The best constant.
        """
        return (best_constants if self.is_joint else best_constant)(self, y, weight)

    def find_scale(self, y: Floats, weight: Floats) -> Any:  # noqa: ARG002 - for subclasses
        """Return the scale of these targets, for a loss that depends on one.

        It is called with the targets of the warm-up when that ends, becomes ``scale_``, and is
        saved with the model. (During the warm-up `start` uses the scale of the rows so far.)

        Parameters
        ----------
        y, weight : ndarray of shape (n,)
            Targets and their weights, all above 0; at least one. See `losses.spread`.

        Returns
        -------
        float or None
            The scale, above 0 (for a joint loss also an array, one for each output); None (the
            default) for a loss without one.

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
    """Return a loss with the scale that it finds in targets; the loss itself if it has none.

    Examples
    --------
    >>> from sgtrees.losses import AbsoluteError
    >>> scaled(AbsoluteError(), np.array([1.0, 2.0, 7.0]), np.ones(3)).scale_
    0.2
    """
    scale = loss.find_scale(y, weight)
    if scale is None:
        return loss
    return with_scale(loss, _read_scale(scale, y))


def with_scale(loss: Loss, scale: Any) -> Loss:
    """Return a copy of a loss that has this scale."""
    twin = copy.copy(loss)
    twin.scale_ = scale
    return twin


def _read_scale(scale: Any, y: Floats) -> Any:
    """Check a scale: a number, or one for each output if there are several."""
    numbers = np.asarray(scale)
    right = numbers.dtype.kind in "fiu" and numbers.shape in ((), y.shape[1:])
    if not (right and (numbers > 0).all() and np.isfinite(numbers).all()):
        raise LossError(
            f"the loss's find_scale gave {scale!r} for {len(y)} targets; a scale is a finite "
            "number above 0, or None for a loss without one"
        )
    return float(numbers) if y.ndim == 1 else np.broadcast_to(numbers, y.shape[1:]).astype(float)


def in_shape_of(loss: Loss, values: Floats) -> Floats:
    """Return targets or raw scores in the shape that a loss takes: columns for a joint loss.

    Examples
    --------
    >>> in_shape_of(Loss(), np.zeros(5)).shape
    (5,)
    """
    return values.reshape(len(values), -1) if loss.is_joint else values


def has_scale(loss: Loss) -> bool:
    """Whether a loss defines `Loss.find_scale`."""
    return type(loss).find_scale is not Loss.find_scale


def require(valid: NDArray[np.bool_], y: Floats, what: str) -> None:
    """Raise ValueError unless all targets are valid, naming the first that is not.

    Parameters
    ----------
    valid : ndarray of bool
        Whether each target is valid.
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
    if not valid.all():
        row, *output = np.unravel_index(valid.argmin(), valid.shape)
        where = f"row {row}" + (f", column {output[0]}" if output else "")
        raise ValueError(f"y is {y[row, *output]} in {where}; targets of this loss {what}")


def has_value(loss: Loss) -> bool:
    """Whether a loss defines `Loss.value`."""
    return type(loss).value is not Loss.value
