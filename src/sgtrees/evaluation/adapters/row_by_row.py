"""Models that learn row by row: river's, and this library's if labels are delayed."""

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from sgtrees.data.tables import is_frame
from sgtrees.evaluation.adapters.base import ModelAdapter
from sgtrees.evaluation.predictions import Prediction
from sgtrees.streams import Block, Column

# A row as a dictionary, its target, and its weight if it has one.
Row = tuple[dict[str, Any], Any, float | None]
# A label or number, and the probabilities of labels if they are needed.
RowPrediction = tuple[Any, dict[Any, float] | None]


class RowAdapter(ModelAdapter):
    """A model with `learn_one` and `predict_one`."""

    def test_then_train(self, block: Block) -> Prediction:
        """Learn rows, and return the prediction of each row just before it was learned."""
        predictions = []
        for row in self.rows(block):
            predictions.append(self.predict_one(row))
            self.learn_one(row)
        return self.combine(predictions)

    def predict(self, block: Block) -> Prediction:
        """Predict rows."""
        features = row_dicts(block, self.context.columns)
        return self.combine([self.predict_one((x, None, None)) for x in features])

    def learn(self, block: Block) -> None:
        """Learn rows."""
        for row in self.rows(block):
            self.learn_one(row)

    def rows(self, block: Block) -> Iterator[Row]:
        """Yield the rows of a block."""
        weights = [None] * len(block) if block.weights is None else block.weights.tolist()
        features = row_dicts(block, self.context.columns)
        return zip(features, plain_targets(block), weights, strict=True)

    def learn_one(self, row: Row) -> None:
        """Learn one row."""
        x, y, weight = row
        if weight is None:
            self.model.learn_one(x, y)
        else:
            self.model.learn_one(x, y, w=weight)

    def predict_one(self, row: Row) -> RowPrediction:
        """Predict one row."""
        needs_probabilities = self.classes is not None and self.context.needs_probabilities
        probabilities = self.model.predict_proba_one(row[0]) if needs_probabilities else None
        return self.model.predict_one(row[0]), probabilities

    def combine(self, predictions: Sequence[RowPrediction]) -> Prediction:
        """Combine the predictions of single rows."""
        if self.classes is None:
            values = [np.nan if value is None else float(value) for value, _ in predictions]
            return Prediction(np.array(values))
        numbers = [self.classes.number_of(label) for label, _ in predictions]
        if not self.context.needs_probabilities:
            return Prediction(np.array(numbers, dtype=np.int64))
        # All labels get their numbers before the width of the result is known.
        places = [
            [(self.classes.number_of(label), p) for label, p in (probabilities or {}).items()]
            for _, probabilities in predictions
        ]
        result = np.zeros((len(predictions), len(self.classes)))
        for row, pairs in enumerate(places):
            for number, probability in pairs:
                result[row, number] = probability
        return Prediction(np.array(numbers, dtype=np.int64), result)


def row_dicts(block: Block, columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    """Yield each row as a dictionary without its missing values.

    Parameters
    ----------
    block : Block
        The rows.
    columns : sequence of Column
        The columns. The values of a nominal one with known categories are their names.

    Examples
    --------
    >>> columns = [Column("size"), Column("colour", True, ("red", "blue"))]
    >>> list(row_dicts(Block(np.array([[1.5, 1.0], [np.nan, 0.0]])), columns))
    [{'size': 1.5, 'colour': 'blue'}, {'colour': 'red'}]
    """
    names = [column.name for column in columns]
    if is_frame(block.X):
        values = [series.to_list() for series in nw.from_native(block.X).iter_columns()]
    else:
        array = np.asarray(block.X)
        values = [
            _category_names(array[:, place], column.categories if column.nominal else None)
            for place, column in enumerate(columns)
        ]
    for row in zip(*values, strict=True):
        yield {
            name: value
            for name, value in zip(names, row, strict=True)
            if value is not None and value == value  # noqa: PLR0124 - NaN is missing
        }


def _category_names(values: Any, categories: tuple[str, ...] | None) -> list[Any]:
    plain: list[Any] = values.tolist()
    if categories is None:
        return plain
    return [None if value != value else categories[int(value)] for value in plain]  # noqa: PLR0124


def plain_targets(block: Block) -> list[Any]:
    """Return the targets as Python values."""
    targets: list[Any] = (
        block.y.to_pylist() if hasattr(block.y, "to_pylist") else np.asarray(block.y).tolist()
    )
    return targets
