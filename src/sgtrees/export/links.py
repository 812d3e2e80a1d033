"""What an export says about the way from raw scores to predictions."""

from sgtrees.inspection import ModelView, Task
from sgtrees.losses.links import EXP, IDENTITY, LINKS, LOGISTIC, TWICE_LOGISTIC, Link

_FORMULAS = {
    IDENTITY: "raw",
    EXP: "exp(raw)",
    LOGISTIC: "1 / (1 + exp(-raw))",
    TWICE_LOGISTIC: "1 / (1 + exp(-2 raw))",
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
    formula = _FORMULAS[view.link]
    if view.task is Task.BAGS:
        return (
            f"raw is the score of an instance; a bag of it alone has the label {view.labels[1]!r} "
            f"with probability {formula}."
        )
    if view.task is Task.CLASSES:
        return f"The probability of {view.labels[1]!r} is {formula}."
    return f"The prediction is {formula}."
