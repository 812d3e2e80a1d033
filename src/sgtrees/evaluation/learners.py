"""Any model as the evaluation needs it: predict rows, learn rows, or both in one go."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from sgtrees.evaluation.classes import Classes
from sgtrees.evaluation.events import events_of, targets_of
from sgtrees.evaluation.intervals import QuantileInterval
from sgtrees.evaluation.metrics.base import Task
from sgtrees.evaluation.outcomes import Prediction
from sgtrees.streams import Block, Column


class Learner(ABC):
    """A model under evaluation.

    Parameters
    ----------
    model : object
        The model.
    classes : Classes or None
        The class numbers; None in regression.
    columns : sequence of Column
        What the columns of a block are.
    needs_probabilities : bool
        Whether predictions shall have them.
    """

    def __init__(
        self,
        model: Any,
        classes: Classes | None,
        columns: Sequence[Column],
        *,
        needs_probabilities: bool,
    ) -> None:
        self.model = model
        self.classes = classes
        self.columns = columns
        self.needs_probabilities = needs_probabilities

    @abstractmethod
    def test_then_train(self, block: Block) -> Prediction:
        """Return what is predicted for each row just before it is learned."""

    @abstractmethod
    def predict(self, block: Block) -> Prediction:
        """Return what is predicted for each row."""

    @abstractmethod
    def learn(self, block: Block) -> None:
        """Learn rows."""

    # ---- size -----------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int | None:
        """The model's nodes, where it has such."""
        return self._count("n_nodes_", "n_nodes")

    @property
    def n_leaves(self) -> int | None:
        """The model's leaves, where it has such."""
        return self._count("n_leaves_", "n_leaves")

    @property
    def memory_bytes(self) -> int | None:
        """What the model takes, where it says so."""
        models = self.model.models if isinstance(self.model, QuantileInterval) else [self.model]
        cores: list[Any] = [getattr(getattr(m, "_model", None), "core", None) for m in models]
        if any(core is None for core in cores):
            return None
        sizes: list[int] = [core.memory_bytes for core in cores]
        return sum(sizes)

    def _count(self, *names: str) -> int | None:
        for name in names:
            try:
                value = getattr(self.model, name)
            except AttributeError:
                continue
            if isinstance(value, int | np.integer):
                return int(value)
        return None


class OwnLearner(Learner):
    """A model with `learn_predict`: this library's estimators, and the baselines."""

    def test_then_train(self, block: Block) -> Prediction:
        """Return what is predicted for each row just before it is learned."""
        if self.classes is None:
            return self._test_then_train_numbers(block)
        if not hasattr(self.model, "predict_proba"):
            knows_nothing = getattr(self.model, "knows_nothing", False)
            labels = self.model.learn_predict(block.X, block.y, block.weights)
            return self._labels(labels, without_first=knows_nothing)
        probabilities = self.model.learn_predict(
            block.X, block.y, block.weights, method="predict_proba"
        )
        return self._probable(probabilities)

    def _test_then_train_numbers(self, block: Block) -> Prediction:
        if isinstance(self.model, QuantileInterval):
            ends = self.model.learn_predict_interval(block.X, block.y, block.weights)
            return Prediction(ends[0], lower=ends[1], upper=ends[2])
        return Prediction(self.model.learn_predict(block.X, block.y, block.weights))

    def predict(self, block: Block) -> Prediction:
        """Return what is predicted for each row; -1 or NaN where nothing was learned."""
        if getattr(self.model, "knows_nothing", False):
            return self._nothing(len(block))
        if self.classes is None:
            if isinstance(self.model, QuantileInterval):
                values, lower, upper = self.model.predict_interval(block.X)
                return Prediction(values, lower=lower, upper=upper)
            return Prediction(self.model.predict(block.X))
        if not hasattr(self.model, "predict_proba"):
            return self._labels(self.model.predict(block.X))
        return self._probable(self.model.predict_proba(block.X))

    def learn(self, block: Block) -> None:
        """Learn rows."""
        self.model.partial_fit(block.X, block.y, sample_weight=block.weights)

    def _nothing(self, n_rows: int) -> Prediction:
        if self.classes is not None:
            return Prediction(np.full(n_rows, -1), np.zeros((n_rows, len(self.classes))))
        unknown = np.full(n_rows, np.nan)
        return Prediction(unknown, lower=unknown, upper=unknown)

    def _labels(self, labels: NDArray[Any], *, without_first: bool = False) -> Prediction:
        assert self.classes is not None
        numbers = self.classes.number(labels)
        if without_first:
            numbers[0] = -1
        return Prediction(numbers)

    def _probable(self, probabilities: NDArray[np.float64]) -> Prediction:
        """Return the most probable classes; -1 where there was nothing to go by, so all are 0."""
        assert self.classes is not None
        labels = self.model.classes_
        numbers = np.array([self.classes.number_of(label) for label in labels.tolist()])
        chosen = numbers[_most_probable(probabilities)]
        # Only the very first rows can be without any.
        n_unknown = 0
        while n_unknown < len(chosen) and not probabilities[n_unknown].any():
            n_unknown += 1
        chosen[:n_unknown] = -1
        if not self.needs_probabilities:
            return Prediction(chosen)
        return Prediction(chosen, self.classes.in_order(probabilities, labels))


class EventLearner(Learner):
    """A model that learns row by row: river's, or one of this library's where labels come late."""

    def test_then_train(self, block: Block) -> Prediction:
        """Return what is predicted for each row just before it is learned."""
        answers = []
        targets = targets_of(block)
        for row, (event, target) in enumerate(zip(self.events(block), targets, strict=True)):
            answers.append(self.ask(event))
            self.teach(event, target, self.weight(block, row))
        return self.together(answers)

    def predict(self, block: Block) -> Prediction:
        """Return what is predicted for each row."""
        return self.together([self.ask(event) for event in self.events(block)])

    def learn(self, block: Block) -> None:
        """Learn rows."""
        for row, (event, target) in enumerate(
            zip(self.events(block), targets_of(block), strict=True)
        ):
            self.teach(event, target, self.weight(block, row))

    def events(self, block: Block) -> Any:
        """Return the rows of a block as dictionaries."""
        return events_of(block, self.columns)

    @staticmethod
    def weight(block: Block, row: int) -> float | None:
        """Return a row's weight; None where all weigh the same."""
        return None if block.weights is None else float(block.weights[row])

    def teach(self, event: dict[str, Any], target: Any, weight: float | None) -> None:
        """Learn one row."""
        if weight is None:
            self.model.learn_one(event, target)
        else:
            self.model.learn_one(event, target, w=weight)

    def ask(self, event: dict[str, Any]) -> tuple[Any, dict[Any, float] | None]:
        """Predict one row: a label or number, and probabilities where they are needed."""
        wants = self.classes is not None and self.needs_probabilities
        probabilities = self.model.predict_proba_one(event) if wants else None
        return self.model.predict_one(event), probabilities

    def together(self, answers: Sequence[tuple[Any, dict[Any, float] | None]]) -> Prediction:
        """Put the predictions of single rows together."""
        if self.classes is None:
            return Prediction(np.array([_number(value) for value, _ in answers]))
        numbers = np.array([self.classes.number_of(label) for label, _ in answers], dtype=np.int64)
        if not self.needs_probabilities:
            return Prediction(numbers)
        places = [
            [(self.classes.number_of(label), p) for label, p in (probable or {}).items()]
            for _, probable in answers
        ]
        result = np.zeros((len(answers), len(self.classes)))
        for row, pairs in enumerate(places):
            for number, probability in pairs:
                result[row, number] = probability
        return Prediction(numbers, result)


class BatchLearner(Learner):
    """A scikit-learn estimator with `partial_fit`: predicts a batch of rows, then learns it.

    A batch is what the evaluation hands over at once. Nothing is predicted before the first.

    Parameters
    ----------
    labels : sequence or None
        All labels that may occur, which scikit-learn's own classifiers want to know beforehand.
    """

    def __init__(self, *arguments: Any, labels: Sequence[Any] | None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._labels = labels
        self._is_fitted = False

    def test_then_train(self, block: Block) -> Prediction:
        """Return what is predicted for the rows before any of them is learned."""
        prediction = self.predict(block)
        self.learn(block)
        return prediction

    def predict(self, block: Block) -> Prediction:
        """Return what is predicted for each row; -1 or NaN before anything was learned."""
        n_rows = len(block)
        if self.classes is None:
            values = self.model.predict(self._rows(block)) if self._is_fitted else np.nan
            return Prediction(np.broadcast_to(np.asarray(values, dtype=np.float64), n_rows))
        if not self._is_fitted:
            return Prediction(np.full(n_rows, -1), np.zeros((n_rows, len(self.classes))))
        numbers = self.classes.number(self.model.predict(self._rows(block)))
        if not self.needs_probabilities:
            return Prediction(numbers)
        probabilities = self.model.predict_proba(self._rows(block))
        return Prediction(numbers, self.classes.in_order(probabilities, self.model.classes_))

    def learn(self, block: Block) -> None:
        """Learn rows."""
        options: dict[str, Any] = {}
        if block.weights is not None:
            options["sample_weight"] = block.weights
        if self.classes is not None and not self._is_fitted and self._labels is not None:
            options["classes"] = np.sort(np.array(self._labels))
        self.model.partial_fit(self._rows(block), np.asarray(targets_of(block)), **options)
        self._is_fitted = True

    def _rows(self, block: Block) -> Any:
        """Return the rows as scikit-learn takes them: pyarrow's tables become pandas'."""
        return block.X.to_pandas() if hasattr(block.X, "to_pandas") else block.X


def _most_probable(probabilities: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the places of the highest probabilities; ties go to the first, as in `predict`."""
    if probabilities.shape[1] == 2:
        # The same, and several times as fast.
        return (probabilities[:, 1] > probabilities[:, 0]).astype(np.intp)
    best: NDArray[np.intp] = probabilities.argmax(axis=1)
    return best


def _number(value: Any) -> float:
    return np.nan if value is None else float(value)


# ---- which is which -----------------------------------------------------------------------------


def task_of(model: Any) -> Task | None:
    """Tell what a model predicts, where it says so."""
    own = getattr(model, "task", None)
    if isinstance(own, Task):
        return own
    river = sys.modules.get("river")
    if river is not None and isinstance(model, river.base.Estimator):
        final = _final_step(model)
        if isinstance(final, river.base.Classifier):
            return Task.CLASSIFICATION
        return Task.REGRESSION if isinstance(final, river.base.Regressor) else None
    if hasattr(model, "__sklearn_tags__"):
        if is_classifier(model):
            return Task.CLASSIFICATION
        return Task.REGRESSION if is_regressor(model) else None
    return None


def _final_step(model: Any) -> Any:
    """Return what predicts in a river model: a pipeline's last step, or what a wrapper wraps."""
    while True:
        steps = getattr(model, "steps", None)
        inside = [*steps.values()][-1] if steps else getattr(model, "_wrapped_model", None)
        if inside is None or inside is model:
            return model
        model = inside


def learner_of(
    model: Any,
    classes: Classes | None,
    columns: Sequence[Column],
    *,
    needs_probabilities: bool,
    labels: Sequence[Any] | None,
    row_by_row: bool,
) -> Learner:
    """Dress a model for the evaluation.

    Parameters
    ----------
    model : object
        One with `learn_predict`, or `learn_one` and `predict_one`, or `partial_fit` and `predict`.
    classes : Classes or None
        The class numbers; None in regression.
    columns : sequence of Column
        What the columns of a block are.
    needs_probabilities : bool
        Whether predictions shall have them.
    labels : sequence or None
        All labels that may occur, where they are known.
    row_by_row : bool
        Whether rows must be predicted and learned one at a time, where the model can.
    """
    has_events = hasattr(model, "learn_one") and hasattr(model, "predict_one")
    is_own = hasattr(model, "learn_predict") or isinstance(model, QuantileInterval)
    common = (model, classes, columns)
    if has_events and (row_by_row or not is_own):
        return EventLearner(*common, needs_probabilities=needs_probabilities)
    if is_own:
        return OwnLearner(*common, needs_probabilities=needs_probabilities)
    if hasattr(model, "partial_fit") and hasattr(model, "predict"):
        if needs_probabilities and not hasattr(model, "predict_proba"):
            raise ValueError(
                f"{type(model).__name__} has no predict_proba, which log_loss and auc need; "
                "name other metrics"
            )
        return BatchLearner(*common, needs_probabilities=needs_probabilities, labels=labels)
    raise TypeError(
        f"{type(model).__name__} cannot learn from a stream: it has neither partial_fit and "
        "predict, nor learn_one and predict_one"
    )
