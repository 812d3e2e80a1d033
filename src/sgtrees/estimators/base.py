"""What the classifier and the regressor share: scikit-learn's clothes over a `Model`."""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, validate_data

from sgtrees._core import encode_event
from sgtrees.data.columns import Block
from sgtrees.data.encoding import align, encode, encode_weighted, first_schema
from sgtrees.data.events import read_event
from sgtrees.data.schema import Additions, Declaration, Feature, Schema
from sgtrees.data.tables import Table, read_table
from sgtrees.data.weights import Weights
from sgtrees.estimators.parameters import check_parameters, core_options
from sgtrees.losses.errors import LearnedRows
from sgtrees.models.merging import MergeError
from sgtrees.models.model import Model
from sgtrees.persistence.savable import Savable
from sgtrees.targets.outputs import Outputs

AnyModel = TypeVar("AnyModel", bound=Model[Any])
Model_co = TypeVar("Model_co", bound=Model[Any], covariant=True)
Answer = TypeVar("Answer")

# `fit` with epochs="auto" shows the learner about this many rows, in at most so many passes. Leaves
# that keep rows learn them again at every split: at the defaults four passes are best or close to
# it for 100 to 100,000 rows, and ten fit noise (`python -m benchmarks.accuracy.passes`). Without
# kept rows, at the paper's settings, 20 to 35 were best on twelve sets of 150 to 20,000 rows.
_ENOUGH_ROWS = 1_000_000
_MOST_PASSES = 25
_MOST_PASSES_WITH_KEPT_ROWS = 4
# The core is called for so many rows at a time, between which an interrupt is noticed.
_ROWS_PER_CALL = 1 << 16


@dataclass(frozen=True)
class Batch(Generic[Model_co]):
    """Checked rows, ready to be learned; until then neither model nor estimator has changed."""

    model: Model_co
    block: Block
    additions: Additions
    weights: Weights | None


class StreamEstimator(Savable, BaseEstimator, Generic[AnyModel]):
    """Base of the estimators; knows everything but targets and predictions."""

    # None until the first row. No instance attribute, as scikit-learn wants none before `fit`.
    _model: AnyModel | None = None

    categorical_features: Any
    epochs: Any
    random_state: Any
    verbose: int

    # ---- what a subclass adds -------------------------------------------------------------------

    def _new_model(
        self, schema: Schema, declaration: Declaration, outputs: Outputs | None
    ) -> AnyModel:
        raise NotImplementedError

    def _core_options(self) -> dict[str, Any]:
        return core_options(self.get_params(deep=False))

    # ---- fitted attributes ----------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None and self._model.fitted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _known(self, attribute: str) -> AnyModel:
        if self._model is None:
            raise AttributeError(
                f"{type(self).__name__} has no attribute {attribute!r} before it has learned a row"
            )
        return self._model

    @property
    def model_(self) -> AnyModel:
        """The model, for packages that inspect, export or distribute it."""
        return self._known("model_")

    @property
    def n_features_in_(self) -> int:
        """The number of features; it grows where events bring new ones."""
        return len(self._known("n_features_in_").schema)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The features' names; defined only where all of them are strings."""
        names = self._known("feature_names_in_").schema.string_names
        if names is None:
            raise AttributeError("the features have no names")
        return np.array(names, dtype=object)

    @property
    def n_nodes_(self) -> int:
        """The number of nodes in all trees."""
        return int(self._known("n_nodes_").core.n_nodes)

    @property
    def n_leaves_(self) -> int:
        """The number of leaves in all trees."""
        return int(self._known("n_leaves_").core.n_leaves)

    @property
    def depth_(self) -> int:
        """The depth of the deepest tree; a root alone has depth 0."""
        return int(self._known("depth_").core.depth)

    @property
    def n_updates_(self) -> int:
        """How often a leaf has got a new value."""
        return int(self._known("n_updates_").core.n_updates)

    @property
    def n_splits_(self) -> int:
        """How often a leaf has been split."""
        return int(self._known("n_splits_").core.n_splits)

    # ---- merging --------------------------------------------------------------------------------

    def merge(self, other: Self, base: Self | None = None) -> Self:
        """Add what another estimator has learned, where both have the same trees.

        Copies of one estimator that learn different rows, on several machines say, gather
        statistics in the same leaves for as long as no leaf changes. Merged, they are what one
        would have gathered from all of these rows: counts of classes exactly, other sums to
        rounding. A leaf that has enough rows considers a change with the next row that it learns.

        Parameters
        ----------
        other : estimator of the same class
            What is added; it stays as it is. Its settings, features, bins, classes (in order of
            first appearance) and trees must be the same. Categories may differ.
        base : estimator of the same class, optional
            What both have come from, as it was before they parted: its rows are in both, and must
            not count twice. Without it they have no rows in common.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        ValueError
            Where the two do not fit together; then neither has changed.

        Examples
        --------
        >>> import numpy as np
        >>> from sgtrees import SGTRegressor
        >>> X = np.random.default_rng(0).random((2000, 2))
        >>> y = 10.0 * (X[:, 0] > 0.5)
        >>> settings = {"feature_ranges": (0, 1), "grace_period": 1000}
        >>> here = SGTRegressor(**settings).partial_fit(X[:900], y[:900])
        >>> there = SGTRegressor(**settings).partial_fit(X[900:1800], y[900:1800])
        >>> here.merge(there).n_leaves_
        1
        >>> here.partial_fit(X[1800:], y[1800:]).n_leaves_
        2
        """
        if type(other) is not type(self) or not isinstance(base, type(self) | None):
            raise TypeError(
                f"merge takes estimators of the same class, {type(self).__name__}, "
                f"got {type(other).__name__} and {type(base).__name__}"
            )
        mine, others = self._model, other._model
        if mine is None or others is None:
            raise MergeError("an estimator that has learned nothing has no tree to be merged")
        mine.merge(others, None if base is None else base._model)
        return self

    # ---- blocks ---------------------------------------------------------------------------------

    @property
    def _lock(self) -> threading.RLock:
        if self._model is not None:
            return self._model.lock
        # setdefault, so that two threads with a first row each get the same lock.
        lock: threading.RLock = self.__dict__.setdefault("_first_lock", threading.RLock())
        return lock

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_first_lock", None)
        return state

    def _read_table(self, X: Any, *, against: AnyModel | None) -> Table:
        table = read_table(X, type(self).__name__)
        # The same names as ever, the usual case, need no check.
        is_usual = against is None or (table.names and table.names == against.schema.string_names)
        if not is_usual:
            validate_data(self, X, reset=False, skip_check_array=True)
        return table

    def _model_for(self, table: Table, outputs: Outputs | None) -> AnyModel:
        check_parameters(self.get_params(deep=False))
        declaration = Declaration(self.categorical_features)
        return self._started(first_schema(table, declaration), declaration, outputs)

    def _started(
        self, schema: Schema, declaration: Declaration, outputs: Outputs | None
    ) -> AnyModel:
        model = self._new_model(schema, declaration, outputs)
        model.lock = self._lock
        return model

    def _check_lengths(self, X: Any, y: Any) -> None:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        check_consistent_length(X, y)

    def _encode_block(
        self,
        model: AnyModel,
        table: Table,
        weights: Weights | None,
        new_features: Sequence[Feature] = (),
    ) -> Batch[AnyModel]:
        features = [*model.schema.features, *new_features]
        block, additions = encode_weighted(table, features, weights)
        additions.features.extend(new_features)
        return Batch(model, block, additions, weights)

    @contextmanager
    def _learning(self, batch: Batch[AnyModel]) -> Iterator[AnyModel]:
        """Learn inside; the rows that have been learned where a loss fails are kept."""
        try:
            with batch.model.guard(LearnedRows(batch.weights)):
                yield batch.model
        finally:
            self._model = batch.model

    def _block_to_predict(self, X: Any) -> Block:
        model = self._known("predict")
        table = self._read_table(X, against=model)
        block, _ = encode(table, model.schema.features, learn=False)
        return block

    def _ask(
        self, model: AnyModel, read: Callable[[Any], Block], X: Any, ask: Callable[[Any], Answer]
    ) -> Answer:
        """Read rows to predict, and ask the core about them.

        Where another thread's event brought new features between the two the core refuses the rows
        as too narrow. They are read once more then, while nobody learns.
        """
        rows = read(X)
        try:
            return ask(rows)
        except ValueError:
            if rows.shape[-1] == model.core.n_features:
                raise
        with model.lock:
            return ask(read(X))

    def _rows_to_learn(
        self, X: Any, outputs: Outputs | None, *, by_name: bool
    ) -> tuple[AnyModel, Table, list[Feature]]:
        """Read a block for the present model, or for a new one where there is none.

        A new one is to predict ``outputs``. With ``by_name`` columns may come in any order, be
        absent, or be new.
        """
        model = self._model
        if model is None:
            table = self._read_table(X, against=None)
            return self._model_for(table, outputs), table, []
        model.require_learning()
        if by_name:
            table, features = align(
                read_table(X, type(self).__name__), model.schema, model.declaration
            )
            return model, table, features
        return model, self._read_table(X, against=model), []

    def _block_by_name(self, X: Any) -> Block:
        """Read rows to predict; columns may come in any order, be absent, or not be known."""
        model = self._known("predict")
        features = list(model.schema.features)
        table, _ = align(read_table(X, type(self).__name__), model.schema, model.declaration)
        known = Table(None, table.columns[: len(features)], table.n_rows)
        block, _ = encode(known, features, learn=False)
        return block

    # ---- passes ---------------------------------------------------------------------------------

    def _n_passes(self, n_rows: int) -> int:
        if self.epochs != "auto":
            return int(self.epochs)
        most = _MOST_PASSES_WITH_KEPT_ROWS if self.kept_rows else _MOST_PASSES
        return min(most, math.ceil(_ENOUGH_ROWS / n_rows))

    def _orders(self, n_rows: int) -> list[NDArray[np.intp] | None]:
        """Return the order of rows in each pass; None for a single one: the order they came in."""
        passes = self._n_passes(n_rows)
        if passes == 1:
            return [None]
        random = check_random_state(self.random_state)
        return [random.permutation(n_rows) for _ in range(passes)]

    def _learn_passes(
        self, batch: Batch[AnyModel], y: NDArray[Any], orders: list[NDArray[np.intp] | None]
    ) -> None:
        core = batch.model.core
        for number, order in enumerate(orders, start=1):
            began = time.perf_counter()
            for first, rows in _calls(len(y), order):
                weights = None if batch.weights is None else batch.weights[rows]
                with batch.model.guard(LearnedRows(batch.weights, order, first, is_kept=False)):
                    core.learn(batch.block[rows], y[rows], weights)
            with batch.model.guard(LearnedRows(batch.weights, order, is_kept=False)):
                core.end_warm_up()
                core.end_round()
            if self.verbose:
                seconds = time.perf_counter() - began
                sys.stdout.write(
                    f"[{type(self).__name__}] pass {number} of {len(orders)}: {len(y):,} rows in "
                    f"{seconds:.2f} s, {core.n_leaves:,} leaves\n"
                )

    # ---- events ---------------------------------------------------------------------------------

    def _model_of_event(
        self, x: Mapping[Any, object], outputs: Outputs | None
    ) -> tuple[AnyModel, NDArray[np.float64]]:
        check_parameters(self.get_params(deep=False))
        declaration = Declaration(self.categorical_features)
        schema = Schema([])
        row, additions = read_event(x, schema, declaration)
        schema.apply(additions)
        return self._started(schema, declaration, outputs), row

    def _event_to_learn(
        self, x: Mapping[Any, object], outputs: Outputs | None
    ) -> tuple[AnyModel, NDArray[np.float64], Additions]:
        model = self._model
        if model is None:
            model, row = self._model_of_event(x, outputs)
            return model, row, Additions()
        model.require_learning()
        if type(x) is dict and encode_event(x, model.index, model.category_numbers, model.row):
            return model, model.row, Additions()  # it holds nothing new
        row, additions = read_event(x, model.schema, model.declaration)
        return model, row, additions

    def _ask_event(
        self, model: AnyModel, x: Mapping[Any, object], ask: Callable[[Any], Answer]
    ) -> Answer:
        """Read an event to predict, and ask the core about it; the quick way where there is one."""
        row = np.empty_like(model.row)
        if type(x) is dict and encode_event(x, model.index, model.category_numbers, row):
            try:
                return ask(row)
            except ValueError:
                # Another thread's event has brought new features; see `_ask`.
                pass
        return self._ask(model, lambda x: read_event(x, model.schema, None)[0], x, ask)

    def learn_one(self, x: Mapping[Any, object], y: Any, w: float = 1.0) -> Self:
        """Learn one event."""
        raise NotImplementedError


def _calls(
    n_rows: int, order: NDArray[np.intp] | None
) -> Iterator[tuple[int, slice | NDArray[np.intp]]]:
    """Cut a pass into calls: the place of each one's first row, and its rows."""
    for first in range(0, n_rows, _ROWS_PER_CALL):
        piece = slice(first, first + _ROWS_PER_CALL)
        yield first, piece if order is None else order[piece]
