"""The loss that models minimise: its name, its quantile, and the metric that measures it."""

from collections.abc import Mapping
from typing import Any

from sgtrees.losses import Quantile

_METRICS = {"squared_error": "rmse", "absolute_error": "mae", "quantile": "pinball"}


def loss_name(loss: Any) -> str:
    """Return the name of a loss, which may be a name itself; empty for no loss.

    Examples
    --------
    >>> loss_name("huber"), loss_name(Quantile(alpha=0.9)), loss_name(None)
    ('huber', 'quantile', '')
    """
    return loss if isinstance(loss, str) else str(getattr(loss, "name", ""))


def quantile_of(loss: Any) -> float | None:
    """Return which quantile a loss is for; None for another loss.

    Examples
    --------
    >>> quantile_of(Quantile(alpha=0.9)), quantile_of("quantile"), quantile_of("squared_error")
    (0.9, 0.5, None)
    """
    if isinstance(loss, Quantile):
        return float(loss.alpha)
    return Quantile().alpha if loss_name(loss) == Quantile.name else None


def metric_of(loss: Any) -> str | None:
    """Return the name of the metric that a loss minimises; None if there is none.

    Examples
    --------
    >>> metric_of("squared_error"), metric_of("absolute_error"), metric_of(None)
    ('rmse', 'mae', None)
    """
    return _METRICS.get(loss_name(loss))


def common_loss(models: Mapping[str, Any]) -> Any:
    """Return the loss of models if all that name one name the same; otherwise None.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> models = {"low": SGTRegressor(loss=Quantile(0.1)), "high": SGTRegressor(loss=Quantile(0.9))}
    >>> common_loss(models) is None, common_loss({"tree": SGTRegressor(), "other": object()})
    (True, 'squared_error')
    """
    losses = [getattr(model, "loss", None) for model in models.values()]
    named = [loss for loss in losses if loss_name(loss)]
    kinds = {(loss_name(loss), quantile_of(loss)) for loss in named}
    return named[0] if len(kinds) == 1 else None
