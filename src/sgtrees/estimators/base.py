"""What all estimators share: fitted attributes, merging, and the passes of `fit`."""

import logging
import math
import threading
import time
from collections.abc import Sequence
from typing import Any, Generic, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from sgtrees.data.ranges import read_ranges
from sgtrees.data.schema import Declaration, Schema
from sgtrees.estimators.early_stopping import SetAside, Validation
from sgtrees.logs import report
from sgtrees.models.batch import Batch
from sgtrees.models.drift_event import DriftEvent
from sgtrees.models.gains import gains_by_feature
from sgtrees.models.merging import MergeError
from sgtrees.models.model import Model, Start
from sgtrees.models.range_updates import RangeUpdate
from sgtrees.parameters.settings import checked_options
from sgtrees.persistence.savable import Savable
from sgtrees.targets.outputs import Outputs

_LOGGER = logging.getLogger(__name__)

AnyModel = TypeVar("AnyModel", bound=Model[Any])


def _count(name: str, description: str) -> Any:
    """Return a property of estimators that is a number of the core."""

    def count(self: "StreamEstimator[Any]") -> int:
        return int(getattr(self._known(f"{name}_").core, name))

    return property(count, doc=description)


class StreamEstimator(Savable, Generic[AnyModel]):
    """Base of the estimators, independent of the kinds of rows and targets."""

    # None until the first row. No instance attribute, as scikit-learn allows none before `fit`.
    _model: AnyModel | None = None
    # What `fit` counts in its reports.
    _items = "rows"

    categorical_features: Any
    feature_ranges: Any
    epochs: int | Literal["auto"]
    random_state: Any
    verbose: int | bool

    # ---- what a subclass adds -------------------------------------------------------------------

    def _new_model(self, start: Start, outputs: Outputs | None) -> AnyModel:
        raise NotImplementedError

    def _core_options(self) -> dict[str, Any]:
        """Check the parameters, and return the arguments of ``_core.Options``."""
        return checked_options(self.get_params(deep=False))

    def _auto_passes(self, n_rows: int) -> int:
        """Return the number of passes with ``epochs="auto"``."""
        raise NotImplementedError

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

    @model_.setter
    def model_(self, model: AnyModel) -> None:
        self._model = model

    @property
    def n_features_in_(self) -> int:
        """The number of features; it grows if events bring new ones."""
        return len(self._known("n_features_in_").schema)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The features' names; defined only if all of them are strings."""
        names = self._known("feature_names_in_").schema.string_names
        if names is None:
            raise AttributeError("the features have no names")
        return np.array(names, dtype=object)

    n_nodes_ = _count("n_nodes", "The number of nodes in all trees.")
    n_leaves_ = _count("n_leaves", "The number of leaves in all trees.")
    depth_ = _count("depth", "The depth of the deepest tree; a root alone has depth 0.")
    n_updates_ = _count("n_updates", "How often a leaf has got a new value.")
    n_splits_ = _count("n_splits", "How often a leaf has been split.")

    @property
    def n_trees_(self) -> int:
        """The number of trees."""
        return int(self._known("n_trees_").core.n_trees)

    @property
    def n_samples_seen_(self) -> int:
        """The number of rows that have been learned."""
        return int(self._known("n_samples_seen_").core.n_rows)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The importance of each feature: the gains of its splits, as shares of all gains.

        A split counts once for each row that has reached it. All are 0 before the first split.
        `sgtrees.inspection.permutation_importances` measures what features are worth on new rows.
        """
        model = self._known("feature_importances_")
        with model.lock:
            gains = gains_by_feature(model.learner)
        total = gains.sum()
        return gains / total if total > 0.0 else gains

    @property
    def range_updates_(self) -> list[RangeUpdate]:
        """The latest updates of numeric features' ranges, in order; at most 1,000."""
        return self._known("range_updates_").range_updates

    @property
    def memory_bytes_(self) -> int:
        """The memory that the trees, their statistics and the tables of categories take."""
        return int(self._known("memory_bytes_").memory_bytes)

    @property
    def drifts_(self) -> list[DriftEvent]:
        """What happened to the trees because errors rose: alarms and replacements, in order.

        The latest 1,000 of them; see ``on_drift``.
        """
        events = self._known("drifts_").learner.drifts
        return [DriftEvent.from_core(event) for event in events]

    # ---- merging --------------------------------------------------------------------------------

    def merge(self, other: Self, base: Self | None = None) -> Self:
        """Add what another estimator has learned, if both have the same trees.

        Copies of one estimator that learn different rows, for example on several machines, gather
        statistics in the same leaves for as long as no leaf changes. Merged, they are what one
        would have gathered from all of these rows: counts of classes exactly, other sums to
        rounding. A leaf that has enough rows considers a change with the next row that it learns.

        Parameters
        ----------
        other : estimator of the same class
            What is added; it does not change. Its settings, features, bins, classes (in order of
            first appearance) and trees must be the same. Categories may differ.
        base : estimator of the same class, optional
            The estimator of which both are copies, as it was before: its rows are in both, and
            must not count twice. Without it they have no rows in common.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        ValueError
            If the two cannot be merged; then neither has changed.

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

    # ---- learning -------------------------------------------------------------------------------

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

    def _start(
        self,
        schema: Schema,
        declaration: Declaration,
        outputs: Outputs | None = None,
        **options: Any,
    ) -> AnyModel:
        """Return a model that has learned nothing; ``options`` go before the parameters."""
        given = self.feature_ranges
        ranges = None if given is None else read_ranges(given, schema)
        start = Start(self._core_options() | options, schema, declaration, ranges)
        model = self._new_model(start, outputs)
        model.lock = self._lock
        return model

    def _no_y(self) -> ValueError:
        """Return the error of a call without y, in scikit-learn's words."""
        return ValueError(
            f"This {type(self).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )

    # ---- passes ---------------------------------------------------------------------------------

    def _orders(self, n_items: int, n_rows: int) -> list[NDArray[np.intp] | None]:
        """Return the order of rows, or bags, in each pass; a single pass keeps their order."""
        passes = self._auto_passes(n_rows) if self.epochs == "auto" else int(self.epochs)
        if passes == 1:
            return [None]
        random = check_random_state(self.random_state)
        return [random.permutation(n_items) for _ in range(passes)]

    def _require_weight(self, batch: Batch[AnyModel]) -> None:
        if not batch.has_weight:
            raise ValueError(
                f"sample_weight is zero for all {self._items}; there is nothing to learn"
            )

    def _fit(
        self,
        batch: Batch[AnyModel],
        orders: Sequence[NDArray[np.intp] | None],
        validation: Validation | None = None,
    ) -> None:
        """Learn a batch in several passes, and then take its model."""
        self._require_weight(batch)
        batch.commit()
        for number, order in enumerate(orders, start=1):
            began = time.perf_counter()
            batch.learn_pass(order)
            is_over = validation is not None and validation.is_over()
            n = len(batch) if order is None else len(order)
            what = f"pass {number} of {len(orders)}: {n:,}"
            self._report(what, began, batch.model, validation)
            if is_over:
                break
        if validation is not None:
            validation.take_best()
        if len(orders) > 1:
            batch.settle_leaves(np.sort(orders[0]) if orders[0] is not None else slice(None))
        self._model = batch.model

    def _report(self, what: str, began: float, model: Any, validation: SetAside | None) -> None:
        """Report a pass or a stage, which began at a time of `time.perf_counter`."""
        seconds = time.perf_counter() - began
        loss = f", loss {validation.losses[-1]:.4g}" if validation is not None else ""
        report(
            _LOGGER,
            f"[{type(self).__name__}] {what} {self._items} in {seconds:.2f} s, "
            f"{model.core.n_leaves:,} leaves{loss}",
            verbose=self.verbose,
        )


def passes_for(n_rows: int, enough: int, most: int) -> int:
    """Return how many passes show a learner about ``enough`` rows, and no more than ``most``."""
    return min(most, math.ceil(enough / n_rows))
