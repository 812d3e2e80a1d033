"""What an export says about the way from raw scores to predictions."""

from sgtrees.inspection import ModelView, Task
from sgtrees.losses.links import EXP, IDENTITY, LINKS, LOGISTIC, TWICE_LOGISTIC, Link

_FORMULAS = {
    IDENTITY: "raw",
    EXP: "exp(raw)",
    LOGISTIC: "1 / (1 + exp(-raw))",
    TWICE_LOGISTIC: "1 / (1 + exp(-2 raw))",
}


# By what is predicted, and whether y has columns.
_SENTENCES = {
    (Task.NUMBER, False): "The prediction is {formula}.",
    (Task.NUMBER, True): "The prediction of each target is {formula} of its raw score.",
    (Task.LABELS, True): "The probability of each label is {formula} of its raw score.",
    (Task.CLASSES, False): "The probability of {label!r} is {formula}.",
    (Task.BAGS, False): (
        "raw is the score of an instance; a bag of it alone has the label {label!r} with "
        "probability {formula}."
    ),
}


def is_known(link: Link) -> bool:
    """Tell whether a link is one of the library's, which every export can write down.

    Examples
    --------
    >>> is_known(EXP), is_known(Link("square", lambda raw: raw**2))
    (True, False)
    """
    return link in LINKS


def says_link(view: ModelView) -> str:
    """Say in a sentence how predictions are made of raw scores.

    Parameters
    ----------
    view : ModelView
        The model.

    Returns
    -------
    str
        The sentence.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_model
    >>> says_link(view_model(SGTRegressor(loss="poisson").fit([[1.0]], [2.0])))
    'The prediction is exp(raw).'
    """
    if view.is_softmax:
        return "The probabilities are the softmax of the raw scores of all labels."
    if not is_known(view.link):
        return (
            f"Predictions are made of raw scores by the link {view.link.name!r}, a function of the "
            "user's own, which is not part of this export: apply it to raw."
        )
    return _SENTENCES[view.task, view.outputs is not None].format(
        formula=_FORMULAS[view.link], label=view.labels[1] if len(view.labels) > 1 else None
    )
