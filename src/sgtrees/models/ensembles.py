"""What ensembles of trees cannot be combined with."""

from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BuiltInLoss


def check_ensemble(loss: Loss, round_rows: int) -> None:
    """Raise ValueError for a loss by which the members of an ensemble cannot learn.

    That is one written in Python, if rows are learned one by one.

    Parameters
    ----------
    loss, round_rows : Loss, int
        The loss, and the core's option: rows in a round, 0 for a number that it chooses.

    Examples
    --------
    >>> from sgtrees.losses import Quantile
    >>> check_ensemble(Quantile(alpha=0.9), round_rows=1)
    """
    if round_rows == 1 and not isinstance(loss, BuiltInLoss):
        raise ValueError(
            f"ensembles of trees learn by a loss in Python in rounds only, got {loss!r} with "
            "round_rows=1: the members take every row one after the other, and a loss in Python "
            "computes many rows at once; set round_rows='auto' or to a number above 1"
        )
