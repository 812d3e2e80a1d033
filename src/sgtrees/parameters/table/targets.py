"""Classes or numbers: the parameters of the classifier, and of the regressor."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

from sgtrees.parameters.constructors import parameter, with_parameters
from sgtrees.parameters.parameter import CoreOption
from sgtrees.parameters.table.fitting import (
    EarlyStoppingParameters,
    FitParameters,
    RoundParameters,
)
from sgtrees.parameters.table.streams import StreamParameters

RegressionLoss: TypeAlias = Literal[
    "squared_error",
    "absolute_error",
    "huber",
    "log_cosh",
    "quantile",
    "poisson",
    "gamma",
    "tweedie",
]
# A loss as a function: (y, raw) -> (g, h).
Derivatives: TypeAlias = Callable[[Any, Any], Any]


class LossObject(Protocol):
    """What a `sgtrees.losses.Loss` has, and no word."""

    def gradient_hessian(self, y: Any, raw: Any) -> Any:
        """Return the derivatives of each row."""


@with_parameters
class StreamClassifierParameters(StreamParameters):
    """Parameters of classifiers that learn a stream."""

    thinning: bool = parameter(
        default=True,
        paper=False,
        help="Whether a tree of a committee learns only one in eight of the rows that it predicts "
        "with near certainty, each as eight rows.",
        text="These are rows whose gradient is below 0.001. This makes learning of many classes "
        'fast; it has no effect with two classes, ``multiclass="vector"``, linear leaves or '
        "``reg_lambda=0``.",
        option=CoreOption("thinning", bool, on=True, absent=False),
    )
    loss: Literal["log_loss", "focal", "exponential"] | LossObject | Derivatives = parameter(
        default="log_loss",
        shown_type='{"log_loss", "focal", "exponential"}, Loss or callable',
        help="The loss to be minimised.",
        text="All but the log loss are for two classes: a name; one of `sgtrees.losses`, with "
        "its parameters, like ``Focal(gamma=1.0)``; or your own, as a `Loss` or a function "
        "``(y, raw) -> (g, h)``, in which y is 1 for the label that came second and 0 for the one "
        "that came first, and the link gives the probability of y = 1.",
    )
    multiclass: Literal["committee", "vector", "auto"] = parameter(
        default="committee",
        help="With more than two classes: a tree for each but the first, or one tree for all.",
        text='"vector": a single tree with a score for each class in every leaf (with '
        '``loss="log_loss"`` only), which is faster and smaller if there are many classes. '
        '"auto": the latter if the warm-up has seen more than two classes and leaves are constant.',
        flag="--multiclass",
    )
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = parameter(
        default=None,
        shown_type='dict or "balanced"',
        help='A weight for each label; "balanced" makes all classes count the same.',
        text="In a stream balanced weights follow from the rows so far. Not if a row may have "
        "several labels.",
    )


@with_parameters
class StreamRegressorParameters(StreamParameters):
    """Parameters of regressors that learn a stream."""

    penalty_units: Literal["leaf", "loss"] = parameter(
        default="leaf",
        paper="loss",
        help="The units of ``reg_lambda`` and ``gamma``.",
        text='"leaf": the leaf\'s mean hessian, and its dispersion, sum g^2 / sum h, which is the '
        "variance of its residuals under squared error; so a target in another unit gives the same "
        'tree. "loss": the loss itself, as in the paper.',
        option=CoreOption("units_of_leaf", bool, on="leaf", absent=False),
    )
    loss: RegressionLoss | LossObject | Derivatives = parameter(
        default="squared_error",
        shown_type='{"squared_error", "absolute_error", "huber", "log_cosh", "quantile", '
        '"poisson", "gamma", "tweedie"}, Loss or callable',
        help="The loss to be minimised.",
        text="A name; one of `sgtrees.losses`, with its parameters, like "
        "``Quantile(alpha=0.9)``; or your own, as a `Loss` or a function ``(y, raw) -> (g, h)``.",
    )


@with_parameters
class ClassifierParameters(
    FitParameters, EarlyStoppingParameters, RoundParameters, StreamClassifierParameters
):
    """Parameters of `SGTClassifier`."""


@with_parameters
class RegressorParameters(
    FitParameters, EarlyStoppingParameters, RoundParameters, StreamRegressorParameters
):
    """Parameters of `SGTRegressor`."""
