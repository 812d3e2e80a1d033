"""A model that predicts several labels at once: the log-odds of each in every leaf."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import Block
from sgtrees.losses.derivatives import Floats
from sgtrees.models.model import Targets
from sgtrees.models.predicted import Predicted
from sgtrees.models.regressor_model import RegressorModel
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Fields
from sgtrees.targets.labels import label_array
from sgtrees.targets.outputs import Columns, Outputs


class MultiLabelModel(RegressorModel):
    """A model that predicts for each of several labels whether a row has it.

    It is one tree under a loss of two classes, which acts on each label by itself.
    """

    kind = "labels"
    for_classes = True
    outputs: Outputs
    # For `learn_one`: no label of an event is looked up by itself.
    label_types: frozenset[type] = frozenset()
    label_numbers: Mapping[Any, int] = MappingProxyType({})

    @property
    def predicted(self) -> Predicted:
        """What is predicted: the labels, one for each column of y."""
        keys = tuple(self.classes.tolist())
        return Predicted(labels=keys, classes=keys, targets=keys)

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, in the order of the columns."""
        return label_array(list(self.outputs.keys))

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        super()._restore_parts(fields, own_loss)
        if vars(self)["outputs"] is None:
            raise ModelFileError(f"{fields.where} has no labels")

    def _targets(self, y: Any, *others: Any) -> Targets:
        """Arrange the columns of an indicator matrix in the order of the labels."""
        if not isinstance(y, Columns):
            raise ValueError(
                f"y has one label for each row, but the model has learned y of "
                f"{self.outputs.describe()}; give an indicator matrix"
            )
        return super()._targets(y, *others)

    def _predictions(self, raw: Floats, method: str = "predict") -> NDArray[Any]:
        probabilities = super()._predictions(raw)
        if method == "predict_proba":
            return probabilities
        # 1 where a label is more probable than not, and 0 elsewhere.
        return (probabilities > 0.5).astype(np.int64)

    def predict_proba(self, rows: Block, members: int | None = None) -> Floats:
        """Return the probability of each label for each row."""
        return self._predictions(self.core.predict(rows, members), "predict_proba")

    def decision_function(self, rows: Block) -> Floats:
        """Return the raw score of each label for each row."""
        return self.core.predict(rows).reshape(-1, self.n_outputs)

    def predict_one(self, row: Floats) -> dict[Any, bool]:
        """Return for each label whether one row has it."""
        return {label: p > 0.5 for label, p in self.predict_proba_one(row).items()}

    def predict_proba_one(self, row: Floats) -> dict[Any, float]:
        """Return the probability of each label for one row."""
        (probabilities,) = self.predict_proba(row.reshape(1, -1)).tolist()
        return dict(zip(self.outputs.keys, probabilities, strict=True))
