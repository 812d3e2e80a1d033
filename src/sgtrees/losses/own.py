"""Losses given to an estimator: by name, as a `Loss`, or as a function of one's own."""

from collections.abc import Callable
from typing import Any, TypeAlias

from sgtrees.losses.answers import Floats
from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BY_NAME, BuiltInLoss
from sgtrees.losses.links import Link, LinkFunction

DerivativesFunction: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Floats]]


class FromDerivatives(Loss):
    """The loss that `from_derivatives` returns."""

    def __init__(
        self,
        gradient_hessian: DerivativesFunction,
        link: Link | LinkFunction | str,
        hessian_is_exact: bool = True,
        is_joint: bool = False,
    ) -> None:
        self.function = gradient_hessian
        self.is_joint = is_joint
        self.link = link
        self.hessian_is_exact = hessian_is_exact

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
    """Make a loss of a function that returns its derivatives.

    An estimator's ``loss=function`` does the same, with the link "identity" in a regressor and
    "logistic" in a classifier.

    Parameters
    ----------
    gradient_hessian : callable
        ``(y, raw) -> (g, h)``, for arrays of any length; see `Loss.gradient_hessian`. A model is
        pickled with the function's name, so for that it must be defined at the top of a module.
    link : {"identity", "exp", "logistic"} or callable, default="identity"
        How a prediction is made of a raw score.
    hessian_is_exact : bool, default=True
        False where h is meant to be something else than the second derivative.
    joint : bool, default=False
        Whether the function takes all outputs of a row at once, where there are several: arrays of
        shape (n, n_outputs). Otherwise it is asked for each output by itself.

    Returns
    -------
    Loss
        The loss.

    Examples
    --------
    Being too low costs three times as much as being too high:

    >>> import numpy as np
    >>> from sgtrees import SGTRegressor, losses
    >>> def lopsided(y, raw):
    ...     cost = np.where(raw < y, 3.0, 1.0)
    ...     return cost * (raw - y), cost
    >>> losses.check(losses.from_derivatives(lopsided)).ok
    True
    >>> SGTRegressor(loss=lopsided).partial_fit([[1.0], [2.0]], [0.0, 4.0]).predict([[1.5]])
    array([3.])
    """
    return FromDerivatives(gradient_hessian, link, hessian_is_exact, joint)


def read_loss(loss: Any, *, for_classes: bool) -> Loss:
    """Return the loss that was given to an estimator.

    Parameters
    ----------
    loss : str, Loss or callable
        The parameter.
    for_classes : bool
        Whether the estimator is a classifier.

    Examples
    --------
    >>> read_loss("quantile", for_classes=False)
    Quantile(alpha=0.5, scale=None)
    """
    names = [name for name, known in BY_NAME.items() if known.is_for_classes is for_classes]
    if isinstance(loss, str) and loss in names:
        return BY_NAME[loss]()
    if isinstance(loss, Loss):
        if isinstance(loss, BuiltInLoss) and loss.is_for_classes is not for_classes:
            other = "SGTRegressor" if for_classes else "SGTClassifier"
            raise ValueError(f"loss={loss!r} is one for {other}; here it may be {_choices(names)}.")
        return loss
    if isinstance(loss, type) and issubclass(loss, Loss):
        raise TypeError(f"loss={loss.__name__} is a class; give a loss: loss={loss.__name__}().")
    if callable(loss):
        return FromDerivatives(loss, "logistic" if for_classes else "identity")
    raise ValueError(f"loss == {loss!r}, must be {_choices(names)}.")


def _choices(names: list[str]) -> str:
    return f"{', '.join(map(repr, names))}, a Loss, or a function (y, raw) -> (g, h)"
