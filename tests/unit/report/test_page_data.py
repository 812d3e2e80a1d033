import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.evaluation import Prequential
from sgtrees.report.observations import Observations
from sgtrees.report.page_data import page_data
from sgtrees.streams import open_stream


def evaluated(model, X, y):
    pairs = zip(X.tolist(), y, strict=True)
    rows = [{"a": a, "b": b, "y": target} for (a, b), target in pairs]
    evaluation = Prequential(open_stream(rows, target="y"), {"tree": model})
    seen = Observations(evaluation.task, "tree")
    evaluation.callbacks.append(seen)
    for _ in evaluation.run():
        pass
    return page_data(evaluation.result(), model, "y", seen)


def test_with_linear_leaves_the_root_has_the_mean_prediction_of_the_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(8000, 2))
    # Rare, and steep: at the mean of the features the probability is far from the mean one.
    y = np.where(random.random(8000) < 1.0 / (1.0 + np.exp(6.0 - 3.0 * X[:, 0])), "yes", "no")
    model = SGTClassifier(leaf_model="linear", max_leaves=2)
    (tree,) = evaluated(model, X, y)["trees"]
    label = tree["title"].rsplit(" ", 1)[1]
    shown = float(tree["nodes"][0]["value"].split()[0]) / 100.0
    assert shown == pytest.approx((y == label).mean(), abs=0.02)


def test_means_over_rows_are_those_of_the_model():
    random = np.random.default_rng(1)
    X = random.normal(size=(5000, 2))
    y = np.where(X[:, 1] > 0, 3.0, -1.0) * X[:, 0] + 10.0
    model = SGTRegressor(leaf_model="linear")
    (tree,) = evaluated(model, X, y)["trees"]
    # All rows are in the sample, and the leaves as they are at the end predict them.
    predicted = [model.predict_one({"a": a, "b": b}) for a, b in X.tolist()]
    assert float(tree["nodes"][0]["value"]) == pytest.approx(np.mean(predicted), abs=0.1)
