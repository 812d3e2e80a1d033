"""`SGTClassifier`: stochastic gradient trees that predict classes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sgtrees._core import encode_event
from sgtrees.data.columns import Block, Coded
from sgtrees.data.schema import Declaration, Feature, Schema, read_ranges
from sgtrees.data.tables import Table
from sgtrees.data.weights import ClassWeight, check_weight, combine, read_weights
from sgtrees.estimators.base import Batch, StreamEstimator
from sgtrees.estimators.parameters import PAPER_SETTINGS_OF_CLASSES
from sgtrees.losses.built_in.binary import LogLoss
from sgtrees.losses.parameter import read_loss
from sgtrees.models.labelled import LabelledBatch, number_in_order, read_declared
from sgtrees.models.model import ClassifierModel
from sgtrees.models.multi_label import IndicatorBatch, MultiLabelModel
from sgtrees.targets.indicators import read_label_set, read_labels
from sgtrees.targets.labels import Label, code_label
from sgtrees.targets.outputs import Columns, Outputs, is_several, outputs_of, without_columns


class SGTClassifier(ClassifierMixin, StreamEstimator[ClassifierModel | MultiLabelModel]):
    """Stochastic gradient trees for classification.

    The trees grow while rows come in, one after the other, in bounded memory and in a single pass:
    `partial_fit` learns a block, `learn_one` a single event, and a block, its halves and its single
    rows give the very same model. `fit` starts anew and makes several passes where rows are few.

    Parameters
    ----------
    n_bins : int, default=32
        Number of bins of a numeric feature, between which it may be split.
    binning : {"uniform", "quantile"}, default="uniform"
        Bins of equal width over the feature's range, or of about equally many rows.
    warm_up : int, default=200
        Number of first rows that set the features' ranges and the start; they are learned when all
        of them have come.
    grace_period : int, default=25
        Number of rows that a leaf gathers, at least, between two looks for a change.
    grace_growth : float, default=0.5
        How much more a leaf gathers where it has many rows: after a look that brought no change,
        this share of those that it has, if that is more than ``grace_period``; never more than 8
        grace periods. 0 looks every ``grace_period`` rows.
    delta : float, default=0.05
        Significance level of the test that a change must pass.
    kept_rows : int, default=500
        Number of rows that a leaf keeps to hand them down when it splits: its children learn the
        latest ones again, instead of starting from nothing. More make trees grow faster, and take
        memory: a byte or two for each feature, and a few numbers, for each row. 0 for none.
    thinning : bool, default=True
        Whether a tree of a committee learns only one in eight of the rows that it is sure of (whose
        gradient is below 0.001), each as eight rows. It is what makes many classes quick to learn;
        two classes, ``multiclass="vector"``, linear leaves and ``reg_lambda=0`` go without it.
    reg_lambda : float, default=0.1
        Regularisation of the values of leaves.
    lambda_scaling : {"row", "sum"}, default="row"
        Whether ``reg_lambda`` counts once for each row, or once for a leaf's sum.
    gamma : float, default=1.0
        Price of each branch of a split, in terms of the loss.
    leaf_model : {"constant", "linear"}, default="constant"
        What a leaf predicts: a value, or a value and a weight for each numeric feature, which suits
        targets that are smooth in them. It takes the built-in losses, and time and memory that grow
        with the square of the number of numeric features.
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
    multiclass : {"committee", "vector"}, default="committee"
        How classes are told apart: by one tree less than there are classes, or by a single tree
        that has a score for each class in every leaf (with ``loss="log_loss"`` only), which is
        faster and smaller where there are many classes.
    class_weight : dict or "balanced", optional
        A weight for each label; "balanced" (in `fit` only) makes all classes count the same. Not
        where a row may have several labels.
    epochs : int or "auto", default="auto"
        Number of passes that `fit` makes. "auto": one where rows are many, up to four where they
        are few (25 with ``kept_rows=0``). With more than one, each pass takes the rows in an order
        of its own.
    round_rows : int or "auto", default=1
        Number of rows that meet the same trees: these change after the last of them. 1: after each
        row, which is the exact way. More is what a cluster can share out (`sgtrees.dask`), and the
        result is the same here and there. "auto": 1 while the trees are small, and then so many
        that a leaf sees about half a grace period of rows.
    n_threads : int, default=1
        Number of threads that learn; the model is the same for any number.
    verbose : int, default=0
        Whether `fit` reports each pass.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders of rows in `fit`.

    Attributes
    ----------
    classes_ : ndarray
        All labels seen or declared, sorted. Where y has columns: their labels, in their order.
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
    A row may have several labels at once (multi-label classification): y is then a matrix with a
    column for each label, 1 where a row has it and 0 where it has not; an array, a list of lists, a
    sparse matrix, or a data frame whose columns are the labels. One tree learns all labels, with
    the log-odds of each in every leaf (any loss for two classes will do, and acts on each label).
    `predict` returns such a matrix, `predict_proba` the probability of each label. Which labels
    there are is settled by the first row.

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

    Several labels at once:

    >>> X, y = [[0.0], [1.0]] * 500, [[1, 0, 1], [0, 0, 1]] * 500
    >>> SGTClassifier(random_state=0).fit(X, y).predict([[0.0], [1.0]])
    array([[1, 0, 1],
           [0, 0, 1]])
    """

    _model_classes = (ClassifierModel, MultiLabelModel)

    def __init__(
        self,
        *,
        n_bins: int = 32,
        binning: str = "uniform",
        warm_up: int = 200,
        grace_period: int = 25,
        grace_growth: float = 0.5,
        delta: float = 0.05,
        kept_rows: int = 500,
        thinning: bool = True,
        reg_lambda: float = 0.1,
        lambda_scaling: str = "row",
        gamma: float = 1.0,
        leaf_model: str = "constant",
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
        round_rows: int | str = 1,
        n_threads: int = 1,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_bins = n_bins
        self.binning = binning
        self.warm_up = warm_up
        self.grace_period = grace_period
        self.grace_growth = grace_growth
        self.delta = delta
        self.kept_rows = kept_rows
        self.thinning = thinning
        self.reg_lambda = reg_lambda
        self.lambda_scaling = lambda_scaling
        self.gamma = gamma
        self.leaf_model = leaf_model
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
        self.round_rows = round_rows
        self.n_threads = n_threads
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def paper(cls, **parameters: Any) -> Self:
        """Return an estimator with the paper's settings, where the defaults are others.

        It looks for changes less often, asks for more before it makes one, hands no rows down,
        leaves out no row that a tree is sure of, and starts from a raw score of 0;
        `docs/accuracy.md` compares the two.

        Parameters
        ----------
        **parameters
            Further parameters, which win.

        Returns
        -------
        SGTClassifier
            The estimator.

        Examples
        --------
        >>> model = SGTClassifier.paper(n_threads=2)
        >>> model.grace_period, model.delta, model.kept_rows, model.n_threads
        (200, 1e-07, 0, 2)
        """
        return cls(**{**PAPER_SETTINGS_OF_CLASSES, **parameters})

    def _new_model(
        self, schema: Schema, declaration: Declaration, outputs: Outputs | None
    ) -> ClassifierModel | MultiLabelModel:
        ranges = read_ranges(self.feature_ranges, schema)
        options = self._core_options()
        weight = ClassWeight(self.class_weight)
        loss = read_loss(self.loss, for_classes=True)
        if self.multiclass == "vector" and type(loss) is not LogLoss:
            raise ValueError(f"multiclass='vector' goes with loss='log_loss' only, got {loss!r}.")
        if outputs is None:
            return ClassifierModel(
                options, schema, ranges, declaration, loss, weight, self.multiclass
            )
        if weight:
            raise ValueError(
                "class_weight is for classes of which a row has one; where a row may have several "
                "labels (y has columns) give sample_weight"
            )
        return MultiLabelModel(options, schema, ranges, declaration, loss, outputs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._takes_many_classes
        tags.classifier_tags.multi_label = True
        return tags

    @property
    def _takes_many_classes(self) -> bool:
        return self.loss == "log_loss" or type(self.loss) is LogLoss

    @property
    def classes_(self) -> NDArray[Any]:
        """All labels seen or declared, sorted; those of y's columns in their order."""
        return self._known("classes_").classes

    # ---- learning blocks ------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows; NaN, None and NA are missing values.
        y : array of shape (n_rows,), or (n_rows, n_labels) with several labels at once
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
            labels = read_labels(y)
            model = self._model_for(table, outputs_of(labels))
            orders = self._orders(table.n_rows)
            batch = self._labelled(model, table, labels, sample_weight, None, orders[0])
            if batch.weights is not None and not batch.weights.any():
                raise ValueError("sample_weight is zero for all rows; there is nothing to learn")
            batch.commit()
            self._learn_passes(batch, batch.y, orders)
            self._model = model
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn a block of rows, in their order, once.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows; NaN, None and NA are missing values.
        y : array of shape (n_rows,), or (n_rows, n_labels) with several labels at once
            Their labels; new ones may appear in any call, but no new columns.
        classes : array, optional
            Labels that may occur. They need not be declared; those that are belong to ``classes_``
            at once, with probability 0 until a row has had them. Where y has columns: the label of
            each.
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
            with self._learning(batch):
                batch.learn()

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
        y : array of shape (n_rows,), or (n_rows, n_labels) with several labels at once
            Their labels.
        sample_weight : array of shape (n_rows,), optional
            Their weights; a row of weight 0 is predicted, but not learned.
        method : {"predict", "predict_proba"}, default="predict"
            What to return.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Labels, or the probabilities of ``classes_`` as they are after the call. The first row
            of all, for which there is nothing to go by, gets ``classes_[0]``, or zeros. With
            several labels at once: a matrix of labels or of probabilities, in the first row those
            of a raw score of 0.

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
                result = batch.predict_and_learn(method)
        return result

    def _stream_batch(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, *, by_name: bool = False
    ) -> LabelledBatch | IndicatorBatch:
        self._check_lengths(X, y)
        labels = read_labels(y, classes)
        model, table, features = self._rows_to_learn(X, outputs_of(labels), by_name=by_name)
        if isinstance(model, ClassifierModel):
            model.class_weight.check_stream()
        return self._labelled(model, table, labels, sample_weight, classes, None, features)

    def _labelled(
        self,
        model: ClassifierModel | MultiLabelModel,
        table: Table,
        y: Coded | Columns,
        sample_weight: Any,
        classes: Any,
        order: NDArray[np.intp] | None,
        features: Sequence[Feature] = (),
    ) -> LabelledBatch | IndicatorBatch:
        weights = read_weights(sample_weight, table.n_rows)
        if isinstance(model, MultiLabelModel):
            indicator = model.read(y, weights)
            batch = self._encode_block(model, table, weights, features)
            return IndicatorBatch(model, batch.block, batch.additions, weights, indicator)
        coded = without_columns(y)
        declared = None if classes is None else read_declared(classes, model, coded)
        weights = combine(weights, model.class_weight, coded)
        labels = number_in_order(coded, model, weights, order)
        model.check_labels([*labels.new, *(declared[0] if declared else ())])
        batch = self._encode_block(model, table, weights, features)
        return LabelledBatch(model, batch.block, batch.additions, weights, labels, declared)

    # ---- predicting blocks ----------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_labels) with several labels at once
            The most probable labels; ties go to the one that comes first in ``classes_``. With
            several labels at once: 1 for each that is more probable than not, 0 for the others.

        Examples
        --------
        >>> SGTClassifier().partial_fit([[1.0], [2.0]], [7, 7]).predict([[1.5]])
        array([7])
        """
        return self._labels(self._block_to_predict, X)

    def _labels(self, read: Callable[[Any], Block], X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        model = self._known("predict")
        return self._ask(model, read, X, model.predict)

    def _probabilities(self, read: Callable[[Any], Block], X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        model = self._known("predict_proba")
        return self._ask(model, read, X, model.predict_proba)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each label for each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, in the order of ``classes_``; with several labels at once that each
            of them is there.

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
        y : str, int, bool; or a dictionary, set or list
            The label. With several labels at once: a dictionary from all labels to True or False,
            or (not for the first row of all) the labels that the event has.
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

        Several labels at once:

        >>> model = SGTClassifier().learn_one({"words": 300}, {"news": True, "sport": False})
        >>> model.learn_one({"words": 100}, {"news", "sport"}).predict_one({"words": 200})
        {'news': True, 'sport': False}
        """
        model = self._model
        if not isinstance(model, ClassifierModel):
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
            if is_several(y) and not isinstance(self._model, ClassifierModel):
                return self._learn_label_set(x, y, w)
            label, kind = code_label(y)
            weight = check_weight(w)
            model, row, additions = self._event_to_learn(x, None)
            if isinstance(model, MultiLabelModel):
                raise TypeError(
                    f"y is {y!r}, but the model has learned y of {model.outputs.describe()}; give "
                    "the set of the event's labels, or a dictionary from labels to True or False"
                )
            model.class_weight.check_stream()
            model.labels.check_kind(kind)
            weight *= model.class_weight.of(label)
            if weight == 0:
                return None
            model.check_labels([label])
            model.apply(additions)
            if label not in model.labels.numbers:
                model.labels.extend([label], kind)
            # From now on labels of this type are looked up without these checks.
            model.labels.types.add(type(y))
            with self._learning(Batch(model, row, additions, None)):
                model.core.learn_one(row, model.labels.numbers[label], weight)
        return None

    def _learn_label_set(self, x: Mapping[Any, object], y: Any, w: Any) -> None:
        known = self._model.outputs if isinstance(self._model, MultiLabelModel) else None
        indicator, outputs = read_label_set(y, known)
        weight = check_weight(w)
        model, row, additions = self._event_to_learn(x, outputs)
        assert isinstance(model, MultiLabelModel)
        model.check_targets(indicator, None)
        if weight == 0:
            return
        model.apply(additions)
        with self._learning(Batch(model, row, additions, None)):
            model.learn_row(row, indicator, weight)

    def predict_one(self, x: Mapping[Any, object]) -> Any:
        """Predict the label of one event.

        Parameters
        ----------
        x : mapping from feature names to values
            The event; features that are not known are passed over.

        Returns
        -------
        str, int, bool, dict or None
            The most probable label; None before any row has been learned. With several labels at
            once: for each whether the event has it.
        """
        model = self._model
        if model is None:
            return None
        if isinstance(model, MultiLabelModel):
            return {label: p > 0.5 for label, p in self._label_probabilities(model, x)}
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
        if isinstance(model, MultiLabelModel):
            return dict(self._label_probabilities(model, x))
        probabilities = self._ask_event(model, x, model.core.predict_proba_one)
        result = dict(zip(model.labels.seen, probabilities, strict=False))
        for label in model.labels.unseen:
            result[label] = 0.0
        return result

    def _label_probabilities(
        self, model: MultiLabelModel, x: Mapping[Any, object]
    ) -> Iterator[tuple[Any, float]]:
        return zip(model.outputs.keys, self._ask_event(model, x, model.predict_row), strict=True)
