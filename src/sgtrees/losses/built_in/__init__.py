"""The built-in losses by name, in the families of the core."""

from typing import TypeGuard

from sgtrees.losses.base import Loss
from sgtrees.losses.built_in.base import BuiltInLoss
from sgtrees.losses.built_in.binary import BINARY_LOSSES
from sgtrees.losses.built_in.log_link import LOG_LINK_LOSSES
from sgtrees.losses.built_in.residual import RESIDUAL_LOSSES

__all__ = ["BY_NAME", "BuiltInLoss", "is_built_in"]

BY_NAME = {loss.name: loss for loss in (*RESIDUAL_LOSSES, *LOG_LINK_LOSSES, *BINARY_LOSSES)}


def is_built_in(loss: Loss) -> TypeGuard[BuiltInLoss]:
    """Whether the core computes a loss. Not so for subclasses, which may have changed anything.

    Examples
    --------
    >>> is_built_in(BY_NAME["huber"]()), is_built_in(Loss())
    (True, False)
    """
    return type(loss) in BY_NAME.values()
