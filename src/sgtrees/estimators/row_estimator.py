"""Blocks of rows: how estimators fit, learn and predict them."""

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from sgtrees.data.encoding import align, encode, first_schema
from sgtrees.data.few_rows import encode_few_rows
from sgtrees.data.schema import Declaration, Feature
from sgtrees.data.sparse import Rows, SparseRows
from sgtrees.data.tables import Table, read_table
from sgtrees.data.weights import Weights, read_weights
from sgtrees.estimators.base import AnyModel, StreamEstimator, passes_for
from sgtrees.estimators.early_stopping import Validation, set_aside
from sgtrees.models.batch import Batch
from sgtrees.targets.outputs import Columns, Outputs

Result = TypeVar("Result")

# `fit` with epochs="auto" shows the learner about this many rows, in at most so many passes. Leaves
# that keep rows learn them again at every split: at the defaults four passes are best or close to
# it for 100 to 100,000 rows, and ten fit noise (`python -m benchmarks.accuracy.passes`). Without
# kept rows, at the paper's settings, 20 to 35 were best on twelve sets of 150 to 20,000 rows.
_ENOUGH_ROWS = 1_000_000
_MOST_PASSES = 25  # also where rows that are set aside say when to stop
_MOST_PASSES_WITH_KEPT_ROWS = 4


class RowEstimator(StreamEstimator[AnyModel]):
    """Base of estimators that learn blocks of rows."""

    kept_rows: int
    n_iter_no_change: int | None
    validation_fraction: float

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ---- what a subclass adds -------------------------------------------------------------------

    def _read_y(self, y: Any, classes: Any = None) -> Any:
        """Read the targets of a block: one for each row, or `Columns`."""
        raise NotImplementedError

    # ---- learning blocks ------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_features)
            The rows; NaN, None and NA are missing values. Sparse rows are made dense a few at a
            time.
        y : array of shape (n_rows,) or (n_rows, n_outputs)
            Their labels, or their targets; with columns several of them for each row.
        sample_weight : array of shape (n_rows,), optional
            Their weights; a row of weight 0 is ignored.

        Returns
        -------
        estimator
            The estimator itself, with a new model in place of any that it had.

        Examples
        --------
        >>> from sgtrees import SGTClassifier
        >>> X, y = [[0.0], [0.1], [0.9], [1.0]] * 100, ["low", "low", "high", "high"] * 100
        >>> SGTClassifier(random_state=0).fit(X, y).predict([[0.05], [0.95]])
        array(['low', 'high'], dtype='<U4')
        """
        with self._lock:
            self._check_lengths(X, y)
            table = self._read_table(X, against=None)
            read = self._read_y(y)
            model = self._start_with(table, outputs_of(read), **self._options_of_fit(table))
            self._fit_rows(model, table, read, _read_weights(sample_weight, table))
        return self

    def _options_of_fit(self, table: Table) -> dict[str, Any]:
        """Return the core's options that differ from those of a stream, for all rows at hand."""
        del table
        return {}

    def _fit_rows(self, model: AnyModel, table: Table, y: Any, weights: Weights | None) -> None:
        """Learn all rows of a call of `fit`, and take the model."""
        if self.n_iter_no_change is None:
            orders = self._orders(table.n_rows, table.n_rows)
            batch = model.batch(table, y, weights, order=orders[0], is_whole=True)
            self._fit(batch, orders)
        else:
            self._fit_until_no_change(model, table, y, weights, self.n_iter_no_change)

    def _fit_until_no_change(
        self, model: AnyModel, table: Table, y: Any, weights: Weights | None, patience: int
    ) -> None:
        """Learn all rows but some, by which it is judged when to stop."""
        random = check_random_state(self.random_state)
        learned, aside = set_aside(y, weights, self.validation_fraction, random)
        passes = _MOST_PASSES if self.epochs == "auto" else int(self.epochs)
        orders = [random.permutation(learned) for _ in range(passes)]
        order = np.concatenate([orders[0], aside])
        batch = model.batch(table, y, weights, order=order, is_whole=True)
        validation = Validation(batch[aside], patience)
        self._fit(batch, orders, validation)
        self.validation_losses_ = validation.losses

    def learn_many(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows of a data frame as `learn_one` would, one after the other.

        Columns are known by their names: they may come in any order, be absent, or be new.

        Parameters
        ----------
        X : data frame of shape (n_rows, n_columns)
            The rows.
        y, sample_weight
            As for `fit`.

        Returns
        -------
        estimator
            The estimator itself.

        Examples
        --------
        >>> import pandas as pd
        >>> from sgtrees import SGTRegressor
        >>> model = SGTRegressor().learn_many(pd.DataFrame({"a": [1.0, 2.0]}), [3.0, 5.0])
        >>> model.learn_many(pd.DataFrame({"b": [1.0], "a": [2.0]}), [4.0]).n_features_in_
        2
        """
        self._learn(X, y, sample_weight, by_name=True)
        return self

    def _learn(
        self, X: Any, y: Any, sample_weight: Any, classes: Any = None, *, by_name: bool = False
    ) -> None:
        with self._lock:
            batch = self.prepare(X, y, sample_weight, classes, by_name=by_name)
            self._learn_batch(batch, batch.learn)

    def _learn_predict(
        self, X: Any, y: Any, sample_weight: Any, method: str = "predict"
    ) -> NDArray[Any]:
        with self._lock:
            batch = self.prepare(X, y, sample_weight)
            return self._learn_batch(batch, lambda: batch.learn_predict(method))

    def _learn_batch(self, batch: Batch[AnyModel], learn: Callable[[], Result]) -> Result:
        try:
            result = learn()
        except BaseException:
            # If a loss fails the rows that were learned before are kept. A new model that has
            # learned none is not: it would fix the features.
            if batch.model.core.n_rows > 0:
                self._model = batch.model
            raise
        self._model = batch.model
        return result

    def prepare(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        classes: Any = None,
        *,
        by_name: bool = False,
    ) -> Batch[AnyModel]:
        """Check rows, and return them ready to be learned; nothing has changed yet.

        Parameters
        ----------
        X, y, sample_weight, classes
            As for `partial_fit`.
        by_name : bool, default=False
            Whether columns may come in any order, be absent, or be new.

        Returns
        -------
        Batch
            The rows, with the present model, or a new one if there is none.
        """
        self._check_lengths(X, y)
        read = self._read_y(y, classes)
        model, table, features = self._rows_to_learn(X, outputs_of(read), by_name=by_name)
        weights = _read_weights(sample_weight, table)
        return model.batch(table, read, weights, classes=classes, new_features=features)

    def _check_lengths(self, X: Any, y: Any) -> None:
        if y is None:
            raise self._no_y()
        # What scikit-learn asks first takes longer for a table of Arrow than reading it.
        if not (_is_of_arrow(X) and _is_as_long(y, len(X))):
            check_consistent_length(X, y)

    def _rows_to_learn(
        self, X: Any, outputs: Outputs | None, *, by_name: bool
    ) -> tuple[AnyModel, Table, Sequence[Feature]]:
        """Read a block for the present model, or for a new one that predicts ``outputs``."""
        model = self._model
        if model is None:
            table = self._read_table(X, against=None)
            return self._start_with(table, outputs), table, ()
        model.require_learning()
        if by_name:
            return model, *self._align(X, model)
        return model, self._read_table(X, against=model), ()

    def _start_with(self, table: Table, outputs: Outputs | None, **options: Any) -> AnyModel:
        declaration = Declaration(self.categorical_features)
        return self._start(first_schema(table, declaration), declaration, outputs, **options)

    def _read_table(self, X: Any, *, against: AnyModel | None) -> Table:
        table = read_table(X, type(self).__name__, accept_sparse=True)
        # The same names as before, the usual case, need no check.
        is_usual = against is None or (table.names and table.names == against.schema.string_names)
        if not is_usual and against is not None:
            self._check_times(table, against)
            validate_data(self, X, reset=False, skip_check_array=True)
        return table

    def _check_times(self, table: Table, against: AnyModel) -> None:
        """Refuse dates and times in the columns of other features."""
        for name in table.times:
            if name in against.schema.index:
                feature = against.schema.features[against.schema.index[name]]
                raise TypeError(
                    f"{feature} holds dates or times, and was "
                    f"{'nominal' if feature.nominal else 'numeric'} in the rows so far"
                )

    def _align(self, X: Any, model: AnyModel) -> tuple[Table, list[Feature]]:
        return align(read_table(X, type(self).__name__), model.schema, model.declaration)

    def _auto_passes(self, n_rows: int) -> int:
        most = _MOST_PASSES_WITH_KEPT_ROWS if self.kept_rows else _MOST_PASSES
        return passes_for(n_rows, _ENOUGH_ROWS, most)

    # ---- predicting blocks ----------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label, or the target, of each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The predictions, of the shape that y has. A classifier's are the most probable labels,
            of equally probable ones that which comes first in ``classes_``; with several labels at
            once 1 for each that is more probable than not, 0 for the others.

        Examples
        --------
        >>> from sgtrees import SGTClassifier
        >>> SGTClassifier().partial_fit([[1.0], [2.0]], [7, 7]).predict([[1.5]])
        array([7])
        """
        return self._predict_block(X, self._block_to_predict, "predict")

    def apply(self, X: Any) -> NDArray[np.uint32]:
        """Return the leaf in which each row ends, in each tree.

        Parameters
        ----------
        X
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_rows, n_trees)
            The leaves' numbers, which are those of `sgtrees.inspection.view_trees`. A row whose
            category a nominal split has not seen ends at that split.

        Examples
        --------
        >>> from sgtrees import SGTRegressor
        >>> X, y = [[1.0], [2.0]] * 200, [10.0, 20.0] * 200
        >>> SGTRegressor(random_state=0).fit(X, y).apply([[1.0], [2.0], [1.0]])
        array([[1],
               [2],
               [1]], dtype=uint32)
        """
        return self._predict_block(X, self._block_to_predict, "leaves")

    def predict_many(self, X: Any) -> NDArray[Any]:
        """Predict the rows of a data frame as `predict_one` would, one after the other.

        Columns are known by their names: they may come in any order, be absent, or not be known.

        Parameters
        ----------
        X : data frame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The predictions.
        """
        return self._predict_block(X, self._block_by_name, "predict")

    def _predict_block(self, X: Any, read: Callable[[Any], Rows], method: str) -> NDArray[Any]:
        check_is_fitted(self)
        model = self._known(method)
        of_block = getattr(model, method)

        def of_rows(rows: Rows) -> NDArray[Any]:
            if isinstance(rows, SparseRows):
                return np.concatenate([of_block(part) for part in rows.parts()])
            predictions: NDArray[Any] = of_block(rows)
            return predictions

        return self._predict_rows(model, read, X, of_rows)

    def _block_to_predict(self, X: Any) -> Rows:
        model = self._known("predict")
        few = encode_few_rows(X, model.schema)
        if few is not None:
            return few
        table = self._read_table(X, against=model)
        block, _ = encode(table, model.schema.features, learn=False)
        return block

    def _block_by_name(self, X: Any) -> Rows:
        """Read rows to predict; columns may come in any order, be absent, or not be known."""
        model = self._known("predict")
        features = list(model.schema.features)
        table, _ = self._align(X, model)
        known = Table(None, table.columns[: len(features)], table.n_rows)
        block, _ = encode(known, features, learn=False)
        return block

    def _predict_rows(
        self,
        model: AnyModel,
        read: Callable[[Any], Rows],
        X: Any,
        predict: Callable[[Any], Result],
    ) -> Result:
        """Read rows to predict, and predict them.

        If another thread's event added features between the two, the core refuses the rows as too
        narrow. Then they are read again while no other thread learns.
        """
        rows = read(X)
        try:
            return predict(rows)
        except ValueError:
            if rows.shape[-1] == model.core.n_features:
                raise
        with model.lock:
            return predict(read(X))


def outputs_of(y: object) -> Outputs | None:
    """Return the outputs of a y that has been read; None if it has no columns."""
    return y.outputs if isinstance(y, Columns) else None


def _is_of_arrow(rows: object) -> bool:
    return type(rows).__module__.partition(".")[0] == "pyarrow"


def _is_as_long(y: Any, n_rows: int) -> bool:
    """Return whether it is a column of so many rows; False also where that is yet to be found."""
    is_column = (isinstance(y, np.ndarray) and y.ndim == 1) or _is_of_arrow(y)
    return is_column and len(y) == n_rows


def _read_weights(sample_weight: Any, table: Table) -> Weights | None:
    return None if sample_weight is None else read_weights(sample_weight, table.n_rows)
