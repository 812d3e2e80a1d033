"""Models with `learn_predict`: this library's estimators and the baselines."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.adapters.base import ModelAdapter
from sgtrees.evaluation.predictions import Prediction
from sgtrees.streams import Block


class LearnPredictAdapter(ModelAdapter):
    """A model that learns blocks and returns the predictions of row-by-row evaluation."""

    def test_then_train(self, block: Block) -> Prediction:
        """Learn rows, and return the prediction of each row just before it was learned."""
        rows = (block.X, block.y, block.weights)
        if self.classes is None:
            if hasattr(self.model, "learn_predict_interval"):
                return _interval(self.model.learn_predict_interval(*rows))
            return Prediction(self.model.learn_predict(*rows))
        if hasattr(self.model, "predict_proba"):
            return self._most_probable(self.model.learn_predict(*rows, method="predict_proba"))
        is_first = not self._has_learned
        prediction = self._labels(self.model.learn_predict(*rows))
        if is_first:
            prediction.values[0] = -1
        return prediction

    def predict(self, block: Block) -> Prediction:
        """Predict rows; -1 or NaN before the model has learned a row."""
        if not self._has_learned:
            return self._no_prediction(len(block))
        if self.classes is None:
            if hasattr(self.model, "predict_interval"):
                return _interval(self.model.predict_interval(block.X))
            return Prediction(self.model.predict(block.X))
        if hasattr(self.model, "predict_proba"):
            return self._most_probable(self.model.predict_proba(block.X))
        return self._labels(self.model.predict(block.X))

    def learn(self, block: Block) -> None:
        """Learn rows."""
        self.model.partial_fit(block.X, block.y, sample_weight=block.weights)

    @property
    def _has_learned(self) -> bool:
        return bool(getattr(self.model, "has_learned", True))

    def _most_probable(self, probabilities: NDArray[np.float64]) -> Prediction:
        """Return the most probable classes; -1 if all probabilities are 0."""
        assert self.classes is not None
        labels = self.model.classes_
        numbers = np.array([self.classes.number_of(label) for label in labels.tolist()])
        chosen = numbers[_argmax(probabilities)]
        # Only the very first rows can be without any.
        n_unknown = 0
        while n_unknown < len(chosen) and not probabilities[n_unknown].any():
            n_unknown += 1
        chosen[:n_unknown] = -1
        if not self.context.needs_probabilities:
            return Prediction(chosen)
        return Prediction(chosen, self.classes.in_order(probabilities, labels))


def _interval(parts: tuple[NDArray[np.float64], ...]) -> Prediction:
    values, lower, upper = parts
    return Prediction(values, lower=lower, upper=upper)


def _argmax(probabilities: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of the highest probabilities; ties go to the first, as in `predict`."""
    if probabilities.shape[1] == 2:
        # The same, and several times as fast.
        return (probabilities[:, 1] > probabilities[:, 0]).astype(np.intp)
    best: NDArray[Any] = probabilities.argmax(axis=1)
    return best
