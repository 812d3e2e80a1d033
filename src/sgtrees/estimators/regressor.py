"""`SGTRegressor`: one stochastic gradient tree under any loss."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sgtrees._core import encode_event
from sgtrees.data.columns import Block
from sgtrees.data.schema import Declaration, Schema, read_ranges
from sgtrees.data.weights import Weights, check_weight, read_weights
from sgtrees.estimators.base import Batch, StreamEstimator
from sgtrees.estimators.parameters import PAPER_SETTINGS_OF_NUMBERS
from sgtrees.losses.base import Loss
from sgtrees.losses.links import read_link
from sgtrees.losses.parameter import read_loss
from sgtrees.models.model import RegressorModel
from sgtrees.targets.numbers import arrange_targets, check_target, check_targets, read_targets
from sgtrees.targets.outputs import Columns, Outputs, is_several, outputs_of


class SGTRegressor(RegressorMixin, StreamEstimator[RegressorModel]):
    """A stochastic gradient tree for regression.

    The tree grows while rows come in, one after the other, in bounded memory and in a single pass:
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
    reg_lambda : float, default=0.1
        Regularisation of the values of leaves: what is added to the hessian of each row.
    lambda_scaling : {"row", "sum"}, default="row"
        Whether ``reg_lambda`` counts once for each row, or once for a leaf's sum.
    gamma : float, default=1.0
        Price of each branch of a split.
    penalty_units : {"leaf", "loss"}, default="leaf"
        What ``reg_lambda`` and ``gamma`` count in. "leaf": the leaf's mean hessian, and its
        dispersion, sum g^2 / sum h, which is the variance of its residuals under squared error. So
        a target in another unit gives the same tree. "loss": the loss itself, as in the paper.
    leaf_model : {"constant", "linear"}, default="constant"
        What a leaf predicts: a value, or a value and a weight for each numeric feature, which suits
        targets that are smooth in them. It takes the built-in losses, and time and memory that grow
        with the square of the number of numeric features.
    max_depth : int, optional
        Greatest depth of the tree; a root alone has depth 0.
    max_leaves : int, optional
        Greatest number of leaves.
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
        Whether the tree starts from the best constant of the warm-up, or from a raw score of 0.
    loss : {"squared_error", "absolute_error", "huber", "log_cosh", "quantile", "poisson", \
"gamma", "tweedie"}, Loss or callable, default="squared_error"
        The loss to be made small: a name; one of `sgtrees.losses`, with parameters of its own, like
        ``Quantile(alpha=0.9)``; or one's own, as a `Loss` or a function ``(y, raw) -> (g, h)``.
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
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of str
        The features' names, where all of them have one.
    n_nodes_, n_leaves_, depth_ : int
        The tree's size.
    n_updates_, n_splits_ : int
        How often leaves have got new values, and have been split.
    n_outputs_ : int
        The number of targets of each row.
    target_names_ : ndarray
        The targets' names, where they have some.
    loss_scale_ : float or ndarray
        The scale that the loss took from the warm-up, or was given; 0 for a loss without one. One
        for each target where there are several.

    See Also
    --------
    SGTClassifier : The same for classes.
    sgtrees.losses : Losses, and how to write and check one's own.

    Notes
    -----
    y may have several columns, with a target each: an array of two dimensions, a list of lists, or
    a data frame whose columns name the targets. One tree predicts them all, with a value for each
    in every leaf. A loss acts on each target by itself, with a start and a scale of its own, and
    what counts is their sum, so targets on a larger scale count for more; a loss of one's own may
    also be one of all targets of a row together (``Loss.is_joint``). How many targets there are is
    settled by the first row.

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
    >>> import numpy as np
    >>> from sgtrees import SGTRegressor
    >>> X = np.linspace(0, 1, 2000).reshape(-1, 1)
    >>> y = 10.0 * (X[:, 0] > 0.5)
    >>> model = SGTRegressor(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    The median in place of the mean, then counts, whose predictions are above 0:

    >>> model = SGTRegressor(loss="absolute_error").partial_fit([[1.0]] * 3, [1.0, 2.0, 60.0])
    >>> model.predict([[1.0]])
    array([2.])
    >>> SGTRegressor(loss="poisson").partial_fit([[1.0]] * 3, [0, 0, 1]).predict([[1.0]]).round(3)
    array([0.333])

    Event by event, with features that have names:

    >>> model = SGTRegressor()
    >>> model.predict_one({"size": 3.5})
    0.0
    >>> model.learn_one({"size": 3.5}, 20.0).predict_one({"size": 3.5})
    20.0

    Several targets, with names:

    >>> model = SGTRegressor().learn_one({"size": 3.5}, {"price": 20.0, "days": 2.0})
    >>> model.learn_one({"size": 1.5}, {"price": 10.0, "days": 4.0}).predict_one({"size": 2.5})
    {'price': 15.0, 'days': 3.0}
    """

    _model_classes = (RegressorModel,)

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
        reg_lambda: float = 0.1,
        lambda_scaling: str = "row",
        gamma: float = 1.0,
        penalty_units: str = "leaf",
        leaf_model: str = "constant",
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_memory: int | str | None = None,
        categorical_features: Any = "from_dtype",
        feature_ranges: Any = None,
        start: str = "data",
        loss: Any = "squared_error",
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
        self.reg_lambda = reg_lambda
        self.lambda_scaling = lambda_scaling
        self.gamma = gamma
        self.penalty_units = penalty_units
        self.leaf_model = leaf_model
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_memory = max_memory
        self.categorical_features = categorical_features
        self.feature_ranges = feature_ranges
        self.start = start
        self.loss = loss
        self.epochs = epochs
        self.round_rows = round_rows
        self.n_threads = n_threads
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def paper(cls, **parameters: Any) -> Self:
        """Return an estimator with the paper's settings, where the defaults are others.

        It looks for changes less often, asks for more before it makes one, hands no rows down and
        starts from a raw score of 0; `docs/accuracy.md` compares the two.

        Parameters
        ----------
        **parameters
            Further parameters, which win.

        Returns
        -------
        SGTRegressor
            The estimator.

        Examples
        --------
        >>> model = SGTRegressor.paper(n_threads=2)
        >>> model.grace_period, model.delta, model.kept_rows, model.n_threads
        (200, 1e-07, 0, 2)
        """
        return cls(**{**PAPER_SETTINGS_OF_NUMBERS, **parameters})

    def _new_model(
        self, schema: Schema, declaration: Declaration, outputs: Outputs | None
    ) -> RegressorModel:
        ranges = read_ranges(self.feature_ranges, schema)
        options = self._core_options()
        return RegressorModel(options, schema, ranges, declaration, self._own_loss(), outputs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _own_loss(self) -> Loss:
        return read_loss(self.loss, for_classes=False)

    @property
    def n_outputs_(self) -> int:
        """The number of targets of each row."""
        return self._known("n_outputs_").n_outputs

    @property
    def target_names_(self) -> NDArray[np.object_]:
        """The targets' names; defined only where they have some."""
        outputs = self._known("target_names_").outputs
        if outputs is None or outputs.names is None:
            raise AttributeError("the targets have no names")
        names = np.empty(outputs.count, dtype=object)
        names[:] = outputs.names
        return names

    @property
    def loss_scale_(self) -> float | NDArray[np.float64]:
        """The scale that the loss took from the warm-up, or was given; 0 for one without.

        An array with one for each target where there are several.
        """
        model = self._known("loss_scale_")
        scales = model.core.loss_scales
        return float(scales[0]) if model.outputs is None else scales

    # ---- learning blocks ------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows; NaN, None and NA are missing values.
        y : array of shape (n_rows,) or (n_rows, n_targets)
            Their targets.
        sample_weight : array of shape (n_rows,), optional
            Their weights; a row of weight 0 is passed over.

        Returns
        -------
        SGTRegressor
            The estimator itself.
        """
        with self._lock:
            self._check_lengths(X, y)
            table = self._read_table(X, against=None)
            read = read_targets(y)
            model = self._model_for(table, outputs_of(read))
            weights = read_weights(sample_weight, table.n_rows)
            targets = self._checked_targets(model, read, weights)
            if weights is not None and not weights.any():
                raise ValueError("sample_weight is zero for all rows; there is nothing to learn")
            batch = self._encode_block(model, table, weights)
            model.apply(batch.additions)
            self._learn_passes(batch, targets, self._orders(table.n_rows))
            self._model = model
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a block of rows, in their order, once.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows; NaN, None and NA are missing values.
        y : array of shape (n_rows,) or (n_rows, n_targets)
            Their targets.
        sample_weight : array of shape (n_rows,), optional
            The rows' weights; a row of weight 0 is passed over.

        Returns
        -------
        SGTRegressor
            The estimator itself.

        Examples
        --------
        >>> SGTRegressor().partial_fit([[1.0], [2.0]], [3.0, 5.0]).predict([[1.5]])
        array([4.])
        """
        self._learn(X, y, sample_weight, by_name=False)
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any, *, by_name: bool) -> None:
        with self._lock:
            batch, targets = self._stream_batch(X, y, sample_weight, by_name=by_name)
            batch.model.apply(batch.additions)
            with self._learning(batch) as model:
                model.core.learn(batch.block, targets, batch.weights)

    def learn_predict(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[np.float64]:
        """Learn a block and return what was predicted for each row just before it was learned.

        This is test-then-train evaluation in a single pass.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows.
        y : array of shape (n_rows,) or (n_rows, n_targets)
            Their targets.
        sample_weight : array of shape (n_rows,), optional
            Their weights; a row of weight 0 is predicted, but not learned.

        Returns
        -------
        ndarray of the shape of y
            The predictions; for the first row of all that of a raw score of 0.

        Examples
        --------
        >>> SGTRegressor().learn_predict([[1.0], [2.0], [3.0]], [3.0, 5.0, 7.0])
        array([0., 3., 4.])
        """
        with self._lock:
            batch, targets = self._stream_batch(X, y, sample_weight)
            batch.model.apply(batch.additions)
            with self._learning(batch) as model:
                predictions = model.learn_predict(batch.block, targets, batch.weights)
        return predictions

    def _stream_batch(
        self, X: Any, y: Any, sample_weight: Any, *, by_name: bool = False
    ) -> tuple[Batch[RegressorModel], NDArray[np.float64]]:
        self._check_lengths(X, y)
        read = read_targets(y)
        model, table, features = self._rows_to_learn(X, outputs_of(read), by_name=by_name)
        weights = read_weights(sample_weight, table.n_rows)
        targets = self._checked_targets(model, read, weights)
        return self._encode_block(model, table, weights, features), targets

    def _checked_targets(
        self,
        model: RegressorModel,
        read: NDArray[np.float64] | Columns,
        weights: Weights | None,
    ) -> NDArray[np.float64]:
        targets = arrange_targets(read, model.outputs)
        model.check_targets(targets, weights)
        return targets

    # ---- predicting -----------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the target of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_targets) where there are several
            The predictions.
        """
        return self._targets(self._block_to_predict, X)

    def _targets(self, read: Callable[[Any], Block], X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        model = self._known("predict")
        return self._ask(model, read, X, model.predict)

    def learn_one(self, x: Mapping[Any, object], y: Any, w: float = 1.0) -> Self:
        """Learn one event.

        Parameters
        ----------
        x : mapping from feature names to values
            Features that are absent, None or NaN are missing. New ones may appear at any time:
            they are nominal where their first value is a string or a boolean (or as
            ``categorical_features`` says). A model that learned arrays without names takes the
            keys 0, 1, 2, ... or "x0", "x1", "x2", ..., and no others.
        y : float; or a dictionary or list
            The target. Where there are several: numbers by name, or in their order.
        w : float, default=1.0
            The weight; 0 passes the event over.

        Returns
        -------
        SGTRegressor
            The estimator itself.
        """
        model = self._model
        if model is None:
            self._learn_event(x, y, w)
            return self
        with model.lock:
            if (
                type(y) is float
                and model.domain_above < y < inf
                and type(w) is float
                and 0.0 < w < inf
                and type(x) is dict
                and encode_event(x, model.index, model.category_numbers, model.row)
            ):
                model.core.learn_one(model.row, y, w)
            else:
                self._learn_event(x, y, w)
        return self

    def _learn_event(self, x: Mapping[Any, object], y: Any, w: Any) -> None:
        with self._lock:
            targets, outputs = self._targets_of_event(y)
            weight = check_weight(w)
            model, row, additions = self._event_to_learn(x, outputs)
            model.check_targets(targets, None)
            if weight == 0:
                return
            model.apply(additions)
            with self._learning(Batch(model, row, additions, None)):
                model.learn_row(row, targets, weight)

    def _targets_of_event(self, y: Any) -> tuple[NDArray[np.float64], Outputs | None]:
        several = is_several(y)
        known = None if self._model is None else self._model.outputs
        if self._model is not None and several != (known is not None):
            expected = (
                "a number" if known is None else f"{known.count} numbers, by name or in order"
            )
            raise TypeError(f"y must be {expected}, as in the rows so far, got {y!r}")
        return check_targets(y, known) if several else (np.array([check_target(y)]), None)

    def predict_one(self, x: Mapping[Any, object]) -> Any:
        """Predict the target of one event.

        Parameters
        ----------
        x : mapping from feature names to values
            The event; features that are not known are passed over.

        Returns
        -------
        float, list or dict
            The prediction; that of a raw score of 0 before any row has been learned. Where there
            are several targets: a dictionary by name if they have names, a list if not.
        """
        model = self._model
        if model is None:
            return self._neutral_prediction()
        if model.outputs is None:
            return model.link.of_one(self._ask_event(model, x, model.core.predict_one))
        predictions = self._ask_event(model, x, model.predict_row)
        if model.outputs.names is None:
            return predictions
        return dict(zip(model.outputs.names, predictions, strict=True))

    def _neutral_prediction(self) -> float:
        return read_link(self._own_loss().link).of_one(0.0)
