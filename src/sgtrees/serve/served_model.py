"""The estimator that is served: how it learns and predicts the rows of requests."""

import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from sgtrees.data.times import sources_of
from sgtrees.evaluation.tasks import Task, task_of
from sgtrees.serve.errors import RequestError
from sgtrees.serve.row_labels import LabelSet, RowLabels, Values
from sgtrees.serve.rows import Event, Rows, as_objects, is_text

# What the library raises for rows that do not suit the model, before anything has changed.
REFUSALS = (ValueError, TypeError, OverflowError)


class LearnedRows(NamedTuple):
    """Rows that were learned: what was predicted just before each, and the label that it has."""

    predicted: Values
    targets: Values

    def part(self, first: int, last: int) -> "LearnedRows":
        """Return some of the rows."""
        return LearnedRows(self.predicted[first:last], self.targets[first:last])


Result: TypeAlias = LearnedRows | RequestError
"""What became of the rows of a request; or why they do not suit the model."""


class ServedModel:
    """An estimator, the column that it predicts, and the column of weights, if there is one.

    One thread learns at a time; any thread may predict meanwhile.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> model = ServedModel(SGTClassifier(), "kind")
    >>> rows = Rows([{"size": 3.5, "kind": "apple"}, {"size": 1.0, "kind": "cherry"}])
    >>> list(model.learn(rows).predicted)
    ['apple', 'apple']
    >>> model.predict(Rows([{"size": 3.0}])), model.rows
    (['apple'], 2)
    """

    def __init__(self, estimator: Any, target: str, weight: str | None = None) -> None:
        self.estimator = estimator
        self.target = target
        self.weight = weight
        self.task = task_of(estimator) or Task.REGRESSION
        # The columns of times, and the number of features for which they were looked for.
        self._known_times: tuple[int, Sequence[str]] = (0, ())
        self._rows = self._counted()
        self._n_readers = 0
        self._labels_of_rows: LabelSet | None = None

    @property
    def is_new(self) -> bool:
        """Whether nothing has been learned."""
        return self._rows == 0

    @property
    def rows(self) -> int:
        """The number of rows that have been learned."""
        return self._rows

    def _counted(self) -> int:
        # The core is asked by the thread that learns: others would wait for the block it is at.
        is_fitted = self.estimator.__sklearn_is_fitted__()
        return int(self.estimator.n_samples_seen_) if is_fitted else 0

    @contextlib.contextmanager
    def reserved(self) -> Iterator[bool]:
        """Keep the model for this thread if no other one uses it; yield whether so."""
        lock = None if self.is_new else self.estimator.model_.lock
        is_kept = lock is not None and lock.acquire(blocking=False)
        try:
            yield (lock is None or is_kept) and self._n_readers == 0
        finally:
            if lock is not None and is_kept:
                lock.release()

    @contextlib.contextmanager
    def being_read(self) -> Iterator[None]:
        """Say that a thread predicts many rows, for which learning has to wait.

        The event loop enters it, and it alone.
        """
        self._n_readers += 1
        try:
            yield
        finally:
            self._n_readers -= 1

    # ---- learning -------------------------------------------------------------------------------

    def learn(self, rows: Rows) -> LearnedRows:
        """Learn all rows, or none; return what was predicted just before each.

        Raises
        ------
        RequestError
            If they do not suit the model, which has not changed then.
        """
        learned = self._learn(rows)
        self._rows = self._counted()
        return learned

    def learn_each(self, requests: Sequence[Rows]) -> list[Result]:
        """Learn the rows of one request after the other, as `learn` does for each.

        Returns
        -------
        list
            Of each request what `learn` returns, or why it was refused.
        """
        results: list[Result] = []
        for rows in requests:
            try:
                results.append(self._learn(rows))
            except RequestError as error:
                results.append(error)
            if self.is_new:
                self._rows = self._counted()
        self._rows = self._counted()
        return results

    def _learn(self, rows: Rows) -> LearnedRows:
        try:
            if self._is_single(rows):
                return self._learn_event(dict(rows.content[0]))
            return self._learn_table(rows)
        except REFUSALS as error:
            raise RequestError(422, "refused_rows", str(error)) from error

    def _learn_event(self, event: Event) -> LearnedRows:
        if self.target not in event:
            raise self._no_target()
        y = event.pop(self.target)
        weight = 1.0 if self.weight is None else event.pop(self.weight, 1.0)
        predicted = self.estimator.predict_one(event)
        self.estimator.learn_one(event, y, float(weight))
        return LearnedRows([predicted], [y])

    def _learn_table(self, rows: Rows) -> LearnedRows:
        table = self._with_times(rows.table())
        if self.target not in table.column_names:
            raise self._no_target()
        y = self._labels(table[self.target])
        weights = None
        apart = [self.target]
        if self.weight is not None and self.weight in table.column_names:
            weights = table[self.weight].to_numpy()
            apart.append(self.weight)
        batch = self.estimator.prepare(table.drop_columns(apart), y, weights, by_name=True)
        if self.task is not Task.CLASSIFICATION:
            predicted = batch.learn_predict().tolist()
            self.estimator.model_ = batch.model
            return LearnedRows(predicted, y.tolist())
        places = batch.learn_predict("places")
        self.estimator.model_ = batch.model
        known = self._label_set()
        if weights is None:
            targets = RowLabels(known, batch.model.labels.ordering.rank[batch.y])
            return LearnedRows(RowLabels(known, places), targets)
        # A label that only rows without weight have is none of the model's.
        return LearnedRows(RowLabels(known, places), as_objects(table[self.target]))

    def _label_set(self) -> LabelSet:
        """Return the labels of this moment: the same object as long as there are no others."""
        classes = self.estimator.model_.labels.ordering.classes
        if self._labels_of_rows is None or self._labels_of_rows.array is not classes:
            self._labels_of_rows = LabelSet(classes)
        return self._labels_of_rows

    def _labels(self, column: pa.ChunkedArray) -> Any:
        if column.null_count:
            raise RequestError(422, "no_target", "a row to learn must have its label: one is null")
        if self.task is Task.CLASSIFICATION and is_text(column.type):
            return column  # pyarrow itself numbers strings
        return column.to_numpy()

    def _no_target(self) -> RequestError:
        return RequestError(
            422,
            "no_target",
            f"a row to learn has its label in {self.target!r}; a row without it can be predicted, "
            "and its label sent to /labels",
        )

    # ---- predicting -----------------------------------------------------------------------------

    def predict(self, rows: Rows) -> list[Any]:
        """Predict rows; None before anything has been learned.

        Raises
        ------
        RequestError
            If they do not suit the model.
        """
        try:
            if self.is_new:
                return [self.estimator.predict_one({})] * len(rows)
            if self._is_single(rows):
                return [self.estimator.predict_one(self._features(rows.events()[0]))]
            predicted: list[Any] = self.estimator.predict_many(self._feature_table(rows)).tolist()
            return predicted
        except REFUSALS as error:
            raise RequestError(422, "refused_rows", str(error)) from error

    def predict_proba(self, rows: Rows) -> list[dict[str, float]]:
        """Return the probability of each label for each row.

        Raises
        ------
        RequestError
            If the model predicts numbers, or the rows do not suit it.
        """
        if self.task is not Task.CLASSIFICATION:
            raise RequestError(422, "no_probabilities", "this model predicts numbers, not labels")
        if self.is_new:
            return [{} for _ in range(len(rows))]
        try:
            table = self._feature_table(rows)
            probabilities = self.estimator.predict_proba_many(table).tolist()
        except REFUSALS as error:
            raise RequestError(422, "refused_rows", str(error)) from error
        labels = [str(label) for label in self.estimator.classes_.tolist()]
        return [dict(zip(labels, row, strict=False)) for row in probabilities]

    def _is_single(self, rows: Rows) -> bool:
        return rows.is_event and not self._times()

    def _features(self, event: Event) -> Event:
        apart = (self.target, self.weight)
        return {name: value for name, value in event.items() if name not in apart}

    def _feature_table(self, rows: Rows) -> pa.Table:
        table = self._with_times(rows.table())
        known = set(sources_of([str(name) for name in self.estimator.feature_names_in_]))
        chosen = table.select([name for name in table.column_names if name in known])
        if chosen.num_columns == 0:
            # A table without columns would have no rows.
            first = next(iter(known))
            return pa.table({first: pa.nulls(len(rows), pa.float64())})
        return chosen

    # ---- dates and times ------------------------------------------------------------------------

    def _times(self) -> Sequence[str]:
        """Return the columns of dates and times, of which the model has learned parts."""
        n_features = 0 if self.is_new else self.estimator.n_features_in_
        if self._known_times[0] != n_features:
            names = [str(name) for name in self.estimator.feature_names_in_]
            times = [source for source in sources_of(names) if source not in names]
            self._known_times = (n_features, times)
        return self._known_times[1]

    def _with_times(self, table: pa.Table) -> pa.Table:
        """Read the strings in columns of times, as JSON has no others: ISO 8601."""
        for name in self._times():
            if name not in table.column_names or not pa.types.is_string(table[name].type):
                continue
            texts = table[name].to_pylist()
            values = [None if text is None else datetime.fromisoformat(text) for text in texts]
            column = pa.array(values, type=pa.timestamp("us"))
            table = table.set_column(table.schema.get_field_index(name), name, column)
        return table
