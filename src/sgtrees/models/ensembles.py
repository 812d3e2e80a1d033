"""What ensembles of trees cannot be combined with."""

from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BuiltInLoss


def check_ensemble(loss: Loss) -> None:
    """Refuse a loss by which the members of an ensemble cannot learn.

    Parameters
    ----------
    loss : Loss
        The loss.

    Raises
    ------
    ValueError
        If the loss is written in Python.

    Examples
    --------
    >>> from sgtrees.losses import Quantile
    >>> check_ensemble(Quantile(alpha=0.9))
    """
    if not isinstance(loss, BuiltInLoss):
        raise ValueError(
            f"ensembles of trees learn by the built-in losses, got {loss!r}: their members take "
            "every row one after the other, and a loss in Python computes many rows at once; "
            "SGTClassifier and SGTRegressor, with one tree, take any loss"
        )
