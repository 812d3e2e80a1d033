"""Statistics of targets from which losses take their scales and starts."""

import numpy as np
from numpy.typing import ArrayLike

from sgtrees import _core
from sgtrees.losses.derivatives import Floats


def spread(y: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Return the weighted mean distance of targets from their median; 1 if all are the same.

    Parameters
    ----------
    y, weight : array of shape (n,)
        Targets, at least one, and their weights, all above 0 (by default 1).

    Returns
    -------
    float
        The spread, in the targets' unit: a measure of scale that is robust to outliers.

    Examples
    --------
    >>> from sgtrees import losses
    >>> losses.spread([1.0, 2.0, 6.0])
    1.6666666666666667
    """
    return _core.spread(*_targets(y, weight))


def weighted_quantile(y: ArrayLike, weight: ArrayLike | None = None, alpha: float = 0.5) -> float:
    """Return the lowest target at or below which a share alpha of the weight lies.

    Parameters
    ----------
    y, weight : array of shape (n,)
        As in `spread`.
    alpha : float, default=0.5
        Which quantile; the median by default.

    Returns
    -------
    float
        One of the targets.

    Examples
    --------
    >>> from sgtrees import losses
    >>> losses.weighted_quantile([1.0, 2.0, 6.0], [1.0, 1.0, 5.0])
    6.0
    """
    return _core.weighted_quantile(*_targets(y, weight), alpha)


def _targets(y: ArrayLike, weight: ArrayLike | None) -> tuple[Floats, Floats]:
    targets = np.ascontiguousarray(y, dtype=np.float64)
    weights = np.ones_like(targets) if weight is None else weight
    return targets, np.ascontiguousarray(weights, dtype=np.float64)
