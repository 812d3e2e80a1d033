"""What can be exported: models that have trees."""

from sgtrees.inspection import ModelView, Task, view_model
from sgtrees.inspection.reading import Estimator
from sgtrees.models.linear_leaves import refuse_linear_leaves


def exportable(estimator: Estimator) -> ModelView:
    """Take a view of a model that has trees; refuse one that has none, saying why.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.

    Returns
    -------
    ModelView
        The model.

    Raises
    ------
    ValueError
        During the warm-up, where all rows so far are of one class, and where leaves are linear.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> exportable(SGTRegressor().partial_fit([[1.0]], [2.0]))
    Traceback (most recent call last):
    ValueError: the model has no tree to export: 1 row has come, and the warm-up has not ended...
    """
    view = view_model(estimator)
    if view.trees:
        refuse_linear_leaves(view.is_linear, "exporting")
        return view
    rows = f"{view.n_rows:,} row{' has' if view.n_rows == 1 else 's have'} come"
    if view.task is Task.CLASSES and len(view.labels) < 2 and not view.is_warming_up:
        raise ValueError(
            f"the model has no tree to export: {rows}, all of the class {view.labels[0]!r}; "
            "learn rows of a second class first"
        )
    raise ValueError(
        f"the model has no tree to export: {rows}, and the warm-up has not ended; learn more rows, "
        "lower warm_up, or use fit, which ends it"
    )
