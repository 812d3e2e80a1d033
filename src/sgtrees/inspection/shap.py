"""SHAP values: how far each feature moved a prediction away from the mean."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees.inspection.reading import Estimator, view_model
from sgtrees.inspection.rows import block_of, explainer_of
from sgtrees.inspection.view import ModelView, Task
from sgtrees.models.linear_leaves import refuse_linear_leaves

if TYPE_CHECKING:
    import shap

Floats: TypeAlias = NDArray[np.float64]

# The core is called for so many rows at a time, between which an interrupt is noticed.
_ROWS_PER_CALL = 4096


@dataclass(frozen=True)
class ShapValues:
    """SHAP values of some rows.

    For each row and output ``base_values`` plus the sum of all features' ``values`` is the raw
    score: before the link, log odds of classes.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_features) or (n_rows, n_features, n_outputs)
        How far each feature moved the raw score.
    base_values : float or ndarray of shape (n_outputs,)
        The mean raw score of the rows that the trees have learned.
    feature_names : tuple of str
        The features.
    outputs : tuple
        What the raw scores speak for: one label of two, all labels, or all targets; empty where
        there is one number to predict.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0, 5.0], [2.0, 5.0]] * 200, [10.0, 20.0] * 200
    >>> model = SGTRegressor(warm_up=50, epochs=1).fit(X, y)
    >>> explained = shap_values(model, [[1.0, 5.0]])
    >>> bool(explained.values[0, 0] < 0), float(explained.values[0, 1])
    (True, 0.0)
    """

    values: NDArray[np.float64]
    base_values: float | NDArray[np.float64]
    feature_names: tuple[str, ...]
    outputs: tuple[Hashable, ...]

    def as_explanation(self, X: Any = None) -> "shap.Explanation":
        """Return the values in the form that the plots of the package `shap` take.

        Parameters
        ----------
        X : array of shape (n_rows, n_features), optional
            The features' values, to be shown beside them.

        Returns
        -------
        shap.Explanation
            The same values.

        Raises
        ------
        ImportError
            Where shap is not installed.
        """
        try:
            from shap import Explanation  # noqa: PLC0415
        except ImportError as error:
            raise ImportError("as_explanation needs shap: pip install 'sgtrees[shap]'") from error
        return Explanation(
            self.values,
            base_values=np.broadcast_to(
                self.base_values, (len(self.values), *self.values.shape[2:])
            ),
            data=None if X is None else np.asarray(X),
            feature_names=list(self.feature_names),
            output_names=list(map(str, self.outputs)) if self.values.ndim > 2 else None,
        )


def shap_values(estimator: Estimator, X: Any, *, n_threads: int = 1) -> ShapValues:
    """Explain predictions: exact SHAP values by path-dependent TreeSHAP.

    A feature that is left out sends a row down all branches, in proportion to the rows that have
    come there: a leaf's cover is its branch's rows at the split and those since.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    X : array or data frame of shape (n_rows, n_features), or mapping from feature names to values
        The rows, or one event; for bags their instances.
    n_threads : int, default=1
        Number of threads; the values are the same for any number.

    Returns
    -------
    ShapValues
        The values: of the raw score for regression, of all where there are several targets; for
        two classes of the log odds of ``classes_[1]``, for more of all raw scores in the order of
        ``classes_``; for bags of the instances' scores.

    Raises
    ------
    ValueError
        Where the model has no tree yet.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sgtrees import SGTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> explained = shap_values(SGTClassifier(random_state=0).fit(X, y), X)
    >>> explained.values.shape, explained.outputs
    ((150, 4, 3), (0, 1, 2))
    """
    view = view_model(estimator)
    if not view.trees:
        raise ValueError(
            "the model has no tree yet: there is nothing to explain before the warm-up has ended "
            "and, in a classifier, a second class has come"
        )
    refuse_linear_leaves(view.is_linear, "shap_values")
    explainer = explainer_of(estimator)
    block = block_of(estimator, X)
    n_outputs = len(explainer.base())
    values = np.empty((len(block), len(view.features), n_outputs))
    for rows in _pieces(len(block)):
        values[rows] = explainer.shap_values(block[rows], n_threads)
    return _named(view, values, explainer.base())


def _pieces(n_rows: int) -> Iterator[slice]:
    for start in range(0, n_rows, _ROWS_PER_CALL):
        yield slice(start, start + _ROWS_PER_CALL)


def _named(view: ModelView, values: Floats, base: Floats) -> ShapValues:
    """Put the trees' outputs into the order of the labels or targets that they speak for."""
    names = tuple(feature.name for feature in view.features)
    if view.outputs is not None:
        return ShapValues(values, base, names, view.outputs)
    if not view.is_softmax:
        return _one_score(view, values[:, :, 0], float(base[0]), names)
    of_scores = np.zeros((*values.shape[:2], view.n_scores))
    base_of_scores = np.zeros(view.n_scores)
    targets = [target for tree in view.trees for target in tree.targets]
    of_scores[:, :, targets] = values
    base_of_scores[targets] = base
    if view.n_scores == 2:
        difference = of_scores[:, :, 1] - of_scores[:, :, 0]
        return _one_score(view, difference, base_of_scores[1] - base_of_scores[0], names)
    places = [view.classes.index(label) for label in view.labels]
    in_order = np.zeros((*values.shape[:2], len(view.classes)))
    base_in_order = np.zeros(len(view.classes))
    in_order[:, :, places] = of_scores
    base_in_order[places] = base_of_scores
    return ShapValues(in_order, base_in_order, names, view.classes)


def _one_score(view: ModelView, values: Floats, base: float, names: tuple[str, ...]) -> ShapValues:
    if view.task is Task.CLASSES and view.labels[1] != max(view.labels):
        # The score speaks for the label that came second.
        return ShapValues(-values, -base, names, (max(view.labels),))
    return ShapValues(values, base, names, view.labels[1:])
