"""Several passes over the same rows, when to stop, and learning in rounds."""

from typing import Any, Literal

from sgtrees.parameters.constructors import parameter, with_parameters
from sgtrees.parameters.parameter import CoreOption, Interval


@with_parameters
class FitParameters:
    """Parameters of `fit`."""

    epochs: int | Literal["auto"] = parameter(
        default="auto",
        interval=Interval(1),
        help="Number of passes that `fit` makes.",
        text='"auto": one if rows are many, up to four if they are few (25 with '
        "``kept_rows=0``). With more than one, each pass takes the rows in another order. In "
        'boosting members learn one after the other: passes of each of them, "auto": three.',
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
        text="It keeps the model of the pass with the lowest one. ``epochs`` is then the greatest "
        'number of passes ("auto": 25). Where `fit` of boosting lets members learn one after the '
        "other: number of members without a lower loss; as many of the first members predict as "
        "had the lowest one. None: no rows are set aside.",
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
