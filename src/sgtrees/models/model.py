"""A model: the core's learner with its loss, its features and its targets."""

import copy
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.bags import Indices
from sgtrees.data.columns import Block
from sgtrees.data.encoding import encode_weighted
from sgtrees.data.schema import Additions, Categories, Declaration, Feature, Schema
from sgtrees.data.tables import Table
from sgtrees.data.weights import Weights
from sgtrees.losses.adapter import LossAdapter, adapt_loss
from sgtrees.losses.base import Loss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.errors import LearnedRows
from sgtrees.losses.links import Link, read_link
from sgtrees.losses.quick_check import quick_check
from sgtrees.models.batch import Batch
from sgtrees.models.closed_categories import log_closed
from sgtrees.models.drift_event import CoreEvent, log_drifts
from sgtrees.models.ensembles import check_ensemble
from sgtrees.models.linear_leaves import check_linear_leaves
from sgtrees.models.loss_guard import guard_batch
from sgtrees.models.merging import (
    check_base,
    check_features,
    check_loss,
    check_settings,
    number_categories,
)
from sgtrees.models.predicted import Predicted
from sgtrees.models.range_updates import RangeUpdate, log_updates, range_updates
from sgtrees.models.saved_model import Core, SavedModel, State
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.losses import is_own
from sgtrees.targets.outputs import Outputs

# y, weights and new labels of a `Batch`.
Targets: TypeAlias = tuple[NDArray[Any], Weights | None, Any]
# Drifts are logged after a call that learns so many rows.
_ROWS_BETWEEN_DRIFTS = 256

# The core takes no lower limit.
_LEAST_MEMORY = 4096


@dataclass(frozen=True)
class Start:
    """What a new model is made from: options, features and their ranges."""

    # The arguments of ``_core.Options``.
    options: Mapping[str, Any]
    schema: Schema
    # Which features that come later are nominal.
    declaration: Declaration
    # The range of each feature, if some are known; of shape (n_features, 2).
    ranges: Floats | None = None


class Model(SavedModel[Core]):
    """A core learner, its loss and the schema of its columns.

    A thread that learns holds ``lock``. Predictions need no lock: the core has its own, and the
    schema only grows.

    Parameters
    ----------
    start : Start
        Options and features.
    loss : Loss
        The loss.
    """

    # What is predicted, if y has columns.
    outputs: Outputs | None = None

    def __init__(self, start: Start, loss: Loss) -> None:
        self.options = dict(start.options)
        self.schema = start.schema
        self._limit_categories()
        self.declaration = start.declaration
        # A copy: later changes of the estimator's parameter do not change this model.
        self.loss = copy.deepcopy(loss)
        self._prepare()
        combination = self.options["combination"]
        if self.options["linear_leaves"] or combination == "choosing":
            leaf_model = "auto" if combination == "choosing" else "linear"
            check_linear_leaves(self.loss, self.options["reg_lambda"], leaf_model)
        elif combination != "one":
            check_ensemble(self.loss, self.options["round_rows"])
        self.core = self._new_core(_core.Options(**self.options), start.ranges)

    def _limit_categories(self) -> None:
        """Give the tables of categories their part of ``max_memory``, and the trees the rest.

        The parts are fixed, so that a model does not depend on how rows come in blocks.
        """
        memory = self.options.get("max_memory")
        if memory is None:
            return
        if any(self.schema.nominal):
            self.schema.limit_categories(memory // 4)
            self.options["max_memory"] = max(memory - memory // 4, min(memory, _LEAST_MEMORY))
        else:
            self.schema.limit_categories(memory // 16)

    # ---- what a subclass adds -------------------------------------------------------------------

    def _new_core(self, options: _core.Options, ranges: Floats | None) -> Core:
        raise NotImplementedError

    @property
    def predicted(self) -> Predicted:
        """What is predicted: the labels or targets."""
        raise NotImplementedError

    @property
    def learner(self) -> _core.Learner:
        """The core's learner, which holds the trees."""
        # Any: a `TwoClasses` is not a learner; its model overrides this.
        core: Any = self.core
        learner: _core.Learner = core
        return learner

    def _targets(
        self, y: Any, weights: Weights | None, classes: Any, order: Indices | None, is_whole: bool
    ) -> Targets:
        """Return y, weights and new labels as a `Batch` has them; see `batch`."""
        raise NotImplementedError

    def learn_predict(
        self, rows: Block, y: NDArray[Any], weights: Weights | None, method: str = "predict"
    ) -> NDArray[Any]:
        """Learn rows, and return what was predicted for each just before it was learned."""
        raise NotImplementedError

    def predict(self, rows: Block, members: int | None = None) -> NDArray[Any]:
        """Return the prediction for each row, by the first members if their number is given."""
        raise NotImplementedError

    def predict_one(self, row: Floats) -> Any:
        """Return the prediction for one row."""
        raise NotImplementedError

    def leaves(self, rows: Block) -> NDArray[np.uint32]:
        """Return the node at which each row ends, in each tree."""
        return _core.Explainer(self.learner).route(rows)

    @property
    def settles_leaves(self) -> bool:
        """Whether leaves take other values after several passes over the same rows."""
        return False

    def settle_leaves(
        self, nodes: NDArray[np.uint32], y: NDArray[Any], weights: Weights | None
    ) -> None:
        """Give leaves their values after several passes, if it `settles_leaves`.

        Parameters
        ----------
        nodes, y, weights : ndarray
            Where the rows of the passes end in each tree, their targets, and their weights.
        """
        raise NotImplementedError

    def row_errors(self, rows: Block, y: NDArray[Any]) -> Floats:
        """Return the error of each row: 1 for a wrong class, or the absolute error."""
        raise NotImplementedError

    def row_losses(self, rows: Block, y: NDArray[Any], members: int | None = None) -> Floats:
        """Return the loss of each row, by the first members if their number is given."""
        raise NotImplementedError

    @property
    def takes_many_classes(self) -> bool:
        """Whether there may be more than two classes."""
        return False

    @property
    def n_stages(self) -> int:
        """How many numbers of members there are that may predict: more than 1 in boosting."""
        is_boosted = self.options["combination"] == "boosting"
        return int(self.options["n_estimators"]) if is_boosted else 1

    def note_target(self, y: object) -> None:
        """Remember the target of an event that has been checked and learned."""

    # ---- making ---------------------------------------------------------------------------------

    def _prepare(self) -> None:
        self.lock = threading.RLock()
        # Where `learn_one` writes an event; predictions use other arrays.
        self.row = np.empty(len(self.schema.features))
        # The schema's own objects, to save `learn_one` an attribute lookup.
        self.index = self.schema.index
        self.category_numbers = self.schema.category_numbers
        link = self.loss.link
        self.link = link if isinstance(link, Link) else read_link(link)
        self._tried = False
        # Updates of ranges that the log has a note of.
        self._n_logged = 0
        self._last_drift: CoreEvent | None = None
        self.loss_adapter: LossAdapter | None = None
        self._prepare_targets()

    def _prepare_targets(self) -> None:
        """Give the core its loss; subclasses also prepare their labels."""
        self.core_loss, self.loss_adapter = adapt_loss(self.loss, for_classes=self.for_classes)

    def without_rows(self) -> Self:
        """Return a model of the same kind and columns that has learned nothing."""
        model = type(self).__new__(type(self))
        model.__dict__.update(self.__dict__)
        features = [
            Feature(f.name, None if f.categories is None else Categories(f.categories.most_bytes))
            for f in self.schema.features
        ]
        model.schema = Schema(features, named=self.schema.named)
        model.schema.category_memory = self.schema.category_memory
        model.loss = copy.deepcopy(self.loss)
        model._prepare()
        model.core = model._new_core(_core.Options(**self.options), None)
        return model

    # ---- restoring ------------------------------------------------------------------------------

    def _restore(self, fields: Fields, state: State, own_loss: Any) -> None:
        super()._restore(fields, state, own_loss)
        # What happened before it was saved is no news.
        self._n_logged = self.core.n_range_updates
        self._last_drift = drifts[-1] if (drifts := self.learner.drifts) else None

    def take_back(self, document: Document, state: State) -> None:
        """Become again what `saved` has returned earlier."""
        # Other threads wait for this very lock.
        lock, tried, n_logged = self.lock, self._tried, self._n_logged
        last_drift = self._last_drift
        fields = Fields(document, "model")
        fields.text("kind", [self.kind])
        self._restore(fields, state, self.loss if is_own(self.loss) else None)
        self.lock, self._tried, self._n_logged = lock, tried, n_logged
        self._last_drift = last_drift

    # ---- merging --------------------------------------------------------------------------------

    def merge(self, other: Self, base: Self | None) -> None:
        """Add what another model has gathered since ``base``; MergeError if they do not fit."""
        models = {id(model): model for model in (self, other, base) if model is not None}
        with ExitStack() as locks:
            # In an order that is the same for all who take several of them.
            for _, model in sorted(models.items()):
                locks.enter_context(model.lock)
            self._check_merge(other)
            if base is not None:
                self._check_merge(base)
                check_base(base.schema, self.schema, other.schema)
            codes, additions = number_categories(self.schema, other.schema)
            # Of one kind, if they fit together.
            core: Any = self.core
            core.merge(other.core, codes, None if base is None else base.core)
            self.schema.apply(additions)

    def _check_merge(self, other: Self) -> None:
        check_settings(self.options, other.options)
        check_loss(self.loss, other.loss)
        check_features(self.schema, other.schema)

    # ---- learning -------------------------------------------------------------------------------

    @property
    def range_updates(self) -> list[RangeUpdate]:
        """The latest updates of the features' ranges, in order."""
        return range_updates(self.learner, self.schema)

    def log_range_updates(self) -> None:
        """Write a note for each update of a range that has none yet."""
        n_new = self.core.n_range_updates - self._n_logged
        if n_new > 0:
            self._n_logged += n_new
            log_updates(self.range_updates[-n_new:])

    def log_changes(self, n_rows: int) -> None:
        """Write a note for each update of a range, and each drift, that has none yet.

        Parameters
        ----------
        n_rows : int
            The rows just learned. Drifts are looked for after many only, as that takes time.
        """
        self.log_range_updates()
        if n_rows >= _ROWS_BETWEEN_DRIFTS:
            self._last_drift = log_drifts(self.learner.drifts, self._last_drift)

    @property
    def fitted(self) -> bool:
        """Whether a row has been passed to the core."""
        return self.core.n_rows > 0

    def require_learning(self) -> None:
        """Refuse to learn if the model was saved to predict only."""
        if self.core.inference_only:
            raise ValueError(
                "this model was saved with inference_only=True: it predicts, but cannot learn; "
                "fit starts a new one"
            )

    def batch(
        self,
        table: Table,
        y: Any,
        weights: Weights | None,
        *,
        classes: Any = None,
        order: Indices | None = None,
        is_whole: bool = False,
        new_features: Sequence[Feature] = (),
    ) -> Batch[Self]:
        """Return checked rows, ready to be learned.

        Parameters
        ----------
        table : Table
            The rows: a column for each feature, and then for each new one.
        y : Coded, Columns or ndarray
            What the caller's y was read into.
        weights : ndarray or None
            The rows' weights.
        classes : array, optional
            Labels that rows may have.
        order : ndarray, optional
            The order in which the rows will be learned, if it is not that of the table.
        is_whole : bool, default=False
            Whether these are all rows that there are, as in `fit`.
        new_features : sequence of Feature
            Features that are not part of the schema yet.
        """
        targets, weights, labels = self._targets(y, weights, classes, order, is_whole)
        features = self.schema.features
        if new_features:
            features = [*features, *new_features]
        block, additions = encode_weighted(table, features, weights)
        additions.features.extend(new_features)
        return Batch(self, block, targets, weights, labels, additions)

    def batch_of_event(
        self, row: Floats, y: Any, weight: float, additions: Additions
    ) -> Batch[Self]:
        """Return a checked event, ready to be learned."""
        targets, weights, labels = self._targets(y, np.array([weight]), None, None, False)
        return Batch(self, row.reshape(1, -1), targets, weights, labels, additions)

    def apply(self, additions: Additions, labels: Any = None) -> None:  # noqa: ARG002
        """Add new features and categories to the core and the schema, and new labels."""
        if additions.features:
            # In this order a reader in another thread never knows more columns than the core has,
            # nor more than its row holds.
            self.core.add_features([feature.nominal for feature in additions.features])
            self.row = np.empty(len(self.schema) + len(additions.features))
        self.schema.apply(additions)
        for column in sorted(additions.closed):
            log_closed(self.schema.features[column], self.core.n_rows)

    @property
    def memory_bytes(self) -> int:
        """The memory that the core's learner and the tables of categories take."""
        return int(self.core.memory_bytes) + self.schema.category_bytes

    def learning(
        self, weights: Weights | None, additions: Additions, labels: Any
    ) -> AbstractContextManager[None]:
        """Commit and learn inside; if the loss fails, the error names the row.

        Only a loss that is written in Python can fail; `guard_batch` says what is then taken back.
        """
        adapter = self.loss_adapter
        if adapter is None:
            return nullcontext()
        guard, is_ensemble = self.guard(weights), self._is_ensemble
        return guard_batch(guard, self, adapter, additions, labels, is_ensemble=is_ensemble)

    @property
    def _is_ensemble(self) -> bool:
        return bool(self.options["combination"] != "one")

    def guard(
        self,
        weights: Weights | None,
        order: Indices | None = None,
        first: int = 0,
        *,
        is_kept: bool = True,
    ) -> AbstractContextManager[None]:
        """Learn inside; if the loss fails, the error names the row."""
        if self.loss_adapter is None:
            return nullcontext()
        return self.loss_adapter.guard(
            self.core,
            LearnedRows(weights, order, first, is_kept=is_kept, is_taken_back=self._is_ensemble),
        )

    def _try_loss(self, y: Floats, weights: Weights | None) -> None:
        """Try a loss that is written in Python on the first rows, before any is learned."""
        if self.loss_adapter is not None and not self._tried and not self.fitted:
            quick_check(self.loss, y, weights, for_classes=self.for_classes)
            self._tried = True
