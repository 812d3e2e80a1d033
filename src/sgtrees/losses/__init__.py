"""Losses: what a tree minimises, built-in or custom.

A custom loss takes five lines. Here predictions that are too low cost three times as much as those
that are too high:

>>> import numpy as np
>>> from sgtrees import SGTRegressor, losses
>>> def asymmetric(y, raw):
...     cost = np.where(raw < y, 3.0, 1.0)
...     return cost * (raw - y), cost
>>> losses.check(asymmetric).ok
True
>>> model = SGTRegressor(loss=asymmetric).fit([[0.0], [1.0]] * 500, [0.0, 4.0] * 500)
"""

from sgtrees.losses.autodiff import from_function
from sgtrees.losses.base import Loss, require
from sgtrees.losses.built_in.binary import Exponential, Focal, LogLoss
from sgtrees.losses.built_in.log_link import Gamma, Poisson, Tweedie
from sgtrees.losses.built_in.residual import (
    AbsoluteError,
    Huber,
    LogCosh,
    Quantile,
    SquaredError,
)
from sgtrees.losses.custom import from_derivatives
from sgtrees.losses.derivative_check import Report, check
from sgtrees.losses.errors import LossError
from sgtrees.losses.links import Link
from sgtrees.losses.target_statistics import spread, weighted_quantile

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
