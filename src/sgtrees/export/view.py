"""Models that can be exported, and the form of their predictions."""

from enum import Enum

from sgtrees.inspection import Estimator, ModelView, TargetType
from sgtrees.inspection.extraction import as_view
from sgtrees.losses.links import EXP, IDENTITY, LINKS, LOGISTIC, TWICE_LOGISTIC


class PredictionForm(Enum):
    """How predictions are computed from raw scores."""

    RAW = "raw"  # not at all: the link is user-defined
    NUMBER = "number"  # a number by the link
    NUMBERS = "numbers"  # a number for each target by the link
    INSTANCE = "instance"  # the probability of a bag with one instance
    INDICATORS = "indicators"  # for each label the probability that a row has it, by the link
    LINK_OF_TWO = "link of two"  # the probability of the second of two labels, by the link
    SOFTMAX_OF_TWO = "softmax of two"  # the logistic function of the difference of two scores
    SOFTMAX = "softmax"  # the softmax of the scores of three labels or more


_FORMULAS = {
    IDENTITY: "raw",
    EXP: "exp(raw)",
    LOGISTIC: "1 / (1 + exp(-raw))",
    TWICE_LOGISTIC: "1 / (1 + exp(-2 raw))",
}
_SOFTMAX = "The probabilities are the softmax of the raw scores of all labels."
_SENTENCES = {
    PredictionForm.RAW: (
        "Predictions are computed from raw scores by {link}, a user-defined function, which is not "
        "part of this export: apply it to raw."
    ),
    PredictionForm.NUMBER: "The prediction is {formula}.",
    PredictionForm.NUMBERS: "The prediction of each target is {formula} of its raw score.",
    PredictionForm.INSTANCE: (
        "raw is the score of an instance; a bag with this instance alone has the label {label} "
        "with probability {formula}."
    ),
    PredictionForm.INDICATORS: "The probability of each label is {formula} of its raw score.",
    PredictionForm.LINK_OF_TWO: "The probability of {label} is {formula}.",
    PredictionForm.SOFTMAX_OF_TWO: _SOFTMAX,
    PredictionForm.SOFTMAX: _SOFTMAX,
}


def prediction_form(view: ModelView) -> PredictionForm:
    """Return how predictions are computed from a model's raw scores."""
    if view.is_softmax:
        return PredictionForm.SOFTMAX_OF_TWO if view.n_outputs == 2 else PredictionForm.SOFTMAX
    if view.link not in LINKS:
        return PredictionForm.RAW
    if view.target_type is TargetType.NUMBERS:
        return PredictionForm.NUMBER if view.targets is None else PredictionForm.NUMBERS
    return {
        TargetType.BAGS: PredictionForm.INSTANCE,
        TargetType.LABELS: PredictionForm.INDICATORS,
        TargetType.CLASSES: PredictionForm.LINK_OF_TWO,
    }[view.target_type]


def prediction_sentence(view: ModelView, *, label: str = "the second label") -> str:
    """Return a sentence that describes how predictions are computed from a model's raw scores.

    It becomes a part of other languages' text, and so has nothing in it that came with the data.

    Parameters
    ----------
    view : ModelView
        The model.
    label : str
        What to call the label whose probability the link gives.

    Returns
    -------
    str
        The sentence.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_model
    >>> prediction_sentence(view_model(SGTRegressor(loss="poisson").fit([[1.0]], [2.0])))
    'The prediction is exp(raw).'
    """
    return _SENTENCES[prediction_form(view)].format(
        formula=_FORMULAS.get(view.link), label=label, link=_link_name(view)
    )


def _link_name(view: ModelView) -> str:
    name = view.link.name
    return f"the link '{name}'" if name.isascii() and name.isidentifier() else "the link"


def exportable_view(model: Estimator | ModelView) -> ModelView:
    """Take a view of a model that can be exported.

    Models in their warm-up, or with a single class so far, or with more categories than there was
    room for, raise ValueError.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> exportable_view(SGTRegressor().partial_fit([[1.0]], [2.0]))
    Traceback (most recent call last):
    ValueError: the model has no tree to export: it has seen 1 row, and the warm-up has not ended...
    """
    view = as_view(model)
    for feature in view.features:
        if feature.is_closed:
            raise ValueError(
                f"column {feature.key!r} has more categories than max_memory has room for: those "
                "without room count as missing values, which an export could not tell from "
                "categories that only a split has not seen; learn with a higher max_memory"
            )
    if view.trees:
        return view
    rows = f"it has seen {view.n_rows:,} row{'' if view.n_rows == 1 else 's'}"
    if view.target_type is TargetType.CLASSES and len(view.labels) < 2 and not view.is_warming_up:
        raise ValueError(
            f"the model has no tree to export: {rows}, all of the class {view.labels[0]!r}; "
            "learn rows of a second class first"
        )
    raise ValueError(
        f"the model has no tree to export: {rows}, and the warm-up has not ended; learn more rows, "
        "lower warm_up, or use fit, which ends it"
    )
