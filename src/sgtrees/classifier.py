"""`SGTClassifier`: stochastic gradient trees that predict classes."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sgtrees._core import encode_event
from sgtrees.coding import Floats
from sgtrees.declaration import Declaration
from sgtrees.estimator import Batch, StreamEstimator
from sgtrees.labelled import (
    LabelledBatch,
    in_order_of_classes,
    number_in_order,
    predict_and_learn,
    read_declared,
)
from sgtrees.labels import Label, code_label, code_labels
from sgtrees.losses.built_in import LogLoss
from sgtrees.losses.own import read_loss
from sgtrees.model import ClassifierModel
from sgtrees.parameters import core_options
from sgtrees.ranges import read_ranges
from sgtrees.schema import Feature, Schema
from sgtrees.tables import Table
from sgtrees.weights import ClassWeight, check_weight, combine, read_weights


class SGTClassifier(ClassifierMixin, StreamEstimator[ClassifierModel]):
    """Stochastic gradient trees for classification.

    The trees grow while rows come in, one after the other, in bounded memory and in a single pass:
    `partial_fit` learns a block, `learn_one` a single event, and a block, its halves and its single
    rows give the very same model. `fit` starts anew and makes several passes where rows are few.

    Parameters
    ----------
    n_bins : int, default=64
        Number of bins of a numeric feature, between which it may be split.
    binning : {"uniform", "quantile"}, default="uniform"
        Bins of equal width over the feature's range, or of about equally many rows.
    warm_up : int, default=1000
        Number of first rows that set the features' ranges and the start; they are learned when all
        of them have come.
    grace_period : int, default=200
        Number of rows that a leaf gathers between two looks for a change.
    delta : float, default=1e-7
        Significance level of the test that a change must pass.
    reg_lambda : float, default=0.1
        Regularisation of the values of leaves.
    lambda_scaling : {"row", "sum"}, default="row"
        Whether ``reg_lambda`` counts once for each row, or once for a leaf's sum.
    gamma : float, default=1.0
        Price of each branch of a split, in terms of the loss.
    max_depth : int, optional
        Greatest depth of a tree; a root alone has depth 0.
    max_leaves : int, optional
        Greatest number of leaves of a tree.
    max_memory : int or str, optional
        Bound on the model's memory: bytes, or a string like "64MB".
    categorical_features : "from_dtype", None, or sequence of str, int or bool, \
default="from_dtype"
        Which features are nominal. "from_dtype": strings, categoricals and booleans (columns of a
        data frame or of an array of objects, and values in events). Otherwise their names, their
        column numbers, or a boolean for each column; None for no feature.
    feature_ranges : dict, array of shape (n_features, 2) or pair, optional
        Ranges (lo, hi) of numeric features where they are known: by name or column number, for all
        in order, or one for all. The warm-up tells the others; with a range for every numeric
        feature there is none.
    start : {"data", "neutral"}, default="data"
        Whether a tree starts from the class frequencies of the warm-up, or from 0.
    loss : {"log_loss", "focal", "exponential"}, Loss or callable, default="log_loss"
        The loss to be made small. All but the log loss are for two classes: a name; one of
        `sgtrees.losses`, with parameters of its own, like ``Focal(gamma=1.0)``; or one's own, as a
        `Loss` or a function ``(y, raw) -> (g, h)``, in which y is 1 for the label that came second
        and 0 for the one that came first, and the link gives the probability of y = 1.
    multiclass : {"committee"}, default="committee"
        How more than two classes are told apart: by one tree less than there are classes.
    class_weight : dict or "balanced", optional
        A weight for each label; "balanced" (in `fit` only) makes all classes count the same.
    epochs : int or "auto", default="auto"
        Number of passes that `fit` makes. "auto": one where rows are many, several where they are
        few. With more than one, each pass takes the rows in an order of its own.
    n_threads : int, default=1
        Number of threads that learn; the model is the same for any number.
    verbose : int, default=0
        Whether `fit` reports each pass.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders of rows in `fit`.

    Attributes
    ----------
    classes_ : ndarray
        All labels seen or declared, sorted.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of str
        The features' names, where all of them have one.
    n_nodes_, n_leaves_, depth_ : int
        The size of all trees together, and the depth of the deepest.
    n_updates_, n_splits_ : int
        How often leaves have got new values, and have been split.

    See Also
    --------
    SGTRegressor : The same for numbers to be predicted.
    sgtrees.losses : Losses, and how to write and check one's own.

    Notes
    -----
    Parameters are read when a model starts: at `fit`, or at the first row of `partial_fit`,
    `learn_predict` or `learn_one`. What `set_params` changes later takes effect at the next `fit`.

    A call that is refused for its input leaves the model exactly as it was.

    One thread learns at a time, others wait for it. Predictions may be made by other threads in the
    meantime; they see the model between two rows.

    References
    ----------
    H. Gouk, B. Pfahringer, E. Frank: Stochastic Gradient Trees. ACML 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sgtrees import SGTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SGTClassifier(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    Event by event, with features that have names:

    >>> model = SGTClassifier()
    >>> model.predict_one({"colour": "red", "size": 3.5}) is None
    True
    >>> model.learn_one({"colour": "red", "size": 3.5}, "apple").predict_one({"colour": "red"})
    'apple'
    """

    def __init__(
        self,
        *,
        n_bins: int = 64,
        binning: str = "uniform",
        warm_up: int = 1000,
        grace_period: int = 200,
        delta: float = 1e-7,
        reg_lambda: float = 0.1,
        lambda_scaling: str = "row",
        gamma: float = 1.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_memory: int | str | None = None,
        categorical_features: Any = "from_dtype",
        feature_ranges: Any = None,
        start: str = "data",
        loss: Any = "log_loss",
        multiclass: str = "committee",
        class_weight: Mapping[Any, float] | str | None = None,
        epochs: int | str = "auto",
        n_threads: int = 1,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
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
        self.loss = loss
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.epochs = epochs
        self.n_threads = n_threads
        self.verbose = verbose
        self.random_state = random_state

    def _new_model(self, schema: Schema, declaration: Declaration) -> ClassifierModel:
        ranges = read_ranges(self.feature_ranges, schema)
        options = core_options(self.get_params(deep=False))
        weight = ClassWeight(self.class_weight)
        loss = read_loss(self.loss, for_classes=True)
        return ClassifierModel(options, schema, ranges, declaration, loss, weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._takes_many_classes
        return tags

    @property
    def _takes_many_classes(self) -> bool:
        return self.loss == "log_loss" or type(self.loss) is LogLoss

    @property
    def classes_(self) -> NDArray[Any]:
        """All labels seen or declared, sorted."""
        return self._known("classes_").labels.ordering.classes

    # ---- learning blocks ------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows; NaN, None and NA are missing values.
        y : array of shape (n_rows,)
            Their labels.
        sample_weight : array of shape (n_rows,), optional
            Their weights; a row of weight 0 is passed over.

        Returns
        -------
        SGTClassifier
            The estimator itself.

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [0.9], [1.0]] * 100, ["low", "low", "high", "high"] * 100
        >>> SGTClassifier(random_state=0).fit(X, y).predict([[0.05], [0.95]])
        array(['low', 'high'], dtype='<U4')
        """
        with self._lock:
            self._check_lengths(X, y)
            table = self._read_table(X, against=None)
            model = self._model_for(table)
            orders = self._orders(table.n_rows)
            batch = self._labelled(model, table, y, sample_weight, None, orders[0])
            if batch.weights is not None and not batch.weights.any():
                raise ValueError("sample_weight is zero for all rows; there is nothing to learn")
            batch.commit()
            self._learn_passes(batch, batch.labels.numbers, orders)
            self._model = model
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn a block of rows, in their order, once.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows; NaN, None and NA are missing values.
        y : array of shape (n_rows,)
            Their labels; new ones may appear in any call.
        classes : array, optional
            Labels that may occur. They need not be declared; those that are belong to ``classes_``
            at once, with probability 0 until a row has had them.
        sample_weight : array of shape (n_rows,), optional
            The rows' weights; a row of weight 0 is passed over.

        Returns
        -------
        SGTClassifier
            The estimator itself.

        Examples
        --------
        >>> model = SGTClassifier().partial_fit([[1.0], [2.0]], ["a", "b"])
        >>> model.partial_fit([[3.0]], ["c"]).classes_
        array(['a', 'b', 'c'], dtype='<U1')
        """
        self._learn(X, y, classes, sample_weight, by_name=False)
        return self

    def _learn(self, X: Any, y: Any, classes: Any, sample_weight: Any, *, by_name: bool) -> None:
        with self._lock:
            batch = self._stream_batch(X, y, classes, sample_weight, by_name=by_name)
            batch.commit()
            with self._learning(batch) as model:
                model.core.learn(batch.block, batch.labels.numbers, batch.weights)

    def learn_predict(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        method: Literal["predict", "predict_proba"] = "predict",
    ) -> NDArray[Any]:
        """Learn a block and return what was predicted for each row just before it was learned.

        This is test-then-train evaluation in a single pass.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows.
        y : array of shape (n_rows,)
            Their labels.
        sample_weight : array of shape (n_rows,), optional
            Their weights; a row of weight 0 is predicted, but not learned.
        method : {"predict", "predict_proba"}, default="predict"
            What to return.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Labels, or the probabilities of ``classes_`` as they are after the call. The first row
            of all, for which there is nothing to go by, gets ``classes_[0]``, or zeros.

        Examples
        --------
        >>> SGTClassifier().learn_predict([[1.0], [2.0], [3.0]], ["b", "b", "a"])
        array(['a', 'b', 'b'], dtype='<U1')
        """
        if method not in ("predict", "predict_proba"):
            raise ValueError(f"method == {method!r}, must be 'predict' or 'predict_proba'.")
        with self._lock:
            batch = self._stream_batch(X, y, None, sample_weight)
            batch.commit()
            with self._learning(batch):
                result = predict_and_learn(batch, method)
        return result

    def _stream_batch(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, *, by_name: bool = False
    ) -> LabelledBatch:
        self._check_lengths(X, y)
        model, table, features = self._rows_to_learn(X, by_name=by_name)
        model.class_weight.check_stream()
        return self._labelled(model, table, y, sample_weight, classes, None, features)

    def _labelled(
        self,
        model: ClassifierModel,
        table: Table,
        y: Any,
        sample_weight: Any,
        classes: Any,
        order: NDArray[np.intp] | None,
        features: Sequence[Feature] = (),
    ) -> LabelledBatch:
        coded = code_labels(y)
        declared = None if classes is None else read_declared(classes, model, coded)
        weights = combine(read_weights(sample_weight, table.n_rows), model.class_weight, coded)
        labels = number_in_order(coded, model, weights, order)
        model.check_labels([*labels.new, *(declared[0] if declared else ())])
        batch = self._encode_block(model, table, weights, features)
        return LabelledBatch(batch.model, batch.block, batch.additions, weights, labels, declared)

    # ---- predicting blocks ----------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The most probable labels; ties go to the one that comes first in ``classes_``.

        Examples
        --------
        >>> SGTClassifier().partial_fit([[1.0], [2.0]], [7, 7]).predict([[1.5]])
        array([7])
        """
        return self._labels(self._block_to_predict, X)

    def _labels(self, read: Callable[[Any], Floats], X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        model = self._known("predict")
        ordering = model.labels.ordering
        rank = ordering.rank
        numbers = self._ask(model, read, X, lambda rows: model.core.predict_labels(rows, rank))
        labels: NDArray[Any] = ordering.by_number[numbers]
        return labels

    def _probabilities(self, read: Callable[[Any], Floats], X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        model = self._known("predict_proba")
        return in_order_of_classes(model, self._ask(model, read, X, model.core.predict_proba))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each label for each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, in the order of ``classes_``.

        Examples
        --------
        >>> SGTClassifier().partial_fit([[1.0], [2.0]], [7, 8]).predict_proba([[1.5]])
        array([[0.5, 0.5]])
        """
        return self._probabilities(self._block_to_predict, X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithm of the probability of each label for each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The logarithms, minus infinity for labels that no row has had.
        """
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    # ---- events ---------------------------------------------------------------------------------

    def learn_one(self, x: Mapping[Any, object], y: Any, w: float = 1.0) -> Self:
        """Learn one event.

        Parameters
        ----------
        x : mapping from feature names to values
            Features that are absent, None or NaN are missing. New ones may appear at any time:
            they are nominal where their first value is a string or a boolean (or as
            ``categorical_features`` says). A model that learned arrays without names takes the
            keys 0, 1, 2, ... or "x0", "x1", "x2", ..., and no others.
        y : str, int or bool
            The label.
        w : float, default=1.0
            The weight; 0 passes the event over.

        Returns
        -------
        SGTClassifier
            The estimator itself.

        Examples
        --------
        >>> model = SGTClassifier().learn_one({"size": 3.5}, "apple")
        >>> model.learn_one({"size": 0.5, "colour": "red"}, "cherry").n_features_in_
        2
        """
        model = self._model
        if model is None:
            self._learn_event(x, y, w)
            return self
        with model.lock:
            labels = model.labels
            number = labels.numbers.get(y) if type(y) in labels.types else None
            if (
                number is not None
                and type(w) is float
                and 0.0 < w < inf
                and not model.class_weight
                and model.asked is None
                and type(x) is dict
                and encode_event(x, model.index, model.category_numbers, model.row)
            ):
                model.core.learn_one(model.row, number, w)
            else:
                self._learn_event(x, y, w)
        return self

    def _learn_event(self, x: Mapping[Any, object], y: Any, w: Any) -> None:
        with self._lock:
            label, kind = code_label(y)
            weight = check_weight(w)
            model, row, additions = self._event_to_learn(x)
            model.class_weight.check_stream()
            model.labels.check_kind(kind)
            weight *= model.class_weight.of(label)
            if weight == 0:
                return
            model.check_labels([label])
            model.apply(additions)
            if label not in model.labels.numbers:
                model.labels.extend([label], kind)
            # From now on labels of this type are looked up without these checks.
            model.labels.types.add(type(y))
            with self._learning(Batch(model, row, additions, None)):
                model.core.learn_one(row, model.labels.numbers[label], weight)

    def predict_one(self, x: Mapping[Any, object]) -> Label | None:
        """Predict the label of one event.

        Parameters
        ----------
        x : mapping from feature names to values
            The event; features that are not known are passed over.

        Returns
        -------
        str, int, bool or None
            The most probable label; None before any row has been learned.
        """
        model = self._model
        if model is None:
            return None
        probabilities = self._ask_event(model, x, model.core.predict_proba_one)
        if not probabilities:
            return None
        greatest = max(probabilities)
        if probabilities.count(greatest) == 1:
            return model.labels.seen[probabilities.index(greatest)]
        tied = [k for k, probability in enumerate(probabilities) if probability == greatest]
        return min(model.labels.seen[k] for k in tied)

    def predict_proba_one(self, x: Mapping[Any, object]) -> dict[Label, float]:
        """Predict the probability of each label for one event.

        Parameters
        ----------
        x : mapping from feature names to values
            The event; features that are not known are passed over.

        Returns
        -------
        dict
            Probabilities by label; empty before any row has been learned.

        Examples
        --------
        >>> SGTClassifier().learn_one({"size": 3.5}, "apple").predict_proba_one({"size": 3})
        {'apple': 1.0}
        """
        model = self._model
        if model is None:
            return {}
        probabilities = self._ask_event(model, x, model.core.predict_proba_one)
        result = dict(zip(model.labels.seen, probabilities, strict=False))
        for label in model.labels.unseen:
            result[label] = 0.0
        return result
