import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.evaluation import MajorityClass, holdout
from sgtrees.streams import Friedman, Sea


def test_the_first_rows_are_tested_on_and_never_learned():
    stream = Sea(seed=1).head(6000)
    model = SGTClassifier(warm_up=200)
    result = holdout(stream, model, test_rows=1000, every=2000, metrics=["error", "auc"])
    naive, expected = SGTClassifier(warm_up=200), []
    X, y = next(iter(stream.head(1000))).X, next(iter(stream.head(1000))).y
    whole = Sea(seed=1).take(6000)
    for start, stop in ((1000, 3000), (3000, 5000), (5000, 6000)):
        naive.partial_fit(whole.X[start:stop], whole.y[start:stop])
        expected.append(np.mean(naive.predict(X) != y))
    assert [point.rows for point in result.points] == [2000, 4000, 5000]
    assert result.curve("error") == pytest.approx(expected)
    assert result.kind == "holdout"
    assert result.total("error") == pytest.approx(expected[-1])


def test_a_test_stream_of_its_own():
    result = holdout(
        Friedman(seed=1).head(5000), SGTRegressor(), test=Friedman(seed=2).head(500), every=5000
    )
    assert (result.rows, result.points[0].window) == (5000, 500)
    assert 0.0 < result.total("r2") < 1.0


def test_several_models_and_no_rows():
    models = {"tree": SGTClassifier(), "majority": MajorityClass()}
    result = holdout(Sea().head(10_000), models, test_rows=2000)
    assert result.total("error", "tree") < result.total("error", "majority")
    with pytest.raises(ValueError, match="no rows to test on"):
        holdout(Sea().head(0), models)
