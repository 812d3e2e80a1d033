"""Several labels at once: a model with the log-odds of each in every leaf."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import Coded
from sgtrees.data.weights import Weights
from sgtrees.estimators.base import Batch
from sgtrees.losses.derivatives import Floats
from sgtrees.models.model import RegressorModel
from sgtrees.models.predicted import Predicted
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Fields
from sgtrees.targets.outputs import Columns, Outputs


class MultiLabelModel(RegressorModel):
    """A model that predicts for each of several labels whether a row has it.

    It is one tree under a loss of two classes, which acts on each label by itself.
    """

    kind = "labels"
    for_classes = True
    outputs: Outputs

    @property
    def predicted(self) -> Predicted:
        """What is predicted: the labels, one for each column of y."""
        keys = tuple(self.classes.tolist())
        return Predicted(labels=keys, classes=keys, targets=keys)

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, in the order of the columns."""
        return np.array(list(self.outputs.keys))

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        super()._restore_parts(fields, own_loss)
        if vars(self)["outputs"] is None:
            raise ModelFileError(f"{fields.where} has no labels")

    def read(self, y: Coded | Columns, weights: Weights | None) -> Floats:
        """Return an indicator matrix in the order of the model's labels."""
        if not isinstance(y, Columns):
            raise ValueError(
                f"y has one label for each row, but the model has learned y of "
                f"{self.outputs.describe()}; give an indicator matrix"
            )
        indicator = y.arranged(self.outputs)
        self.check_targets(indicator, weights)
        return indicator

    def predict_proba(self, rows: Any) -> Floats:
        """Return the probability of each label for each row."""
        return super().predict(rows)

    def predict(self, rows: Any) -> NDArray[Any]:
        """Return an indicator matrix of the labels that are more probable than not."""
        return indicator(self.predict_proba(rows))


def indicator(probabilities: Floats) -> NDArray[Any]:
    """Return 1 where a label is more probable than not, and 0 elsewhere.

    Examples
    --------
    >>> indicator(np.array([[0.3, 0.7]]))
    array([[0, 1]])
    """
    return (probabilities > 0.5).astype(np.int64)


@dataclass(frozen=True)
class IndicatorBatch(Batch[MultiLabelModel]):
    """Checked rows with an indicator of the labels of each."""

    y: Floats

    def commit(self) -> None:
        """Make the batch's new features and categories part of the model."""
        self.model.apply(self.additions)

    def learn(self) -> None:
        """Learn the block."""
        self.model.core.learn(self.block, self.y, self.weights)

    def predict_and_learn(self, method: str) -> NDArray[Any]:
        """Learn the block and return labels or probabilities from just before each row."""
        probabilities = self.model.learn_predict(self.block, self.y, self.weights)
        return probabilities if method == "predict_proba" else indicator(probabilities)
