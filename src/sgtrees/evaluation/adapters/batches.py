"""Models that learn in batches: scikit-learn's estimators with `partial_fit`."""

from typing import Any

import numpy as np

from sgtrees.evaluation.adapters.base import EvaluationContext, ModelAdapter
from sgtrees.evaluation.adapters.row_by_row import plain_targets
from sgtrees.evaluation.predictions import Prediction
from sgtrees.streams import Block


class BatchAdapter(ModelAdapter):
    """A model that predicts a batch of rows, then learns it; the first batch is not predicted."""

    in_batches = True

    def __init__(self, model: Any, context: EvaluationContext) -> None:
        super().__init__(model, context)
        self._is_fitted = False

    def test_then_train(self, block: Block) -> Prediction:
        """Predict all rows, and learn them then."""
        prediction = self.predict(block)
        self.learn(block)
        return prediction

    def predict(self, block: Block) -> Prediction:
        """Predict rows; -1 or NaN before the model has learned a row."""
        if not self._is_fitted:
            return self._no_prediction(len(block))
        rows = _as_input(block)
        if self.classes is None:
            return Prediction(np.asarray(self.model.predict(rows), dtype=np.float64))
        needs_probabilities = self.context.needs_probabilities
        probabilities = self.model.predict_proba(rows) if needs_probabilities else None
        return self._labels(self.model.predict(rows), probabilities)

    def learn(self, block: Block) -> None:
        """Learn rows."""
        options: dict[str, Any] = {}
        if block.weights is not None:
            options["sample_weight"] = block.weights
        labels = self.context.labels
        if self.classes is not None and not self._is_fitted and labels is not None:
            options["classes"] = np.sort(np.array(labels))
        self.model.partial_fit(_as_input(block), np.asarray(plain_targets(block)), **options)
        self._is_fitted = True


def _as_input(block: Block) -> Any:
    """Return the rows as scikit-learn takes them: pyarrow tables become pandas data frames."""
    return block.X.to_pandas() if hasattr(block.X, "to_pandas") else block.X
