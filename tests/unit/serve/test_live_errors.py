"""The live errors are those of a prequential evaluation of the same rows."""

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.evaluation import LastLabel, LastValue, MajorityClass, MeanSoFar, prequential
from sgtrees.evaluation.tasks import Task
from sgtrees.serve.live_errors import LiveErrors
from sgtrees.streams import open_stream

X = np.random.default_rng(3).random((3000, 3))


@pytest.mark.parametrize(
    ("estimator", "y", "task", "baselines"),
    [
        (SGTClassifier, np.where(X[:, 0] > 0.6, "yes", "no"), Task.CLASSIFICATION,
         {"majority class": MajorityClass, "last label": LastLabel}),
        (SGTRegressor, 5 * X[:, 1], Task.REGRESSION,
         {"mean so far": MeanSoFar, "last value": LastValue}),
    ],
)  # fmt: skip
def test_they_are_those_of_a_prequential_evaluation(estimator, y, task, baselines):
    errors = LiveErrors(task)
    model = estimator()
    for first, last in [(0, 1), (1, 700), (700, 701), (701, 3000)]:
        predicted = model.learn_predict(X[first:last], y[first:last]).tolist()
        is_known = first > 0 or task is Task.REGRESSION  # before the first row there is no label
        errors.add(y[first:last].tolist(), predicted if is_known else [None])
    now = errors.now()
    models = {"model": estimator(), **{name: kind() for name, kind in baselines.items()}}
    result = prequential(open_stream(X, y=y), models)
    assert set(now) == set(models)
    for name, error in now.items():
        assert error.total == pytest.approx(result.total(errors.metric.name, name))
    assert errors.rows == 3000
