"""The table of parameters: a row for each, in classes that the estimators inherit."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Literal, Protocol, Self, TypeAlias

from sgtrees.parameters.constructors import (
    changed,
    paper_settings,
    parameter,
    parameters_of,
    with_parameters,
)
from sgtrees.parameters.parameter import CoreOption, Interval, Parameter

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
class TreeParameters:
    """How trees grow: the parameters of all estimators."""

    n_bins: int = parameter(
        default=32,
        paper=64,
        interval=Interval(2, 65_000),
        help="Number of bins of a numeric feature; splits are at the boundaries between them.",
        option=CoreOption("n_bins", int),
        flag="--bins",
    )
    binning: Literal["uniform", "quantile"] = parameter(
        default="uniform",
        paper="uniform",
        help="Bins of equal width over the feature's range, or of about equally many rows.",
        option=CoreOption("quantile_bins", bool, on="quantile"),
        flag="--binning",
    )
    warm_up: int = parameter(
        default=100,
        paper=1000,
        interval=Interval(1),
        help="Number of first rows that set the features' ranges and the start.",
        text="They are learned when all of them have arrived.",
        option=CoreOption("warm_up", int),
        flag="--warm-up",
        metavar="ROWS",
    )
    grace_period: int = parameter(
        default=25,
        paper=200,
        interval=Interval(
            2,
            reason="a leaf is tested on the rows that it has gathered, and the spread of a single "
            "row is unknown",
        ),
        help="Minimum number of rows that a leaf gathers between two searches for a change.",
        option=CoreOption("grace_period", int),
        flag="--grace-period",
        metavar="ROWS",
    )
    delta: float = parameter(
        default=0.05,
        paper=1e-7,
        interval=Interval(0.0, 1.0, has_low=False, has_high=False),
        help="Significance level of the test that a change must pass.",
        option=CoreOption("delta", float),
        flag="--delta",
    )
    reg_lambda: float = parameter(
        default=0.1,
        paper=0.1,
        interval=Interval(0.0),
        help="L2 regularisation of the values of leaves.",
        text="It is added to the hessian of each row.",
        option=CoreOption("reg_lambda", float),
        flag="--reg-lambda",
    )
    lambda_scaling: Literal["row", "sum"] = parameter(
        default="row",
        help="Whether ``reg_lambda`` counts once for each row, or once for a leaf's sum.",
        option=CoreOption("lambda_per_row", bool, on="row"),
    )
    gamma: float = parameter(
        default=1.0,
        paper=1.0,
        interval=Interval(0.0),
        help="Penalty per branch of a split, in units of the loss.",
        option=CoreOption("gamma", float),
        flag="--gamma",
    )
    max_depth: int | None = parameter(
        default=None,
        interval=Interval(0),
        help="Maximum depth of a tree; a single leaf has depth 0.",
        option=CoreOption("max_depth", int, may_be_none=True),
        flag="--max-depth",
    )
    max_leaves: int | None = parameter(
        default=None,
        interval=Interval(1),
        help="Maximum number of leaves of a tree.",
        option=CoreOption("max_leaves", int, may_be_none=True),
        flag="--max-leaves",
    )
    max_memory: int | str | None = parameter(
        default=None,
        help='Limit of the model\'s memory: bytes, or a string like "64MB".',
        option=CoreOption("max_memory", int, is_memory=True, may_be_none=True),
        flag="--max-memory",
        metavar="SIZE",
    )
    categorical_features: Any = parameter(
        default="from_dtype",
        shown_type='"from_dtype", None, or sequence of str, int or bool',
        help="Which features are nominal.",
        text='"from_dtype": strings, categoricals and booleans (columns of a data frame or of an '
        "array of objects, and values in events). Otherwise their names, their column numbers, or "
        "a boolean for each column; None for no feature.",
    )
    feature_ranges: Any = parameter(
        default=None,
        shown_type="dict, array of shape (n_features, 2) or pair",
        help="Ranges (lo, hi) of numeric features if they are known.",
        text="By name or column number, for all in order, or one for all. The other ranges are "
        "taken from the warm-up; with a range for every numeric feature there is no warm-up.",
    )
    start: Literal["data", "neutral"] = parameter(
        default="data",
        paper="neutral",
        help="Whether a tree starts from the best constant of the warm-up, or from a raw score "
        "of 0.",
        text="For classes the best constant is their frequencies.",
        option=CoreOption("start_from_data", bool, on="data"),
    )
    n_threads: int = parameter(
        default=1,
        interval=Interval(1, 1024),
        help="Number of threads that learn; the model is the same for any number.",
        option=CoreOption("n_threads", int),
        flag="--threads",
    )


@with_parameters
class StreamParameters(TreeParameters):
    """Parameters of learning row by row."""

    grace_growth: float = parameter(
        default=0.5,
        paper=0.0,
        interval=Interval(0.0, 1.0),
        help="New rows before a leaf's next search, as a share of the rows that it has.",
        text="It applies after a search that changed nothing, if it is more than "
        "``grace_period``; at most 8 grace periods. 0 searches every ``grace_period`` rows.",
        option=CoreOption("grace_growth", float, absent=0.0),
        flag="--grace-growth",
    )
    adaptive_ranges: bool = parameter(
        default=True,
        paper=False,
        help="Whether numeric features get new bins if their values outgrow those they have.",
        text="Bins come from the first rows. Later ones may lie outside their range, or crowd in "
        "few of them. New bins are quantiles of a sample of the latest rows; splits stay as they "
        "are. Ranges that are given do not change, nor does any in rounds.",
        option=CoreOption("adaptive_ranges", bool, on=True, absent=False),
    )
    kept_rows: int = parameter(
        default=500,
        paper=0,
        interval=Interval(0, 1_000_000),
        help="Number of rows that a leaf keeps, and passes to its children when it splits.",
        text="The children learn the latest ones again, instead of starting without rows. More "
        "rows make trees grow faster, and take memory: a byte or two for each feature, and a few "
        "numbers, for each row. 0 for none.",
        option=CoreOption("kept_rows", int, absent=0),
        flag="--kept-rows",
        metavar="ROWS",
    )
    leaf_model: Literal["constant", "linear", "auto"] = parameter(
        default="constant",
        help="What a leaf predicts: a value, or a linear function of the numeric features.",
        text="Linear leaves suit targets that are smooth in the features. They need a built-in "
        'loss. "auto": trees of both kinds learn, and those predict that have had the lower loss '
        "of late; it takes the time and memory of both.",
        option=CoreOption("linear_leaves", bool, on="linear", absent=False),
        flag="--leaf-model",
    )
    on_drift: Literal["replace", "ignore"] = parameter(
        default="replace",
        paper="ignore",
        help="What happens when the errors of the predictions rise.",
        text='"replace": fresh trees learn in the background, and take over when they have proved '
        'better; `drifts_` tells when and why. "ignore": nothing. Errors are not watched in `fit`, '
        "with ``round_rows`` other than 1, or with a loss that is written in Python.",
        option=CoreOption("replaces_on_drift", bool, on="replace", absent=False),
        flag="--on-drift",
    )
    drift_detector: Literal["adwin", "page_hinkley"] = parameter(
        default="adwin",
        help="What finds that errors have risen: ADWIN or the Page-Hinkley test.",
        option=CoreOption("detects_by_page_hinkley", bool, on="page_hinkley", absent=False),
        flag="--drift-detector",
    )
    drift_delta: float = parameter(
        default=0.01,
        interval=Interval(0.0, 1.0, has_low=False, has_high=False),
        help="Significance level at which ADWIN finds that errors have risen.",
        text="Smaller: fewer alarms, and later ones. The Page-Hinkley test has none.",
        option=CoreOption("drift_delta", float, absent=0.01),
        flag="--drift-delta",
    )

    following_rates: tuple[float, ...] = parameter(
        default=(0.01, 0.06, 0.3, 0.7),
        paper=(),
        interval=Interval(0.0, 1.0, has_low=False),
        help="Rates at which leaves follow the latest rows, in predictions; () for leaves that "
        "do not.",
        text="For each rate a leaf has an offset to its value, which every row moves. The rate "
        "with the least loss over the latest thousand rows or so is predicted, or the value "
        "alone. The tree does not depend on it. Without effect if ``round_rows`` is not 1, and "
        "after `fit`, until further rows are learned.",
        option=CoreOption("following_rates", float, is_list=True, absent=[]),
        flag="--following-rates",
        metavar="RATES",
    )
    label_delay: int = parameter(
        default=0,
        interval=Interval(0, 1_000_000),
        help="Number of further rows that are predicted before the label of a row arrives.",
        text="The rates are judged by what could have been predicted at that time.",
        option=CoreOption("label_delay", int, absent=0),
        flag="--label-delay",
        metavar="ROWS",
    )

    @classmethod
    def paper(cls, **parameters: Any) -> Self:
        """Return an estimator with the paper's settings.

        It searches for changes less often, requires more before it makes one, passes no rows down,
        learns every row of every tree, and starts from a raw score of 0; `docs/accuracy.md`
        compares the two.

        Parameters
        ----------
        **parameters
            Further parameters; they take precedence.

        Returns
        -------
        estimator
            The estimator.

        Examples
        --------
        >>> from sgtrees import SGTClassifier
        >>> model = SGTClassifier.paper(n_threads=2)
        >>> model.grace_period, model.delta, model.kept_rows, model.n_threads
        (200, 1e-07, 0, 2)
        """
        return cls(**paper_settings(cls) | parameters)


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
class FitParameters:
    """Parameters of `fit`."""

    epochs: int | Literal["auto"] = parameter(
        default="auto",
        interval=Interval(1),
        help="Number of passes that `fit` makes.",
        text='"auto": one if rows are many, up to four if they are few (25 with '
        "``kept_rows=0``). With more than one, each pass takes the rows in another order.",
    )
    verbose: int | bool = parameter(
        default=0,
        shown_type="int",
        interval=Interval(0),
        help="Whether `fit` reports each pass.",
    )
    random_state: Any = parameter(
        default=None,
        shown_type="int or RandomState instance",
        help="Seed of the orders of rows in `fit`.",
    )


@with_parameters
class EarlyStoppingParameters:
    """Parameters of a `fit` that stops early."""

    n_iter_no_change: int | None = parameter(
        default=None,
        interval=Interval(1),
        help="Number of passes without a lower loss on rows set aside after which `fit` stops.",
        text="It keeps the model of the pass with the lowest one, and boosting as many of the "
        'first members as had it. ``epochs`` is then the greatest number of passes ("auto": 25). '
        "None: no rows are set aside.",
    )
    validation_fraction: float = parameter(
        default=0.1,
        interval=Interval(0.0, 1.0, has_low=False, has_high=False),
        help="Share of the rows that `fit` sets aside, with ``n_iter_no_change``.",
        text="They are drawn at random, and not learned. Every class has rows that are.",
    )


@with_parameters
class RoundParameters:
    """Parameters of estimators that can learn in rounds."""

    round_rows: int | Literal["auto"] = parameter(
        default=1,
        interval=Interval(1),
        help="Number of rows in a round; trees change only at the end of a round.",
        text="1: trees may change after each row, as in the paper. Longer rounds can be "
        'distributed over a cluster (`sgtrees.dask`), with the same result. "auto": 1 while the '
        "trees are small, and then so many that a leaf gets about half a grace period of rows.",
        option=CoreOption("round_rows", int, auto=0, absent=1),
        flag="--round-rows",
        metavar="ROWS",
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
        "0: every member learns every row once.",
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

    poisson_mean: float = changed(default=6.0)


@with_parameters
class BagParameters(TreeParameters):
    """Parameters of learning from bags; rows are instances there."""

    pooling: Literal["log_sum_exp", "max"] = parameter(
        default="log_sum_exp",
        help="A bag's score: the soft maximum of its instances' scores f, or the highest of them.",
        text='"log_sum_exp": log(mean(exp(sharpness * f))) / sharpness, to which all instances '
        'contribute. "max": as in the paper.',
    )
    sharpness: float = parameter(
        default=2.0,
        interval=Interval(0.0, has_low=False),
        help="Sharpness of the soft maximum: large for the maximum, small for the mean.",
    )
    positive_label: Any = parameter(
        default=None,
        shown_type="str, int or bool",
        help="The label of positive bags.",
        text='By default the greater of the two (1, True, "yes").',
    )
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = parameter(
        default=None,
        shown_type='dict or "balanced"',
        help='A weight for each label; "balanced" makes both count the same.',
        text="In a stream balanced weights follow from the bags so far.",
    )
    bag_column: Hashable = parameter(
        default="bag",
        shown_type="str",
        help="The column that holds each row's bag, in a data frame given without ``groups``.",
    )
    # If bags are few and features many, fewer bins and later changes fit less noise. Most
    # instances of a bag do not influence its score but count in the regularisation.
    n_bins: int = changed(default=48)
    warm_up: int = changed(
        default=1000,
        text="They are learned when all of them have arrived. In `partial_fit` the warm-up ends "
        "with a whole bag; `fit` takes the ranges and the start from all bags.",
    )
    grace_period: int = changed(default=400)
    delta: float = changed(default=0.001)
    reg_lambda: float = changed(default=0.01)


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


@with_parameters
class StreamBoostingClassifierParameters(BoostingParameters, StreamClassifierParameters):
    """Parameters of boosting that learns a stream of classes."""

    # `python -m benchmarks.ensembles.study`: a sum of many trees fits noise sooner than one tree,
    # and gains by smaller steps.
    reg_lambda: float = changed(default=0.3)
    gamma: float = changed(default=0.5)
    # With 100 rows elec2 has an error of 10.0 % in place of 8.8 %, and adult is no better.
    warm_up: int = changed(default=200)
    multiclass: Literal["committee", "vector", "auto"] = changed(default="auto")


@with_parameters
class BoostingClassifierParameters(StreamBoostingClassifierParameters, ClassifierParameters):
    """Parameters of `SGTBoostingClassifier`."""


@with_parameters
class StreamBoostingRegressorParameters(BoostingParameters, StreamRegressorParameters):
    """Parameters of boosting that learns a stream of numbers."""

    reg_lambda: float = changed(default=0.3)
    gamma: float = changed(default=0.5)
    warm_up: int = changed(default=200)


@with_parameters
class BoostingRegressorParameters(StreamBoostingRegressorParameters, RegressorParameters):
    """Parameters of `SGTBoostingRegressor`."""


@with_parameters
class StreamForestClassifierParameters(ForestParameters, StreamClassifierParameters):
    """Parameters of forests that learn a stream of classes."""

    warm_up: int = changed(default=200)
    multiclass: Literal["committee", "vector", "auto"] = changed(default="auto")


@with_parameters
class ForestClassifierParameters(StreamForestClassifierParameters, ClassifierParameters):
    """Parameters of `SGTForestClassifier`."""


@with_parameters
class StreamForestRegressorParameters(ForestParameters, StreamRegressorParameters):
    """Parameters of forests that learn a stream of numbers."""

    warm_up: int = changed(default=200)


@with_parameters
class ForestRegressorParameters(StreamForestRegressorParameters, RegressorParameters):
    """Parameters of `SGTForestRegressor`."""


@with_parameters
class MultiInstanceParameters(FitParameters, BagParameters):
    """Parameters of `SGTMultiInstanceClassifier`."""

    epochs: int | Literal["auto"] = changed(
        default="auto",
        text='"auto": until the tree has learned 600,000 instances, at most 100. With more than '
        "one, each pass takes the bags in another order. `partial_fit` makes one pass, always.",
    )


@with_parameters
class BoostingMultiInstanceParameters(BoostingParameters, MultiInstanceParameters):
    """Parameters of `SGTBoostingMultiInstanceClassifier`."""


PARAMETERS: dict[str, Parameter] = {}
"""All parameters by name, as the first of these classes has them."""

for _group in (
    ClassifierParameters,
    RegressorParameters,
    BoostingClassifierParameters,
    MultiInstanceParameters,
):
    for _name, _row in parameters_of(_group).items():
        PARAMETERS.setdefault(_name, _row)
