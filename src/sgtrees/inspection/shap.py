"""SHAP values: how far each feature moved a prediction away from the mean."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.inspection.reading import Estimator, view_model
from sgtrees.inspection.rows import block_of, explainer_of
from sgtrees.inspection.view import ModelView, Task
from sgtrees.labels import Label

if TYPE_CHECKING:
    import shap

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
        What the raw scores speak for: one label of two, or all labels; empty for numbers.

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
    outputs: tuple[Label, ...]

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
        The values: of the raw score for regression; for two classes of the log odds of
        ``classes_[1]``, for more of all raw scores in the order of ``classes_``; for bags of the
        instances' scores.

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


def _named(view: ModelView, values: NDArray[np.float64], base: NDArray[np.float64]) -> ShapValues:
    """Put the trees' outputs into the order of the labels that they speak for."""
    names = tuple(feature.name for feature in view.features)
    if view.task is Task.NUMBER or view.task is Task.BAGS:
        return ShapValues(values[:, :, 0], float(base[0]), names, view.labels[1:])
    if len(view.labels) == 2:
        # The tree speaks for the label that came second.
        sign = 1.0 if view.labels[1] > view.labels[0] else -1.0  # type: ignore[operator]
        label = max(view.labels)
        return ShapValues(sign * values[:, :, 0], sign * float(base[0]), names, (label,))
    targets = [target for tree in view.trees for target in tree.targets]
    in_order = np.zeros((*values.shape[:2], len(view.classes)))
    base_in_order = np.zeros(len(view.classes))
    places = [view.classes.index(view.labels[target]) for target in targets]
    in_order[:, :, places] = values
    base_in_order[places] = base
    return ShapValues(in_order, base_in_order, names, view.classes)
