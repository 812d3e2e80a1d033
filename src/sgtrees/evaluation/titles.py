"""What metrics are called where people read them."""

_TITLES = {
    "kappa_temporal": "temporal kappa",
    "auc": "area under the curve",
    "mae": "mean absolute error",
    "rmse": "root mean squared error",
    "r2": "R\u00b2",
}


def title_of(metric: str) -> str:
    """Return what a metric is called in a sentence.

    Examples
    --------
    >>> title_of("mae"), title_of("log_loss")
    ('mean absolute error', 'log loss')
    """
    return _TITLES.get(metric, metric.replace("_", " "))
