"""SHAP values: the part of each feature in the difference of a raw score from the mean."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.extras import install_command
from sgtrees.inspection.extraction import Estimator
from sgtrees.inspection.model_view import ModelView, TargetType
from sgtrees.inspection.predictions import Floats
from sgtrees.inspection.rows import encoded_rows, explainable_view, explainer_of
from sgtrees.models.linear_leaves import refuse_linear_leaves

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
        The part of each feature in the raw score.
    base_values : float or ndarray of shape (n_outputs,)
        The mean raw score of the rows that the trees have learned.
    feature_names : tuple of str
        The features.
    output_names : tuple
        The label or target of each raw score: one label of two, all labels, or all targets; empty
        if one number is predicted.

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
    output_names: tuple[Hashable, ...]

    def as_explanation(self, X: Any = None) -> "shap.Explanation":
        """Return the values in the form that the plots of the package `shap` take.

        Parameters
        ----------
        X : array of shape (n_rows, n_features), optional
            The features' values, which the plots show as well.

        Returns
        -------
        shap.Explanation
            The same values.

        Raises
        ------
        ImportError
            If shap is not installed.
        """
        try:
            from shap import Explanation  # noqa: PLC0415
        except ImportError as error:
            raise ImportError(f"as_explanation needs shap: {install_command('shap')}") from error
        return Explanation(
            self.values,
            base_values=np.broadcast_to(
                self.base_values, (len(self.values), *self.values.shape[2:])
            ),
            data=None if X is None else np.asarray(X),
            feature_names=list(self.feature_names),
            output_names=list(map(str, self.output_names)) if self.values.ndim > 2 else None,
        )


def shap_values(estimator: Estimator, X: Any, *, n_threads: int = 1) -> ShapValues:
    """Explain predictions: exact SHAP values by path-dependent TreeSHAP.

    If a feature is left out, a row takes all branches, in proportion to their covers: a leaf's
    cover is the weight of its branch's rows at the split and of those since.

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
        The values: of the raw score for regression, of all if there are several targets; for
        two classes of the log odds of ``classes_[1]``, for more of all raw scores in the order of
        ``classes_``; for bags of the instances' scores.

    Raises
    ------
    ValueError
        If there is no tree yet, or if leaves are linear.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sgtrees import SGTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> explained = shap_values(SGTClassifier(random_state=0).fit(X, y), X)
    >>> explained.values.shape, explained.output_names
    ((150, 4, 3), (0, 1, 2))
    """
    view = explainable_view(estimator, "shap_values")
    refuse_linear_leaves(view.is_linear, "shap_values")
    explainer = explainer_of(estimator)
    block = encoded_rows(estimator, X)
    values = np.empty((len(block), len(view.features), view.n_outputs))
    for rows in _pieces(len(block)):
        values[rows] = explainer.shap_values(block[rows], n_threads)
    return _named(view, values, explainer.base())


def _pieces(n_rows: int) -> Iterator[slice]:
    for start in range(0, n_rows, _ROWS_PER_CALL):
        yield slice(start, start + _ROWS_PER_CALL)


def _named(view: ModelView, values: Floats, base: Floats) -> ShapValues:
    """Put the outputs into the order of their labels or targets."""
    names = tuple(feature.name for feature in view.features)
    if view.targets is not None:
        return ShapValues(values, base, names, view.targets)
    if not view.is_softmax:
        return _one_score(view, values[:, :, 0], float(base[0]), names)
    if view.n_outputs == 2:
        difference = values[:, :, 1] - values[:, :, 0]
        return _one_score(view, difference, float(base[1] - base[0]), names)
    places = [view.classes.index(label) for label in view.labels]
    in_order = np.zeros((*values.shape[:2], len(view.classes)))
    base_in_order = np.zeros(len(view.classes))
    in_order[:, :, places] = values
    base_in_order[places] = base
    return ShapValues(in_order, base_in_order, names, view.classes)


def _one_score(view: ModelView, values: Floats, base: float, names: tuple[str, ...]) -> ShapValues:
    if view.target_type is TargetType.CLASSES and view.labels[1] != max(view.labels):
        # The score is that of the label that was seen second.
        return ShapValues(-values, -base, names, (max(view.labels),))
    return ShapValues(values, base, names, view.labels[1:])
