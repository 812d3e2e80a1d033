"""How much each feature matters: by the gains of its splits, or by what its loss would cost."""

import copy
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state

from sgtrees.data.encoding import as_array, encode
from sgtrees.estimators.multi_instance import SGTMultiInstanceClassifier
from sgtrees.inspection.reading import Estimator, as_view, model_of, view_model
from sgtrees.inspection.rows import block_of
from sgtrees.inspection.view import ModelView
from sgtrees.targets.labels import code_labels


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
        The standard deviation over repetitions, where there were any.

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
    """Sum the gains of all splits by the feature that they ask.

    The gain of a split is the fall in loss that it promised, on the mean over the rows that decided
    it; here it counts once for each row that has come to the split. The catching up of the leaf's
    value is part of it.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model.
    normalize : bool, default=True
        Whether the importances shall add up to 1.

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
    """Measure by how much the score falls where a feature's values are shuffled among the rows.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    X : array or data frame, or bags
        Rows that it should not have learned, as its methods take them.
    y : array of shape (n_rows,), or (n_bags,)
        Their labels or targets.
    groups : array of shape (n_rows,), optional
        The bag of each row, as in `SGTMultiInstanceClassifier`.
    scoring : str or callable, optional
        scikit-learn's name of a score, or a function of (estimator, X, y), which gets rows in an
        encoded form that only this estimator understands. By default the estimator's own score.
    n_repeats : int, default=5
        How often each feature is shuffled.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.
    verbose : int, default=0
        Whether to report each feature.

    Returns
    -------
    Importances
        The mean fall of the score and its standard deviation; about 0 for what does not matter.

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
    asked, block, y = _over_blocks(estimator, X, y, groups)
    scorer = check_scoring(asked, scoring=scoring)
    whole = scorer(asked, block, y)
    falls = np.empty((len(view.features), n_repeats))
    for feature in view.features:
        shuffled = block.copy()
        for repetition in range(n_repeats):
            shuffled[:, feature.number] = random.permutation(block[:, feature.number])
            falls[feature.number, repetition] = whole - scorer(asked, shuffled, y)
        if verbose:
            fall = falls[feature.number].mean()
            sys.stdout.write(
                f"[permutation_importances] {feature.number + 1} of {len(view.features)}, "
                f"{feature.name}: {fall:.4g}\n"
            )
    names = tuple(feature.name for feature in view.features)
    return Importances(names, falls.mean(axis=1), falls.std(axis=1))


def _over_blocks(
    estimator: Estimator, X: Any, y: Any, groups: Any
) -> tuple[Estimator, NDArray[Any], Any]:
    """Return a copy of the estimator that takes encoded rows, the rows, and what to predict.

    So rows are read and encoded once, whatever they are, and any score can be asked for.
    """
    asked: Any = copy.copy(estimator)
    if not isinstance(estimator, SGTMultiInstanceClassifier):
        asked._block_to_predict = lambda block: block
        return asked, block_of(estimator, X), y
    bags = estimator._read_bags(X, groups)
    model = model_of(estimator)
    coded = bags.label_of_each(code_labels(y))
    labels = np.array([coded.values[code] for code in coded.codes.tolist()])
    asked._scores = lambda block, _: (model.core.score(block)[bags.order], bags.sizes)
    asked.score = lambda block, labels: float(np.mean(asked.predict(block) == labels))
    block, _ = encode(bags.table, model.schema.features, learn=False)
    return asked, as_array(block), labels
