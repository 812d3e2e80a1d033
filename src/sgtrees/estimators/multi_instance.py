"""`SGTMultiInstanceClassifier`: a stochastic gradient tree that learns from bags of instances."""

import sys
import time
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sgtrees.data.bags import BagRows, Indices
from sgtrees.data.columns import Block
from sgtrees.data.encoding import encode, encode_weighted, first_schema
from sgtrees.data.schema import Additions, Declaration, read_ranges
from sgtrees.data.weights import ClassWeight, Weights, combine, read_weights
from sgtrees.estimators.bag_predictions import BagPredictions
from sgtrees.estimators.base import StreamEstimator
from sgtrees.estimators.parameters import check_parameters, core_options
from sgtrees.models.bag_model import BagModel, TwoLabels, rows_of, two_labels
from sgtrees.targets.labels import code_labels

# `fit` with epochs="auto" shows the learner about this many instances, in at most so many passes;
# `benchmarks/multi_instance.py` shows how they were compared.
_ENOUGH_INSTANCES = 600_000
_MOST_PASSES = 100
# The core is called for about so many instances at a time, between which an interrupt is noticed.
_INSTANCES_PER_CALL = 1 << 16


@dataclass
class LabelledBags:
    """Checked bags, ready to be learned; until then neither model nor estimator has changed."""

    model: BagModel
    block: Block
    sizes: NDArray[np.int64]
    targets: NDArray[np.float64]
    weights: Weights | None
    additions: Additions
    labels: TwoLabels

    def commit(self) -> None:
        """Make the bags' new categories and labels part of the model."""
        self.model.apply(self.additions)
        self.model.know(self.labels)

    def learn(self, order: Indices) -> None:
        """Learn all bags once, in this order."""
        for bags in _calls(order, self.sizes):
            weights = None if self.weights is None else self.weights[bags]
            rows = rows_of(bags, self.sizes)
            # Rows taken by their numbers lie one after the other again.
            self.model.core.learn(self.block[rows], self.sizes[bags], self.targets[bags], weights)


class SGTMultiInstanceClassifier(BagPredictions, StreamEstimator[Any]):
    """A stochastic gradient tree for multi-instance learning.

    What is labelled is a bag of instances: it is positive where at least one of its instances is,
    and nobody says which. The tree scores instances, and a bag's score is that of its highest one
    (or a soft maximum). `fit` makes several passes over the bags, `partial_fit` learns a stream of
    them.

    Bags are given in one of three ways, to all methods alike:

    - a list of two-dimensional arrays or data frames, one for each bag;
    - all rows in one array or data frame, and ``groups``, the bag of each row;
    - a data frame with a column that tells each row's bag (``bag_column``).

    In the last two bags count in order of first appearance, and ``y`` has a label for each bag or
    for each row.

    Parameters
    ----------
    pooling : {"log_sum_exp", "max"}, default="log_sum_exp"
        A bag's score: the highest of its instances' scores f (the paper's), or the soft maximum
        log(mean(exp(sharpness * f))) / sharpness, in which all instances have a share.
    sharpness : float, default=2.0
        How near the soft maximum comes to the maximum (great) or to the mean (small).
    n_bins : int, default=48
        Number of bins of a numeric feature, between which it may be split. Fewer of them leave less
        room to fit noise where bags are few and features many.
    binning : {"uniform", "quantile"}, default="uniform"
        Bins of equal width over the feature's range, or of about equally many instances.
    warm_up : int, default=1000
        Number of first instances in `partial_fit` that set the features' ranges and the start; it
        ends with a whole bag. `fit` takes them from all bags.
    grace_period : int, default=400
        Number of instances that a leaf gathers between two looks for a change.
    delta : float, default=0.001
        Significance level of the test that a change must pass.
    reg_lambda : float, default=0.01
        Regularisation of the values of leaves. Most instances of a bag have no say in its score
        but count here, so that it must be small.
    lambda_scaling : {"row", "sum"}, default="row"
        Whether ``reg_lambda`` counts once for each instance, or once for a leaf's sum.
    gamma : float, default=1.0
        Price of each branch of a split, in terms of the loss.
    max_depth : int, optional
        Greatest depth of the tree; a root alone has depth 0.
    max_leaves : int, optional
        Greatest number of leaves.
    max_memory : int or str, optional
        Bound on the model's memory: bytes, or a string like "64MB".
    categorical_features : "from_dtype", None, or sequence of str, int or bool, \
default="from_dtype"
        Which features are nominal, as in `SGTClassifier`.
    feature_ranges : dict, array of shape (n_features, 2) or pair, optional
        Ranges (lo, hi) of numeric features where they are known, as in `SGTClassifier`.
    start : {"data", "neutral"}, default="data"
        Whether the tree starts from the log odds of the bags in the warm-up, or from 0.
    positive_label : str, int or bool, optional
        The label of positive bags; by default the greater of the two (1, True, "yes").
    class_weight : dict or "balanced", optional
        A weight for each label; "balanced" (in `fit` only) makes both count the same.
    bag_column : str, default="bag"
        The column that tells each row's bag, in a data frame given without ``groups``.
    epochs : int or "auto", default="auto"
        Number of passes that `fit` makes, each over the bags in an order of its own (a single pass
        keeps theirs). "auto": as many as show the tree 600,000 instances, at most 100.
        `partial_fit` makes one pass, always.
    n_threads : int, default=1
        Number of threads that learn; the model is the same for any number.
    verbose : int, default=0
        Whether `fit` reports each pass.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders of bags in `fit`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Both labels, sorted.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of str
        The features' names, where all of them have one.
    n_nodes_, n_leaves_, depth_ : int
        The size of the tree, and its depth.
    n_updates_, n_splits_ : int
        How often leaves have got new values, and have been split.

    See Also
    --------
    SGTClassifier : For rows that have labels of their own.

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

    def __init__(
        self,
        *,
        pooling: str = "log_sum_exp",
        sharpness: float = 2.0,
        n_bins: int = 48,
        binning: str = "uniform",
        warm_up: int = 1000,
        grace_period: int = 400,
        delta: float = 1e-3,
        reg_lambda: float = 0.01,
        lambda_scaling: str = "row",
        gamma: float = 1.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_memory: int | str | None = None,
        categorical_features: Any = "from_dtype",
        feature_ranges: Any = None,
        start: str = "data",
        positive_label: Any = None,
        class_weight: Mapping[Any, float] | str | None = None,
        bag_column: Hashable = "bag",
        epochs: int | str = "auto",
        n_threads: int = 1,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.pooling = pooling
        self.sharpness = sharpness
        self.n_bins = n_bins
        self.binning = binning
        self.warm_up = warm_up
        self.grace_period = grace_period
        self.delta = delta
        self.reg_lambda = reg_lambda
        self.lambda_scaling = lambda_scaling
        self.gamma = gamma
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_memory = max_memory
        self.categorical_features = categorical_features
        self.feature_ranges = feature_ranges
        self.start = start
        self.positive_label = positive_label
        self.class_weight = class_weight
        self.bag_column = bag_column
        self.epochs = epochs
        self.n_threads = n_threads
        self.verbose = verbose
        self.random_state = random_state

    @property
    def classes_(self) -> NDArray[Any]:
        """Both labels, sorted."""
        classes: NDArray[Any] = self._known("classes_").labels.ordering.classes
        return classes

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
            The bag of each row, where X holds all rows.
        sample_weight : array of shape (n_bags,), optional
            The bags' weights; a bag of weight 0 is passed over.

        Returns
        -------
        SGTMultiInstanceClassifier
            The estimator itself.

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
            model = self._model_of(bags, warm_up=bags.table.n_rows)
            batch = self._labelled(model, bags, y, None, sample_weight)
            if batch.weights is not None and not batch.weights.any():
                raise ValueError("sample_weight is zero for all bags; there is nothing to learn")
            orders = self._orders_of_bags(batch)
            batch.commit()
            self._learn_bags(batch, orders)
            self._model = model
        return self

    def partial_fit(
        self, X: Any, y: Any, groups: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn bags, in their order, once; ``epochs`` has no say here.

        Parameters
        ----------
        X : list of arrays or data frames, or one of either
            The bags; NaN, None and NA are missing values.
        y : array of shape (n_bags,) or (n_rows,)
            Their labels.
        groups : array of shape (n_rows,), optional
            The bag of each row, where X holds all rows. A bag must come in one call as a whole.
        classes : array of shape (2,), optional
            Both labels; needed in the first call where its bags have only one of them (and are not
            True or False).
        sample_weight : array of shape (n_bags,), optional
            The bags' weights; a bag of weight 0 is passed over.

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
                model = self._model_of(bags)
            else:
                model.require_learning()
                validate_data(self, bags.sample, reset=False, skip_check_array=True)
            model.class_weight.check_stream()
            batch = self._labelled(model, bags, y, classes, sample_weight)
            batch.commit()
            batch.learn(np.arange(len(bags)))
            self._model = model
        return self

    def _model_of(self, bags: BagRows, **options: Any) -> BagModel:
        """Return a model that has learned nothing yet; ``options`` go before the parameters."""
        parameters = self.get_params(deep=False)
        check_parameters(parameters)
        declaration = Declaration(self.categorical_features)
        schema = first_schema(bags.table, declaration)
        model = BagModel(
            core_options(parameters) | options,
            schema,
            read_ranges(self.feature_ranges, schema),
            declaration,
            ClassWeight(self.class_weight),
            float(self.sharpness) if self.pooling == "log_sum_exp" else 0.0,
        )
        model.lock = self._lock
        return model

    def _labelled(
        self, model: BagModel, bags: BagRows, y: Any, classes: Any, sample_weight: Any
    ) -> LabelledBags:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        coded = bags.label_of_each(code_labels(y))
        declared = None if classes is None else code_labels(classes)
        positive = self.positive_label if model.positive is None else model.positive
        labels = two_labels(coded, bags.names, model.labels, declared, positive)
        weights = combine(_weights_of_bags(sample_weight, len(bags)), model.class_weight, coded)
        of_row = None if weights is None else weights[bags.bag_of_row]
        block, additions = encode_weighted(bags.table, model.schema.features, of_row)
        targets = labels.targets(coded)
        return LabelledBags(
            model, block[bags.order], bags.sizes, targets, weights, additions, labels
        )

    def _orders_of_bags(self, batch: LabelledBags) -> list[Indices]:
        n_bags = len(batch.sizes)
        passes = self._n_passes(len(batch.block))
        if passes == 1:
            return [np.arange(n_bags)]
        random = check_random_state(self.random_state)
        return [random.permutation(n_bags) for _ in range(passes)]

    def _n_passes(self, n_rows: int) -> int:
        if self.epochs != "auto":
            return int(self.epochs)
        return min(_MOST_PASSES, ceil(_ENOUGH_INSTANCES / n_rows))

    def _learn_bags(self, batch: LabelledBags, orders: list[Indices]) -> None:
        core = batch.model.core
        for number, order in enumerate(orders, start=1):
            began = time.perf_counter()
            batch.learn(order)
            core.end_warm_up()
            if self.verbose:
                seconds = time.perf_counter() - began
                sys.stdout.write(
                    f"[{type(self).__name__}] pass {number} of {len(orders)}: {len(order):,} bags "
                    f"in {seconds:.2f} s, {core.n_leaves:,} leaves\n"
                )

    # ---- predicting -----------------------------------------------------------------------------

    def predict_proba(self, X: Any, groups: Any = None) -> NDArray[np.float64]:
        """Predict the probability of both labels for each bag.

        Parameters
        ----------
        X : list of arrays or data frames, or one of either
            The bags.
        groups : array of shape (n_rows,), optional
            The bag of each row, where X holds all rows.

        Returns
        -------
        ndarray of shape (n_bags, 2)
            The probabilities, in the order of ``classes_``.
        """
        scores, sizes = self._scores(X, groups)
        model: BagModel = self._known("predict_proba")
        return model.probabilities(scores, sizes)

    def instance_scores(self, X: Any, groups: Any = None) -> list[NDArray[np.float64]]:
        """Score the instances of each bag.

        Parameters
        ----------
        X : list of arrays or data frames, or one of either
            The bags.
        groups : array of shape (n_rows,), optional
            The bag of each row, where X holds all rows.

        Returns
        -------
        list of ndarray
            For each bag the scores of its instances in their order: log odds of being positive, so
            that those above 0 speak for the positive label.

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
        """Find the instance of each bag that speaks most for the positive label.

        In a bag that is predicted to be positive it is the one that made it so; in others the one
        that came nearest to that.

        Parameters
        ----------
        X : list of arrays or data frames, or one of either
            The bags.
        groups : array of shape (n_rows,), optional
            The bag of each row, where X holds all rows.

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
        model: BagModel = self._known("predict")
        bags = self._read_bags(X, groups)
        validate_data(self, bags.sample, reset=False, skip_check_array=True)
        block, _ = encode(bags.table, model.schema.features, learn=False)
        return model.core.score(block)[bags.order], bags.sizes


def _weights_of_bags(sample_weight: Any, n_bags: int) -> Weights | None:
    if sample_weight is not None and not np.isscalar(sample_weight):
        given = np.shape(sample_weight)
        if len(given) == 1 and given[0] != n_bags:
            raise ValueError(
                f"sample_weight has {given[0]} values for {n_bags} bags; give one for each bag"
            )
    return read_weights(sample_weight, n_bags)


def _calls(order: Indices, sizes: NDArray[np.int64]) -> Iterator[Indices]:
    """Cut an order of bags into pieces of about as many instances as one call shall have."""
    piece = np.cumsum(sizes[order]) // _INSTANCES_PER_CALL
    yield from np.split(order, np.flatnonzero(np.diff(piece)) + 1)
