"""Ensembles: how many members, what each of them learns, and how they add up."""

from typing import Any, Literal, Self

from sgtrees.parameters.constructors import changed, parameter, with_parameters
from sgtrees.parameters.parameter import CoreOption, Interval
from sgtrees.parameters.table.bags import MultiInstanceParameters
from sgtrees.parameters.table.targets import (
    ClassifierParameters,
    RegressorParameters,
    StreamClassifierParameters,
    StreamRegressorParameters,
)


@with_parameters
class EnsembleParameters:
    """Parameters of ensembles of trees."""

    n_estimators: int = parameter(
        default=30,
        interval=Interval(1, 10_000),
        help="Number of members; each is what a single estimator would be.",
        option=CoreOption("n_estimators", int, absent=1),
        flag="--n-estimators",
        metavar="N",
    )
    poisson_mean: float = parameter(
        default=1.0,
        interval=Interval(0.0, 10.0),
        help="Mean of the Poisson distribution of how many times a member learns a row.",
        text="The number is drawn for each row and member; it is the factor of the row's weight. "
        "Draws depend on ``random_state``, the row's number and the member's, and on nothing else. "
        "0: every member learns every row once, as in `fit` of boosting.",
        option=CoreOption("mean_copies", float, absent=0.0),
        flag="--poisson-mean",
    )
    max_features: float = parameter(
        default=1.0,
        interval=Interval(0.0, 1.0, has_low=False),
        help="The share of the features that a member may split on.",
        text="Which ones is drawn for each member.",
        option=CoreOption("feature_share", float, absent=1.0),
        flag="--max-features",
        metavar="SHARE",
    )
    random_state: Any = parameter(
        default=None,
        shown_type="int or RandomState instance",
        help="Seed of how many times members learn a row, of their features, and of the orders of "
        "rows in `fit`.",
        text="None: another one for each model.",
    )

    @classmethod
    def paper(cls, **parameters: Any) -> Self:  # noqa: ARG003 - as in the classes of single trees
        """Refuse: the paper has no ensembles."""
        raise TypeError(
            f"{cls.__name__} has no settings of the paper, which has no ensembles; "
            "SGTClassifier.paper() and SGTRegressor.paper() have them"
        )


@with_parameters
class BoostingParameters(EnsembleParameters):
    """Parameters of boosting."""

    learning_rate: float = parameter(
        default=0.2,
        interval=Interval(0.0, 1.0, has_low=False),
        help="What the score of each member is multiplied by before it is added.",
        option=CoreOption("learning_rate", float, absent=1.0),
        flag="--learning-rate",
    )


@with_parameters
class ForestParameters(EnsembleParameters):
    """Parameters of forests."""

    # `python -m benchmarks.ensembles.study`: on every group of streams better than 0.05.
    delta: float = changed(default=0.3)
    warm_up: int = changed(default=200)


@with_parameters
class RowBoostingParameters(BoostingParameters):
    """Parameters of boosting that learns rows."""

    # `python -m benchmarks.ensembles.study`: a sum of many trees fits noise sooner than one tree,
    # and gains by smaller steps.
    reg_lambda: float = changed(default=0.3)
    gamma: float = changed(default=0.5)
    # With 100 rows elec2 has an error of 10.0 % in place of 8.8 %, and adult is no better.
    warm_up: int = changed(default=200)
    n_bins: int | Literal["auto"] = changed(default="auto")
    binning: Literal["uniform", "quantile", "auto"] = changed(default="auto")


@with_parameters
class ClassEnsembleParameters(StreamClassifierParameters):
    """Parameters of ensembles that learn a stream of classes."""

    multiclass: Literal["committee", "vector", "auto"] = changed(default="auto")
    calibrate: bool = parameter(
        default=True,
        help="Whether probabilities are calibrated by how well the latest rows were predicted.",
        text="False where `partial_fit` learns the same rows several times: rows that a model has "
        "learned before make it seem too little sure of others. Models after `fit`, of several "
        "labels, and under other losses than log_loss are never calibrated.",
        option=CoreOption("calibrates", bool, absent=True),
    )


@with_parameters
class StreamBoostingClassifierParameters(RowBoostingParameters, ClassEnsembleParameters):
    """Parameters of boosting that learns a stream of classes."""


@with_parameters
class BoostingClassifierParameters(StreamBoostingClassifierParameters, ClassifierParameters):
    """Parameters of `SGTBoostingClassifier`."""


@with_parameters
class StreamBoostingRegressorParameters(RowBoostingParameters, StreamRegressorParameters):
    """Parameters of boosting that learns a stream of numbers."""


@with_parameters
class BoostingRegressorParameters(StreamBoostingRegressorParameters, RegressorParameters):
    """Parameters of `SGTBoostingRegressor`."""


@with_parameters
class StreamForestClassifierParameters(ForestParameters, ClassEnsembleParameters):
    """Parameters of forests that learn a stream of classes."""


@with_parameters
class ForestClassifierParameters(StreamForestClassifierParameters, ClassifierParameters):
    """Parameters of `SGTForestClassifier`."""


@with_parameters
class StreamForestRegressorParameters(ForestParameters, StreamRegressorParameters):
    """Parameters of forests that learn a stream of numbers."""


@with_parameters
class ForestRegressorParameters(StreamForestRegressorParameters, RegressorParameters):
    """Parameters of `SGTForestRegressor`."""


@with_parameters
class BoostingMultiInstanceParameters(BoostingParameters, MultiInstanceParameters):
    """Parameters of `SGTBoostingMultiInstanceClassifier`."""
