"""Feature importances: by the gains of splits, or by permutation."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from sgtrees.data.bags import read_bags
from sgtrees.data.columns import Floats
from sgtrees.data.encoding import as_array, encode
from sgtrees.inspection.extraction import Estimator, as_view, model_of, view_model
from sgtrees.inspection.model_view import ModelView, TargetType
from sgtrees.inspection.rows import encoded_rows
from sgtrees.logs import report
from sgtrees.targets.labels import code_labels

_LOGGER = logging.getLogger(__name__)

Predict: TypeAlias = Callable[[Floats], NDArray[Any]]


@dataclass(frozen=True)
class Importances:
    """The importance of each feature.

    Attributes
    ----------
    feature_names : tuple of str
        The features, in the order of the model's columns.
    values : ndarray of shape (n_features,)
        Their importances.
    spread : ndarray of shape (n_features,) or None
        The standard deviation over repetitions, if there were any.

    Examples
    --------
    >>> importances = Importances(("size", "colour"), np.array([0.25, 0.75]))
    >>> print(importances)
    colour  0.75
    size    0.25
    """

    feature_names: tuple[str, ...]
    values: NDArray[np.float64]
    spread: NDArray[np.float64] | None = None

    def ranked(self) -> Iterator[tuple[str, float]]:
        """Walk through the features, the most important first."""
        for place in np.argsort(-self.values, kind="stable"):
            yield self.feature_names[place], float(self.values[place])

    def as_dict(self) -> dict[str, float]:
        """Return the importances by name, the greatest first."""
        return dict(self.ranked())

    def __str__(self) -> str:
        width = max(map(len, self.feature_names), default=0)
        return "\n".join(f"{name:<{width}}  {value:.4g}" for name, value in self.ranked())


def gain_importances(model: Estimator | ModelView, *, normalize: bool = True) -> Importances:
    """Sum the gains of all splits by feature.

    The gain of a split is the mean decrease in loss over the rows on which it was decided; here it
    counts once for each row that has reached the split. It includes the decrease that a better
    value of the leaf alone would have brought.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model.
    normalize : bool, default=True
        Whether the importances add up to 1.

    Returns
    -------
    Importances
        The sums; all 0 before the first split.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0, 5.0], [2.0, 5.0]] * 200, [10.0, 20.0] * 200
    >>> gain_importances(SGTRegressor(warm_up=50, epochs=1).fit(X, y)).as_dict()
    {'x0': 1.0, 'x1': 0.0}
    """
    view = as_view(model)
    gains = np.zeros(len(view.features))
    for tree in view.trees:
        for node in tree.nodes:
            if node.split is not None:
                gains[node.split.feature.number] += node.split.gain * node.cover
    total = gains.sum()
    if normalize and total > 0.0:
        gains /= total
    return Importances(tuple(feature.name for feature in view.features), gains)


def permutation_importances(
    estimator: Estimator,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    scoring: str | Callable[..., float] | None = None,
    n_repeats: int = 5,
    random_state: Any = None,
    verbose: int = 0,
) -> Importances:
    """Measure how much the score decreases when a feature's values are shuffled among the rows.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    X : array or data frame, or bags
        Rows that the estimator has not learned, as its methods take them.
    y : array of shape (n_rows,), or (n_bags,)
        Their labels or targets.
    groups : array of shape (n_rows,), optional
        The bag of each row, as in `SGTMultiInstanceClassifier`.
    scoring : str or callable, optional
        scikit-learn's name of a score, or a function of (estimator, X, y), which gets encoded rows
        and an object that predicts them. By default accuracy, or R2 for numbers.
    n_repeats : int, default=5
        How many times each feature is shuffled.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.
    verbose : int, default=0
        Whether to report each feature.

    Returns
    -------
    Importances
        The mean decrease of the score and its standard deviation; about 0 for a feature that is
        not used.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0, 5.0], [2.0, 5.0]] * 200, [10.0, 20.0] * 200
    >>> model = SGTRegressor(epochs=1).fit(X, y)
    >>> importances = permutation_importances(model, X, y, random_state=0).as_dict()
    >>> importances["x0"] > 0.5, importances["x1"]
    (True, 0.0)
    """
    view = view_model(estimator)
    random = check_random_state(random_state)
    encoded, block, y = _encoded(view, estimator, X, y, groups)
    scorer = EncodedModel.score if scoring is None else metrics.get_scorer(scoring)
    whole = scorer(encoded, block, y)
    decreases = np.empty((len(view.features), n_repeats))
    for feature in view.features:
        shuffled = block.copy()
        for repetition in range(n_repeats):
            shuffled[:, feature.number] = random.permutation(block[:, feature.number])
            decreases[feature.number, repetition] = whole - scorer(encoded, shuffled, y)
        report(
            _LOGGER,
            f"[permutation_importances] {feature.number + 1} of {len(view.features)}, "
            f"{feature.name}: {decreases[feature.number].mean():.4g}",
            verbose=verbose,
        )
    names = tuple(feature.name for feature in view.features)
    return Importances(names, decreases.mean(axis=1), decreases.std(axis=1))


class EncodedModel:
    """An estimator that predicts encoded rows, so that rows are read and encoded only once.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator, whose tags and labels scikit-learn's scorers use.
    predict : callable
        From encoded rows to predictions.
    predict_proba : callable, optional
        From encoded rows to probabilities.
    """

    def __init__(
        self, estimator: Estimator, predict: Predict, predict_proba: Predict | None = None
    ) -> None:
        self._estimator = estimator
        self.predict = predict
        if predict_proba is not None:
            self.predict_proba = predict_proba
            self.classes_ = estimator.classes_

    def __sklearn_tags__(self) -> Any:
        return self._estimator.__sklearn_tags__()

    def score(self, block: Floats, y: Any) -> float:
        """Return the accuracy, or R2 if numbers are predicted."""
        measure = metrics.accuracy_score if is_classifier(self) else metrics.r2_score
        return float(measure(y, self.predict(block)))


def _encoded(
    view: ModelView, estimator: Any, X: Any, y: Any, groups: Any
) -> tuple[EncodedModel, Floats, Any]:
    """Return a model of encoded rows, the rows, and their labels or targets."""
    model: Any = model_of(estimator)
    if view.target_type is not TargetType.BAGS:
        proba = model.predict_proba if is_classifier(estimator) else None
        return EncodedModel(estimator, model.predict, proba), encoded_rows(estimator, X), y
    bags = read_bags(X, groups, estimator.bag_column, type(estimator).__name__)
    coded = bags.label_of_each(code_labels(y))
    labels = np.array([coded.values[code] for code in coded.codes.tolist()])
    order, sizes = bags.order, bags.sizes

    def predict_proba(block: Floats) -> Floats:
        probabilities: Floats = model.probabilities(model.core.score(block)[order], sizes)
        return probabilities

    def predict(block: Floats) -> NDArray[Any]:
        predicted: NDArray[Any] = estimator.classes_[predict_proba(block).argmax(axis=1)]
        return predicted

    block, _ = encode(bags.table, model.schema.features, learn=False)
    return EncodedModel(estimator, predict, predict_proba), as_array(block), labels
