"""Models of river."""

import pytest
from river import evaluate, linear_model, preprocessing, tree
from river import metrics as river_metrics

from sgtrees import SGTClassifier
from sgtrees.evaluation import (
    prequential,
)
from sgtrees.interop.river import SGTClassifier as RiverClassifier
from sgtrees.interop.river import SGTRegressor as RiverRegressor
from sgtrees.streams import Agrawal, Friedman, open_stream
from tests.unit.evaluation.mixed_rows import QUICK, events, frame


def test_river_models_get_the_figures_that_river_gives_them():
    data = frame(2500, n_labels=2)
    pairs = [*zip(events(data), data["t"], strict=True)]
    theirs = evaluate.progressive_val_score(
        pairs, RiverClassifier(**QUICK), river_metrics.Accuracy()
    ).get()
    stream = open_stream(data.drop(columns="n"), "t")
    models = {"river": RiverClassifier(**QUICK), "own": SGTClassifier(**QUICK)}
    result = prequential(stream, models, metrics=["accuracy", "kappa"])
    assert result.total("accuracy", "river") == pytest.approx(theirs, abs=1e-15)
    assert result.total("accuracy", "own") == pytest.approx(theirs, abs=1e-15)


def test_river_regressors_and_pipelines_take_part():
    stream = Friedman().head(3000)
    models = {
        "sgt": RiverRegressor(**QUICK),
        "linear": preprocessing.StandardScaler() | linear_model.LinearRegression(),
        "hoeffding": tree.HoeffdingTreeRegressor(),
    }
    result = prequential(stream, models)
    pairs = [
        ({f"x{i + 1}": v for i, v in enumerate(row)}, y)
        for block in stream
        for row, y in zip(block.X.tolist(), block.y.tolist(), strict=True)
    ]
    model = preprocessing.StandardScaler() | linear_model.LinearRegression()
    theirs = evaluate.progressive_val_score(pairs, model, river_metrics.MAE()).get()
    assert result.total("mae", "linear") == pytest.approx(theirs)
    assert result.last("hoeffding").n_leaves > 1


def test_river_gets_the_names_of_generated_categories():
    class Watcher(tree.HoeffdingTreeClassifier):
        seen = ()

        def learn_one(self, x, y, w=1.0):
            Watcher.seen = x
            super().learn_one(x, y, w=w)

    prequential(Agrawal().head(100), Watcher(), metrics=["error"])
    assert isinstance(Watcher.seen["education"], str)
    assert isinstance(Watcher.seen["salary"], float)
