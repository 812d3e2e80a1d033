"""Learning from bags of instances."""

from collections.abc import Hashable, Mapping
from typing import Any, Literal

from sgtrees.parameters.constructors import changed, parameter, with_parameters
from sgtrees.parameters.parameter import Interval
from sgtrees.parameters.table.fitting import FitParameters
from sgtrees.parameters.table.trees import TreeParameters


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
    n_bins: int | Literal["auto"] = changed(default=48)
    warm_up: int = changed(
        default=1000,
        text="They are learned when all of them have arrived. In `partial_fit` the warm-up ends "
        "with a whole bag; `fit` takes the ranges and the start from all bags.",
    )
    grace_period: int = changed(default=400)
    delta: float = changed(default=0.001)
    reg_lambda: float = changed(default=0.01)


@with_parameters
class MultiInstanceParameters(FitParameters, BagParameters):
    """Parameters of `SGTMultiInstanceClassifier`."""

    epochs: int | Literal["auto"] = changed(
        default="auto",
        text='"auto": until the tree has learned 600,000 instances, at most 100. With more than '
        "one, each pass takes the bags in another order. `partial_fit` makes one pass, always.",
    )
