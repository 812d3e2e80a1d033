"""Models as documents and arrays: what is saved of them, and how they are restored."""

import copy
import threading
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.schema import Declaration, Schema
from sgtrees.losses.base import Loss
from sgtrees.losses.parameter import read_loss
from sgtrees.models.saved_trees import check_numbers_of_trees
from sgtrees.models.two_classes import TwoClasses
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.features import (
    declaration_from_document,
    declaration_to_document,
    schema_from_document,
    schema_to_document,
)
from sgtrees.persistence.losses import is_own, loss_from_document, loss_to_document
from sgtrees.persistence.model_file import Contents, from_buffer, to_bytes
from sgtrees.persistence.options import options_from_document, options_to_document

Core = TypeVar("Core", bound=_core.Learner | TwoClasses)
State: TypeAlias = Mapping[str, NDArray[np.generic]]


class SavedModel(Generic[Core]):
    """Base of models: how they are saved, pickled and restored."""

    # What it is called in files.
    kind: ClassVar[str]
    for_classes: ClassVar[bool] = False
    core: Core
    options: dict[str, Any]
    schema: Schema
    declaration: Declaration
    loss: Loss
    # Held by a thread that learns.
    lock: threading.RLock

    # ---- what a subclass adds -------------------------------------------------------------------

    def core_from(self, options: _core.Options, state: State) -> Core:
        """Return the core's learner of a saved state."""
        raise NotImplementedError

    def _prepare(self) -> None:
        """Make what is not saved, from what is."""
        raise NotImplementedError

    def _check_restored(self) -> None:
        """Refuse a core that does not fit the rest."""

    # ---- saving and restoring -------------------------------------------------------------------

    def saved(self, inference_only: bool = False) -> tuple[Document, State]:
        """Return the whole state, as it is between two calls: a document, and the core's arrays."""
        with self.lock:
            return self._document(), self.core.state(inference_only)

    @classmethod
    def restored(cls, fields: Fields, state: State, own_loss: Any = None) -> Self:
        """Return the model of a document and the core's arrays.

        Parameters
        ----------
        fields : Fields
            The document.
        state : mapping from str to ndarray
            The arrays.
        own_loss : Loss or callable, optional
            The loss, if it is code that the document does not hold.
        """
        model = cls.__new__(cls)
        model._restore(fields, state, own_loss)
        return model

    def _document(self) -> Document:
        return schema_to_document(self.schema) | {
            "kind": self.kind,
            "options": options_to_document(self.options),
            "categorical_features": declaration_to_document(self.declaration),
            "loss": loss_to_document(self.loss),
        }

    def _restore(self, fields: Fields, state: State, own_loss: Any) -> None:
        self._restore_parts(fields, own_loss)
        fields.finish()
        self._prepare()
        nominal = np.array(self.schema.nominal, dtype=np.uint8)
        if not np.array_equal(state.get("features/nominal", ()), nominal):
            raise ModelFileError("its document and its arrays disagree on the features")
        known = {"features/categories": np.array(self.schema.n_categories, dtype=np.int64)}
        try:
            self.core = self.core_from(_core.Options(**self.options), {**state, **known})
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"its arrays are no model: {error}") from None
        check_numbers_of_trees(state)
        self._check_restored()

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        self.options = options_from_document(fields.fields("options"))
        self.schema = schema_from_document(fields)
        self.declaration = declaration_from_document(fields.fields("categorical_features"))
        loss = loss_from_document(fields.take("loss"), fields.place("loss"), own_loss)
        try:
            self.loss = copy.deepcopy(read_loss(loss, for_classes=self.for_classes))
        except ValueError as error:
            raise ModelFileError(
                f"{fields.where} has a loss that does not suit it: {error}"
            ) from None

    def __getstate__(self) -> dict[str, Any]:
        # The very bytes of a model file; only a loss that is code is left to pickle.
        document, state = self.saved()
        own_loss = self.loss if is_own(self.loss) else None
        return {"file": to_bytes(Contents(document, state)), "own_loss": own_loss}

    def __setstate__(self, state: dict[str, Any]) -> None:
        contents = from_buffer(state["file"])
        fields = Fields(contents.document, "model")
        fields.text("kind", [self.kind])
        self._restore(fields, contents.arrays, state["own_loss"])
