"""Losses: what a tree is to make small, built-in ones and those of one's own.

Five lines make a loss of one's own. Here being late costs three times as much as being early:

>>> import numpy as np
>>> from sgtrees import SGTRegressor, losses
>>> def lopsided(y, raw):
...     cost = np.where(raw < y, 3.0, 1.0)
...     return cost * (raw - y), cost
>>> losses.check(lopsided).ok
True
>>> model = SGTRegressor(loss=lopsided).fit([[0.0], [1.0]] * 500, [0.0, 4.0] * 500)
"""

from sgtrees.losses.answers import LossError
from sgtrees.losses.autodiff import from_function
from sgtrees.losses.base import Loss, require
from sgtrees.losses.built_in import (
    AbsoluteError,
    Exponential,
    Focal,
    Gamma,
    Huber,
    LogCosh,
    LogLoss,
    Poisson,
    Quantile,
    SquaredError,
    Tweedie,
)
from sgtrees.losses.checking import Report, check
from sgtrees.losses.links import Link
from sgtrees.losses.own import from_derivatives
from sgtrees.losses.spreads import spread, weighted_quantile

__all__ = [
    "AbsoluteError",
    "Exponential",
    "Focal",
    "Gamma",
    "Huber",
    "Link",
    "LogCosh",
    "LogLoss",
    "Loss",
    "LossError",
    "Poisson",
    "Quantile",
    "Report",
    "SquaredError",
    "Tweedie",
    "check",
    "from_derivatives",
    "from_function",
    "require",
    "spread",
    "weighted_quantile",
]
