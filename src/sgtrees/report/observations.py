"""Statistics of single predictions: calibration, confusion matrix, a sample of rows."""

from typing import Any

import numpy as np

from sgtrees.evaluation import Task
from sgtrees.evaluation.predictions import PredictedRows
from sgtrees.report.class_sums import ClassSums
from sgtrees.report.row_sample import RowSample
from sgtrees.streams import Block

_N_BINS = 10
# The size of the sample of predictions, in which each so far is equally probable.
_SAMPLE = 1500
# And that of the rows, over which the trees' predictions are averaged.
_SAMPLED_ROWS = 5000


class Observations:
    """Collects the predictions of an evaluation's models; constant in size.

    Parameters
    ----------
    task : Task
        What is predicted.
    model : str
        The name of the model in the evaluation; the others are baselines.

    Attributes
    ----------
    classes : dict from str to ClassSums
        In classification: the sums of all models.
    rows : RowSample
        A sample of the rows.

    Examples
    --------
    >>> seen = Observations(Task.REGRESSION, "tree")
    >>> seen("tree", PredictedRows(np.array([1.0, 2.0]), np.array([1.5, 2.0]), np.ones(2)))
    >>> seen.as_dict()["residuals"]
    [[1.5, 1.0], [2.0, 2.0]]
    """

    def __init__(self, task: Task, model: str) -> None:
        self._task = task
        self._model = model
        self._random = np.random.default_rng(0)
        # For each bin of the greatest probability: weight, probability, correct predictions.
        self._reliability = np.zeros((_N_BINS, 3))
        self.classes: dict[str, ClassSums] = {}
        self.rows = RowSample(_SAMPLED_ROWS)
        self._sample = np.empty((0, 2))
        self._n_seen = 0

    def __call__(self, name: str, rows: PredictedRows, block: Block | None = None) -> None:
        """Add some rows of a model."""
        is_model = name == self._model
        if is_model and block is not None:
            self.rows.add(block)
        if not len(rows):
            return
        if self._task is Task.REGRESSION:
            if is_model:
                self._add_to_sample(rows)
            return
        self.classes.setdefault(name, ClassSums()).add(rows)
        if is_model and rows.probabilities is not None:
            self._add_to_bins(rows, rows.probabilities.max(axis=1))

    def _add_to_bins(self, rows: PredictedRows, sure: np.ndarray[Any, Any]) -> None:
        place = np.minimum((sure * _N_BINS).astype(np.intp), _N_BINS - 1)
        right = rows.weights * (rows.predicted == rows.y)
        for column, values in enumerate((rows.weights, rows.weights * sure, right)):
            self._reliability[:, column] += np.bincount(place, values, minlength=_N_BINS)

    def _add_to_sample(self, rows: PredictedRows) -> None:
        """Keep a uniform sample: the n-th row replaces one with the probability of sample / n."""
        pairs = np.column_stack([rows.predicted, rows.y])
        free = max(_SAMPLE - len(self._sample), 0)
        self._sample = np.concatenate([self._sample, pairs[:free]])
        rest = pairs[free:]
        numbers = self._n_seen + free + 1 + np.arange(len(rest))
        self._n_seen += len(pairs)
        place = (self._random.random(len(rest)) * numbers).astype(np.intp)
        chosen = place < _SAMPLE
        self._sample[place[chosen]] = rest[chosen]

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics for JSON."""
        if self._task is Task.REGRESSION:
            return {"residuals": self._sample.tolist()}
        weight, sure, right = self._reliability.T
        known = weight > 0.0
        own = self.classes.get(self._model)
        return {
            "reliability": [
                {"confidence": s / w, "accuracy": r / w, "share": w / weight.sum()}
                for w, s, r in zip(weight[known], sure[known], right[known], strict=True)
            ],
            "confusion": [] if own is None or own.confusion is None else own.confusion.tolist(),
            "classes": {name: sums.as_dict() for name, sums in self.classes.items()},
        }
