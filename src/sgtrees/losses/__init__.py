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

from sgtrees.losses.asking import AskedLoss, LearnedBlock, ask
from sgtrees.losses.autodiff import from_function
from sgtrees.losses.base import Loss, LossError, accepts_any_target, require
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
from sgtrees.losses.checking import Report, check, try_loss
from sgtrees.losses.links import Link, read_link
from sgtrees.losses.own import from_derivatives, read_loss

__all__ = [
    "AbsoluteError",
    "AskedLoss",
    "Exponential",
    "Focal",
    "Gamma",
    "Huber",
    "LearnedBlock",
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
    "accepts_any_target",
    "ask",
    "check",
    "from_derivatives",
    "from_function",
    "read_link",
    "read_loss",
    "require",
    "try_loss",
]
