"""How trees grow: the parameters of all estimators."""

from typing import Any, Literal

from sgtrees.parameters.constructors import parameter, with_parameters
from sgtrees.parameters.parameter import CoreOption, Interval


@with_parameters
class TreeParameters:
    """How trees grow: the parameters of all estimators."""

    n_bins: int | Literal["auto"] = parameter(
        default=32,
        paper=64,
        interval=Interval(2, 65_000),
        help="Number of bins of a numeric feature; splits are at the boundaries between them.",
        text='"auto": 32; 128 where `fit` of boosting lets members learn one after the other.',
        option=CoreOption("n_bins", int, auto=32),
        flag="--bins",
    )
    binning: Literal["uniform", "quantile", "auto"] = parameter(
        default="uniform",
        paper="uniform",
        help="Bins of equal width over the feature's range, or of about equally many rows.",
        text='"auto": of equal width; of equally many rows where `fit` of boosting lets members '
        "learn one after the other.",
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
        text="Where a leaf has scores of three or more classes, or of targets with "
        "``penalty_units='loss'``, branches beyond the second cost more. Where `fit` of boosting "
        "lets members learn classes one after the other, in units of the noise in each leaf.",
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
