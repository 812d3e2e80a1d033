"""Losses given as a function that returns their derivatives."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sgtrees.losses.base import Loss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.links import Link, LinkFunction

DerivativesFunction: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Floats]]


@dataclass(eq=False, repr=False)
class FromDerivatives(Loss):
    """The loss that `from_derivatives` returns."""

    function: DerivativesFunction
    link: Link | LinkFunction | str = "identity"
    hessian_is_exact: bool = True
    is_joint: bool = False

    def gradient_hessian(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return what the function returns."""
        return self.function(y, raw)

    def __repr__(self) -> str:
        return f"from_derivatives({getattr(self.function, '__name__', self.function)})"


def from_derivatives(
    gradient_hessian: DerivativesFunction,
    *,
    link: Link | LinkFunction | str = "identity",
    hessian_is_exact: bool = True,
    joint: bool = False,
) -> Loss:
    """Make a loss from a function that returns its derivatives.

    An estimator's ``loss=function`` does the same, with the link "identity" in a regressor and
    "logistic" in a classifier.

    Parameters
    ----------
    gradient_hessian : callable
        ``(y, raw) -> (g, h)``, for arrays of any length; see `Loss.gradient_hessian`. A model is
        pickled with the function's name, so for that it must be defined at the top of a module.
    link : {"identity", "exp", "logistic"} or callable, default="identity"
        From an array of raw scores to predictions.
    hessian_is_exact : bool, default=True
        False if h is a surrogate, not the second derivative.
    joint : bool, default=False
        Whether the function takes all outputs of a row at once, if there are several: arrays of
        shape (n, n_outputs). Otherwise it is called for each output separately.

    Returns
    -------
    Loss
        The loss.

    Examples
    --------
    Being too low costs three times as much as being too high:

    >>> import numpy as np
    >>> from sgtrees import SGTRegressor, losses
    >>> def asymmetric(y, raw):
    ...     cost = np.where(raw < y, 3.0, 1.0)
    ...     return cost * (raw - y), cost
    >>> losses.check(losses.from_derivatives(asymmetric)).ok
    True
    >>> SGTRegressor(loss=asymmetric).partial_fit([[1.0], [2.0]], [0.0, 4.0]).predict([[1.5]])
    array([3.])
    """
    return FromDerivatives(gradient_hessian, link, hessian_is_exact, joint)
