"""Stochastic gradient trees that learn from bags of instances: a single one, or boosted ones."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from sgtrees.data.bags import BagRows
from sgtrees.data.encoding import as_array, encode, first_schema
from sgtrees.data.schema import Declaration
from sgtrees.data.weights import ClassWeight, Weights, read_weights
from sgtrees.estimators.bag_predictions import BagPredictions
from sgtrees.estimators.base import StreamEstimator, passes_for
from sgtrees.estimators.ensemble import Ensemble
from sgtrees.models.bag_model import BagModel, two_labels
from sgtrees.models.batch import Batch
from sgtrees.models.model import Start
from sgtrees.parameters.constructors import documented
from sgtrees.parameters.table.bags import MultiInstanceParameters
from sgtrees.parameters.table.ensembles import BoostingMultiInstanceParameters
from sgtrees.targets.labels import code_labels
from sgtrees.targets.outputs import Outputs

# `fit` with epochs="auto" shows the learner about this many instances, in at most so many passes;
# `benchmarks/multi_instance.py` shows how they were compared.
_ENOUGH_INSTANCES = 600_000
_MOST_PASSES = 100


@documented
class SGTMultiInstanceClassifier(
    MultiInstanceParameters, BagPredictions, StreamEstimator[BagModel]
):
    """A stochastic gradient tree for multi-instance learning.

    Bags of instances have labels: a bag is positive if at least one of its instances is, and which
    one is not known. The tree scores instances, and a bag's score is that of its highest one (or a
    soft maximum). `fit` makes several passes over the bags, `partial_fit` learns a stream of them.

    Bags are given in one of three ways, to all methods alike:

    - a list of two-dimensional arrays or data frames, one for each bag;
    - all rows in one array or data frame, and ``groups``, the bag of each row;
    - a data frame with a column that holds each row's bag (``bag_column``).

    In the last two bags count in order of first appearance, and ``y`` has a label for each bag or
    for each row.

    Parameters
    ----------
    **parameters
        ``help(SGTMultiInstanceClassifier)`` and ``docs/parameters.md`` describe them.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Both labels, sorted.
    n_features_in_, feature_names_in_, n_nodes_, n_leaves_, depth_, n_updates_, n_splits_
        As for `SGTClassifier`.

    See Also
    --------
    SGTClassifier : For rows that have labels.

    Notes
    -----
    Parameters are read when a model starts: at `fit`, or at the first `partial_fit`. A call that is
    refused for its input leaves the model exactly as it was.

    The hessian under ``pooling="log_sum_exp"`` is a surrogate: p (1 - p) times the instance's
    share.

    References
    ----------
    H. Gouk, B. Pfahringer, E. Frank: Stochastic Gradient Trees. ACML 2019. Section 4.3.

    Examples
    --------
    Bags of random numbers; those that hold a number above 0.9 are positive:

    >>> import numpy as np
    >>> from sgtrees import SGTMultiInstanceClassifier
    >>> random = np.random.default_rng(0)
    >>> bags = [random.random((random.integers(2, 8), 1)) for _ in range(300)]
    >>> y = [bool(bag.max() > 0.9) for bag in bags]
    >>> model = SGTMultiInstanceClassifier(random_state=0).fit(bags, y)
    >>> model.predict([[[0.2], [0.95], [0.5]], [[0.2], [0.5]]])
    array([ True, False])

    Which instance made it positive?

    >>> model.deciding_instances([[[0.2], [0.95], [0.5]]])
    array([1])
    """

    _model_classes = (BagModel,)
    _items = "bags"

    @property
    def classes_(self) -> NDArray[Any]:
        """Both labels, sorted."""
        return self._known("classes_").classes

    # ---- learning -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X : list of arrays or data frames, or one of either
            The bags; NaN, None and NA are missing values.
        y : array of shape (n_bags,) or (n_rows,)
            Their labels, two different ones.
        groups : array of shape (n_rows,), optional
            The bag of each row, if X holds all rows.
        sample_weight : array of shape (n_bags,), optional
            The bags' weights; a bag of weight 0 is ignored.

        Returns
        -------
        SGTMultiInstanceClassifier
            The estimator itself; bags that it learned before are forgotten.

        Examples
        --------
        >>> X, y = [[0.0], [1.0], [0.0], [0.0]] * 100, ["hot", "cold"] * 100
        >>> groups = np.arange(400) // 2
        >>> model = SGTMultiInstanceClassifier(random_state=0).fit(X, y, groups)
        >>> model.predict([[0.0], [0.0], [1.0]], groups=["a", "a", "b"])
        array(['cold', 'hot'], dtype='<U4')
        """
        with self._lock:
            bags = self._read_bags(X, groups)
            model = self._start_with(bags, warm_up=bags.table.n_rows)
            batch = self._batch(model, bags, y, None, sample_weight, is_whole=True)
            self._fit(batch, self._orders(len(batch), bags.table.n_rows))
        return self

    def partial_fit(
        self, X: Any, y: Any, groups: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn bags, in their order, once, whatever ``epochs`` is.

        Parameters
        ----------
        X, y, groups
            As for `fit`. All rows of a bag must come in one call.
        classes : array of shape (2,), optional
            Both labels; needed in the first call if its bags have only one of them (and are not
            True or False).
        sample_weight
            As for `fit`.

        Returns
        -------
        SGTMultiInstanceClassifier
            The estimator itself.

        Examples
        --------
        >>> model = SGTMultiInstanceClassifier()
        >>> model.partial_fit([[[0.5], [0.7]]], [0], classes=[0, 1]).classes_
        array([0, 1])
        """
        with self._lock:
            bags = self._read_bags(X, groups)
            model = self._model
            if model is None:
                model = self._start_with(bags)
            else:
                model.require_learning()
                validate_data(self, bags.sample, reset=False, skip_check_array=True)
            self._batch(model, bags, y, classes, sample_weight).learn()
            self._model = model
        return self

    def _start_with(self, bags: BagRows, **options: Any) -> BagModel:
        declaration = Declaration(self.categorical_features)
        return self._start(first_schema(bags.table, declaration), declaration, **options)

    def _new_model(self, start: Start, outputs: Outputs | None) -> BagModel:  # noqa: ARG002
        return BagModel(
            start,
            ClassWeight(self.class_weight),
            float(self.sharpness) if self.pooling == "log_sum_exp" else 0.0,
        )

    def _batch(
        self,
        model: BagModel,
        bags: BagRows,
        y: Any,
        classes: Any,
        sample_weight: Any,
        *,
        is_whole: bool = False,
    ) -> Batch[BagModel]:
        if y is None:
            raise self._no_y()
        coded = bags.label_of_each(code_labels(y))
        declared = None if classes is None else code_labels(classes)
        positive = self.positive_label if model.positive is None else model.positive
        labels = two_labels(coded, bags.names, model.labels, declared, positive)
        weights = _weights_of_bags(sample_weight, len(bags))
        return model.batch_of_bags(bags, coded, weights, labels, is_whole=is_whole)

    def _auto_passes(self, n_rows: int) -> int:
        return passes_for(n_rows, _ENOUGH_INSTANCES, _MOST_PASSES)

    # ---- predicting -----------------------------------------------------------------------------

    # It is described in the base class.
    def predict_proba(self, X: Any, groups: Any = None) -> NDArray[np.float64]:  # noqa: D102
        scores, sizes = self._scores(X, groups)
        model = self._known("predict_proba")
        return model.probabilities(scores, sizes)

    def instance_scores(self, X: Any, groups: Any = None) -> list[NDArray[np.float64]]:
        """Score the instances of each bag.

        Parameters
        ----------
        X, groups
            The bags, as for `fit`.

        Returns
        -------
        list of ndarray
            For each bag the scores of its instances in their order: log odds of being positive, so
            that those above 0 count for the positive label.

        Examples
        --------
        >>> bags, y = [[[0.0], [1.0]], [[0.0], [0.0]]] * 100, [1, 0] * 100
        >>> model = SGTMultiInstanceClassifier(random_state=0).fit(bags, y)
        >>> [scores > 0 for scores in model.instance_scores([[[0.0], [1.0], [0.0]], [[0.0]]])]
        [array([False,  True, False]), array([False])]
        """
        scores, sizes = self._scores(X, groups)
        return np.split(scores, np.cumsum(sizes)[:-1])

    def deciding_instances(self, X: Any, groups: Any = None) -> NDArray[np.intp]:
        """Find the instance of each bag with the highest score for the positive label.

        In a bag that is predicted to be positive it is the one that made it so; in others the one
        that came nearest to that.

        Parameters
        ----------
        X, groups
            As for `instance_scores`.

        Returns
        -------
        ndarray of shape (n_bags,)
            The place, counted from 0, of the highest-scoring instance within its bag; of several,
            the first.
        """
        scores = self.instance_scores(X, groups)
        return np.array([of_bag.argmax() for of_bag in scores], dtype=np.intp)

    def _scores(self, X: Any, groups: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the scores of all instances, bag by bag, and the bags' sizes."""
        check_is_fitted(self)
        model = self._known("predict")
        bags = self._read_bags(X, groups)
        validate_data(self, bags.sample, reset=False, skip_check_array=True)
        block, _ = encode(bags.table, model.schema.features, learn=False)
        return model.core.score(as_array(block))[bags.order], bags.sizes


@documented
class SGTBoostingMultiInstanceClassifier(
    BoostingMultiInstanceParameters, Ensemble, SGTMultiInstanceClassifier
):
    """Gradient boosting of stochastic gradient trees, for multi-instance learning.

    The score of an instance is the sum of the trees' scores. Each tree learns what those before it
    leave unexplained: the gradients of a bag's loss at the sum of their scores, divided among its
    instances. A bag is learned by a tree as many times as a Poisson distribution says.

    Parameters
    ----------
    **parameters
        ``help(SGTBoostingMultiInstanceClassifier)`` and ``docs/parameters.md`` describe them.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As for `SGTMultiInstanceClassifier`.
    n_nodes_, n_leaves_, depth_, n_updates_, n_splits_
        As for `SGTMultiInstanceClassifier`, over all trees.

    See Also
    --------
    SGTMultiInstanceClassifier : A single tree, whose notes hold here too.

    Examples
    --------
    >>> from sgtrees import SGTBoostingMultiInstanceClassifier
    >>> bags, y = [[[0.0], [1.0]], [[0.0], [0.0]]] * 100, [1, 0] * 100
    >>> model = SGTBoostingMultiInstanceClassifier(n_estimators=5, epochs=10, random_state=0)
    >>> model.fit(bags, y).predict([[[0.0]], [[0.0], [1.0], [0.0]]])
    array([0, 1])
    """

    _combinations = ("boosting",)


def _weights_of_bags(sample_weight: Any, n_bags: int) -> Weights | None:
    if sample_weight is not None and not np.isscalar(sample_weight):
        given = np.shape(sample_weight)
        if len(given) == 1 and given[0] != n_bags:
            raise ValueError(
                f"sample_weight has {given[0]} values for {n_bags} bags; give one for each bag"
            )
    return read_weights(sample_weight, n_bags)
