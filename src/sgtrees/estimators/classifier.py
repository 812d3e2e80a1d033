"""`SGTClassifier`: stochastic gradient trees that predict classes."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from sgtrees._core import encode_event
from sgtrees.data.columns import Coded
from sgtrees.data.tables import has_columns
from sgtrees.data.weights import GREATEST_WEIGHT, LEAST_WEIGHT, NO_CLASS_WEIGHT, ClassWeight
from sgtrees.estimators.event_estimator import EventEstimator
from sgtrees.losses.built_in.binary import LogLoss
from sgtrees.losses.parameter import read_loss
from sgtrees.models.classifier_model import ClassifierModel
from sgtrees.models.model import Start
from sgtrees.models.multi_label_model import MultiLabelModel
from sgtrees.parameters.constructors import documented
from sgtrees.parameters.table.targets import ClassifierParameters
from sgtrees.targets.indicators import read_indicators, read_label_set
from sgtrees.targets.labels import Label, code_label, code_labels
from sgtrees.targets.outputs import Columns, Outputs, is_several

_LOG_LOSS = LogLoss()


@documented
class SGTClassifier(
    ClassifierParameters,
    ClassifierMixin,
    EventEstimator[ClassifierModel | MultiLabelModel],
):
    """Stochastic gradient trees for classification.

    The trees grow row by row, in bounded memory and in a single pass: `partial_fit` learns a block,
    `learn_one` a single event, and a block, its halves and its single rows give exactly the same
    model. `fit` starts from scratch and makes several passes if there are few rows.

    Parameters
    ----------
    **parameters
        ``help(SGTClassifier)`` and ``docs/parameters.md`` describe them.

    Attributes
    ----------
    classes_ : ndarray
        All labels seen or declared, sorted. If y has columns: their labels, in their order.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of str
        The features' names, if all of them have one.
    n_nodes_, n_leaves_, depth_ : int
        The size of all trees together, and the depth of the deepest.
    n_updates_, n_splits_ : int
        How often leaves have got new values, and have been split.
    range_updates_ : list of RangeUpdate
        When numeric features got new bins: the number of rows learned, the feature and the reason.

    See Also
    --------
    SGTRegressor : The same for numbers to be predicted.
    sgtrees.losses : Losses, and how to write and check your own.

    Notes
    -----
    A row may have several labels at once (multi-label classification): y is then a matrix with a
    column for each label, 1 if a row has it and 0 if not: an array, a list of lists, a sparse
    matrix, or a data frame whose columns are the labels. One tree learns all labels, with the
    log-odds of each in every leaf, under any loss for two classes, which acts on each label.
    `predict` returns such a matrix, `predict_proba` the probability of each label. The first row
    determines which labels there are.

    Parameters are read when a model starts: at `fit`, or at the first row of `partial_fit`,
    `learn_predict` or `learn_one`. What `set_params` changes later takes effect at the next `fit`.

    A call that raises an error because of its input does not change the model.

    One thread learns at a time; others wait for it. Other threads may predict in the meantime; they
    see the model between two rows.

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

    def _new_model(
        self, start: Start, outputs: Outputs | None
    ) -> ClassifierModel | MultiLabelModel:
        given = self.class_weight
        weight = NO_CLASS_WEIGHT if given is None else ClassWeight(given)
        loss = _LOG_LOSS if self.loss == "log_loss" else read_loss(self.loss, for_classes=True)
        if self.multiclass == "vector" and type(loss) is not LogLoss:
            raise ValueError(f"multiclass='vector' goes with loss='log_loss' only, got {loss!r}.")
        if outputs is None:
            return ClassifierModel(start, loss, weight, self.multiclass)
        if weight:
            raise ValueError(
                "class_weight is for classes of which a row has one; if a row may have several "
                "labels (y has columns) give sample_weight"
            )
        return MultiLabelModel(start, loss, outputs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.loss == "log_loss" or type(self.loss) is LogLoss
        tags.classifier_tags.multi_label = True
        return tags

    @property
    def classes_(self) -> NDArray[Any]:
        """All labels seen or declared, sorted; those of y's columns in their order."""
        return self._known("classes_").classes

    # ---- learning -------------------------------------------------------------------------------

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
            at once, with probability 0 until a row has had them. If y has columns: the label of
            each.
        sample_weight : array of shape (n_rows,), optional
            The rows' weights; a row of weight 0 is ignored.

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
        self._learn(X, y, sample_weight, classes)
        return self

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
        X, y, sample_weight
            As for `partial_fit`; a row of weight 0 is predicted, but not learned.
        method : {"predict", "predict_proba"}, default="predict"
            What to return.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Labels, or the probabilities of ``classes_`` as they are after the call. The first row
            of all, before which nothing is known, gets ``classes_[0]``, or zeros. With several
            labels at once: a matrix of labels or of probabilities, in the first row those of a raw
            score of 0.

        Examples
        --------
        >>> SGTClassifier().learn_predict([[1.0], [2.0], [3.0]], ["b", "b", "a"])
        array(['a', 'b', 'b'], dtype='<U1')
        """
        if method not in ("predict", "predict_proba"):
            raise ValueError(f"method == {method!r}, must be 'predict' or 'predict_proba'.")
        return self._learn_predict(X, y, sample_weight, method)

    def _read_y(self, y: Any, classes: Any = None) -> Coded | Columns:
        return read_indicators(y, classes) if has_columns(y) else code_labels(y)

    # It is described in the base class. What follows is all that a usual event takes.
    def learn_one(self, x: Mapping[Any, object], y: Any, w: float = 1.0) -> Self:  # noqa: D102
        model = self._model
        if model is None:
            self._learn_event(x, y, w)
            return self
        with model.lock:
            number = model.label_numbers.get(y) if type(y) in model.label_types else None
            if (
                number is not None
                and type(w) is float
                and LEAST_WEIGHT <= w <= GREATEST_WEIGHT
                and type(x) is dict
                and encode_event(x, model.index, model.category_numbers, model.row)
            ):
                if model.core.learn_one(model.row, number, w):
                    model.log_range_updates()
            else:
                self._learn_event(x, y, w)
        return self

    def _read_event_y(self, y: Any) -> Coded | Columns:
        model = self._model
        known = None if model is None else model.outputs
        if is_several(y) and (model is None or known is not None):
            return Columns(*read_label_set(y, known))
        label, kind = code_label(y)
        if known is not None:
            raise TypeError(
                f"y is {y!r}, but the model has learned y of {known.describe()}; give "
                "the set of the event's labels, or a dictionary from labels to True or False"
            )
        return Coded(np.zeros(1, dtype=np.int64), [label], kind)

    # ---- predicting -----------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each label for each row.

        Parameters
        ----------
        X
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, in the order of ``classes_``; with several labels at once the
            probability that a row has each of them.

        Examples
        --------
        >>> SGTClassifier().partial_fit([[1.0], [2.0]], [7, 8]).predict_proba([[1.5]])
        array([[0.5, 0.5]])
        """
        return self._predict_block(X, self._block_to_predict, "predict_proba")

    def predict_proba_many(self, X: Any) -> NDArray[np.float64]:
        """Predict probabilities for the rows of a data frame; see `predict_many`."""
        return self._predict_block(X, self._block_by_name, "predict_proba")

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row, by which labels are predicted.

        Parameters
        ----------
        X
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_rows,), (n_rows, n_classes) or (n_rows, n_labels)
            Two classes: the log-odds of ``classes_[1]``, which is predicted where they are above 0.
            More classes: the logarithms of their probabilities, the greatest of which is predicted.
            Several labels at once: the raw score of each. All are finite.

        Examples
        --------
        >>> model = SGTClassifier().partial_fit([[1.0], [2.0], [2.0]], [7, 8, 8])
        >>> model.decision_function([[1.5]]).round(3)
        array([0.693])
        """
        return self._predict_block(X, self._block_to_predict, "decision_function")

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithm of the probability of each label for each row.

        Parameters
        ----------
        X
            As for `predict_proba`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The logarithms, minus infinity for labels that no row has had.
        """
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    def predict_proba_one(self, x: Mapping[Any, object]) -> dict[Label, float]:
        """Predict the probability of each label for one event.

        Parameters
        ----------
        x
            As for `predict_one`.

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
        return {} if model is None else self._predict_event(model, x, model.predict_proba_one)
