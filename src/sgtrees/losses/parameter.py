"""The parameter ``loss`` of an estimator: a name, a `Loss`, or a function."""

from typing import Any

from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BY_NAME, BuiltInLoss
from sgtrees.losses.custom import FromDerivatives


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
