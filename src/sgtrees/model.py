"""A learned model: the core's learner together with what its numbers stand for."""

import copy
import threading
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.declaration import Declaration
from sgtrees.labels import Labels
from sgtrees.schema import Additions, Schema
from sgtrees.weights import ClassWeight

Core = TypeVar("Core", _core.Classifier, _core.Regressor)


class Model(Generic[Core]):
    """A core learner and the schema of its columns.

    Whoever learns holds ``lock``. Whoever predicts needs no lock: the core sees to itself, and the
    schema only grows.

    Parameters
    ----------
    options : mapping
        The arguments of ``_core.Options``.
    schema : Schema
        The features.
    ranges : ndarray of shape (n_features, 2) or None
        The features' ranges, where they are known beforehand.
    declaration : Declaration
        Which features that come later are nominal.
    """

    core_type: ClassVar[type[Any]]

    def __init__(
        self,
        options: Mapping[str, Any],
        schema: Schema,
        ranges: NDArray[np.float64] | None,
        declaration: Declaration,
    ) -> None:
        self.options = dict(options)
        self.schema = schema
        self.declaration = declaration
        self.core: Core = self.core_type(_core.Options(**self.options), schema.nominal, ranges)
        self._prepare()

    def _prepare(self) -> None:
        self.lock = threading.RLock()
        # Where `learn_one` writes an event; whoever predicts brings a row of their own.
        self.row = np.empty(len(self.schema))
        # The very objects that the schema keeps up to date, one step away for `learn_one`.
        self.index = self.schema.index
        self.category_numbers = self.schema.category_numbers

    @property
    def fitted(self) -> bool:
        """Whether any row has come."""
        return self.core.n_rows > 0

    def apply(self, additions: Additions) -> None:
        """Add new features and categories to the core and the schema."""
        if additions.features:
            # In this order a reader in another thread never knows more columns than the core has,
            # nor more than its row holds.
            self.core.add_features([feature.nominal for feature in additions.features])
            self.row = np.empty(len(self.schema) + len(additions.features))
        self.schema.apply(additions)

    def __getstate__(self) -> dict[str, Any]:
        # A copy, because the caller writes it when the lock has been given back.
        with self.lock:
            return copy.deepcopy(self._parts()) | {"core": self.core.state()}

    def _parts(self) -> dict[str, Any]:
        return {"options": self.options, "schema": self.schema, "declaration": self.declaration}

    def __setstate__(self, state: dict[str, Any]) -> None:
        core_state = state.pop("core")
        self.__dict__.update(state)
        self.core = self.core_type.from_state(_core.Options(**self.options), core_state)
        self._prepare()


class ClassifierModel(Model[_core.Classifier]):
    """A model that predicts classes; it knows their labels and weights too."""

    core_type = _core.Classifier

    def __init__(
        self,
        options: Mapping[str, Any],
        schema: Schema,
        ranges: NDArray[np.float64] | None,
        declaration: Declaration,
        class_weight: ClassWeight,
    ) -> None:
        super().__init__(options, schema, ranges, declaration)
        self.labels = Labels()
        self.class_weight = class_weight

    def _parts(self) -> dict[str, Any]:
        return super()._parts() | {"labels": self.labels, "class_weight": self.class_weight}


class RegressorModel(Model[_core.Regressor]):
    """A model that predicts a number."""

    core_type = _core.Regressor
