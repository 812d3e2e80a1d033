"""Single events: how estimators learn and predict a mapping from feature names to values."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sgtrees._core import encode_event
from sgtrees.data.events import read_event
from sgtrees.data.schema import Additions, Declaration, Schema
from sgtrees.data.weights import check_weight
from sgtrees.estimators.base import AnyModel
from sgtrees.estimators.row_estimator import Result, RowEstimator, outputs_of
from sgtrees.targets.outputs import Outputs


class EventEstimator(RowEstimator[AnyModel]):
    """Base of the classifier and the regressor: they learn blocks of rows, and single events."""

    # ---- what a subclass adds -------------------------------------------------------------------

    def _read_event_y(self, y: Any) -> Any:
        """Read the target of one event, as that of a block with one row."""
        raise NotImplementedError

    def _prediction_before_rows(self) -> Any:
        """Return the prediction for an event before any row has been learned."""
        return None

    # ---- learning and predicting ----------------------------------------------------------------

    def learn_one(self, x: Mapping[Any, object], y: Any, w: float = 1.0) -> Self:
        """Learn one event.

        Parameters
        ----------
        x : mapping from feature names to values
            Features that are absent, None or NaN are missing. New ones may appear at any time:
            they are nominal if their first value is a string or a boolean (or as
            ``categorical_features`` declares). A model that learned arrays without names takes the
            keys 0, 1, 2, ... or "x0", "x1", "x2", ..., and no others.
        y : str, int, bool or float; or a dictionary, list or set
            The label, or the target. Several targets: by name, or in their order. Several labels
            at once: a dictionary from all labels to True or False, or (not for the first row of
            all) the labels that the event has.
        w : float, default=1.0
            The weight; an event of weight 0 is ignored.

        Returns
        -------
        estimator
            The estimator itself, so that calls may be chained.

        Examples
        --------
        >>> from sgtrees import SGTClassifier
        >>> model = SGTClassifier().learn_one({"size": 3.5}, "apple")
        >>> model.learn_one({"size": 0.5, "colour": "red"}, "cherry").n_features_in_
        2

        Several labels at once:

        >>> model = SGTClassifier().learn_one({"words": 300}, {"news": True, "sport": False})
        >>> model.learn_one({"words": 100}, {"news", "sport"}).predict_one({"words": 200})
        {'news': True, 'sport': False}
        """
        raise NotImplementedError

    def predict_one(self, x: Mapping[Any, object]) -> Any:
        """Predict the label, or the target, of one event.

        Parameters
        ----------
        x : mapping from feature names to values
            The event; unknown features are ignored.

        Returns
        -------
        str, int, bool, float, dict, list or None
            The most probable label, or the target. Several targets: a dictionary by name if they
            have names, a list if not. Several labels at once: a dictionary from labels to whether
            the event has them. Before any row has been learned: no label (None), or the prediction
            of a raw score of 0.

        Examples
        --------
        >>> from sgtrees import SGTRegressor
        >>> SGTRegressor().learn_one({"size": 3.5}, 20.0).predict_one({"size": 4.0})
        20.0
        """
        model = self._model
        if model is None:
            return self._prediction_before_rows()
        return self._predict_event(model, x, model.predict_one)

    def _learn_event(self, x: Mapping[Any, object], y: Any, w: Any) -> None:
        """Learn an event that has something new in it, or whose target must be checked."""
        with self._lock:
            read = self._read_event_y(y)
            weight = check_weight(w)
            model, row, additions = self._event_to_learn(x, outputs_of(read))
            batch = model.batch_of_event(row, read, weight, additions)
            if batch.has_weight:
                self._learn_batch(batch, batch.learn)
                model.note_target(y)

    def _event_to_learn(
        self, x: Mapping[Any, object], outputs: Outputs | None
    ) -> tuple[AnyModel, NDArray[np.float64], Additions]:
        model = self._model
        if model is None:
            declaration = Declaration(self.categorical_features)
            schema = Schema([])
            row, additions = read_event(x, schema, declaration)
            schema.apply(additions)
            return self._start(schema, declaration, outputs), row, Additions()
        model.require_learning()
        if type(x) is dict and encode_event(x, model.index, model.category_numbers, model.row):
            return model, model.row, Additions()  # it holds nothing new
        row, additions = read_event(x, model.schema, model.declaration)
        return model, row, additions

    def _predict_event(
        self, model: AnyModel, x: Mapping[Any, object], predict: Callable[[Any], Result]
    ) -> Result:
        """Read an event to predict, and predict it; the fast way if there is one."""
        row = np.empty(len(model.row))
        if type(x) is dict and encode_event(x, model.index, model.category_numbers, row):
            try:
                return predict(row)
            except ValueError:
                # Another thread's event has brought new features; see `_predict_rows`.
                pass
        return self._predict_rows(model, lambda x: read_event(x, model.schema, None)[0], x, predict)
