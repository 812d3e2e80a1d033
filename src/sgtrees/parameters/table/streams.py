"""Learning row by row: leaves and what they keep, drifts, and following the latest rows."""

from typing import Any, Literal, Self

from sgtrees.parameters.constructors import paper_settings, parameter, with_parameters
from sgtrees.parameters.parameter import CoreOption, Interval
from sgtrees.parameters.table.trees import TreeParameters


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
        text="The rates, and trees that may be replaced, are judged by what could have been "
        "predicted at that time. Each of these rows takes memory, a number for each rate and class "
        "or so. If that is more than a quarter of ``max_memory``, leaves do not follow.",
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
