"""The requirements of linear leaves, and what they cannot be combined with."""

from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BuiltInLoss
from sgtrees.losses.built_in.binary import Focal, LogLoss


def check_linear_leaves(loss: Loss, reg_lambda: float, leaf_model: str = "linear") -> None:
    """Refuse a loss that linear leaves can do nothing with.

    Parameters
    ----------
    loss : Loss
        The loss.
    reg_lambda : float
        What is added to each row's hessian.
    leaf_model : {"linear", "auto"}, default="linear"
        The parameter that asks for linear leaves.

    Raises
    ------
    ValueError
        If the loss is written in Python, and if nothing keeps steps within bounds.

    Examples
    --------
    >>> check_linear_leaves(LogLoss(), reg_lambda=0.0)
    Traceback (most recent call last):
    ValueError: leaf_model='linear' needs reg_lambda > 0 under LogLoss(): the hessian of a leaf \
that predicts with near certainty is close to 0, and a single row could change it without bounds
    """
    if not isinstance(loss, BuiltInLoss):
        raise ValueError(
            f"leaf_model={leaf_model!r} goes with the built-in losses, got {loss!r}: with it every "
            "row changes the scores of those that follow, and a loss in Python computes many rows "
            "at once; leaf_model='constant' takes any loss"
        )
    if isinstance(loss, LogLoss | Focal) and reg_lambda == 0.0:
        raise ValueError(
            f"leaf_model={leaf_model!r} needs reg_lambda > 0 under {loss!r}: the hessian of a leaf "
            "that predicts with near certainty is close to 0, and a single row could change it "
            "without bounds"
        )


def refuse_linear_leaves(linear: bool, what: str) -> None:
    """Refuse what can be done with constant leaves only.

    Parameters
    ----------
    linear : bool
        Whether the model's leaves are linear.
    what : str
        What would be done with the model.

    Examples
    --------
    >>> refuse_linear_leaves(True, "to_onnx")
    Traceback (most recent call last):
    ValueError: to_onnx takes models with constant leaves only: this one predicts by linear \
leaves (leaf_model='linear' or 'auto'), which add a linear function of the numeric features
    """
    if linear:
        raise ValueError(
            f"{what} takes models with constant leaves only: this one predicts by linear leaves "
            "(leaf_model='linear' or 'auto'), which add a linear function of the numeric features"
        )
