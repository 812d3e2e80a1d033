"""Models of river."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from river import base, evaluate, linear_model, preprocessing, tree
from river import metrics as river_metrics

from sgtrees import SGTClassifier
from sgtrees.evaluation import (
    prequential,
)
from sgtrees.evaluation.adapters.row_by_row import row_dicts
from sgtrees.interop.river import SGTClassifier as RiverClassifier
from sgtrees.interop.river import SGTRegressor as RiverRegressor
from sgtrees.streams import Agrawal, Block, Column, Friedman, open_stream
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


def test_probabilities_go_to_their_labels_whatever_their_order():
    class Fixed(base.Classifier):
        probabilities: ClassVar = {}

        def learn_one(self, x, y):
            self.probabilities = {"b": 0.25, "a": 0.75}

        def predict_one(self, x):
            return "a" if self.probabilities else None

        def predict_proba_one(self, x):
            return self.probabilities

    stream = open_stream(np.zeros((4, 1)), y=np.array(["a", "b", "a", "a"]))
    result = prequential(stream, Fixed(), metrics=["log_loss", "error"])
    # The first row is predicted before anything was learned.
    assert result.total("log_loss") == pytest.approx(-np.log([0.25, 0.75, 0.75]).mean())
    assert result.total("error") == pytest.approx(1 / 3)


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


def test_a_classifier_without_probabilities_is_asked_for_none():
    class First(base.Classifier):
        label = None

        def learn_one(self, x, y):
            self.label = y if self.label is None else self.label

        def predict_one(self, x):
            return self.label

        def predict_proba_one(self, x):
            raise AssertionError("nobody needs them")

    result = prequential(Agrawal().head(100), First(), metrics=["error"])
    assert 0.0 < result.total("error") < 1.0


def test_river_gets_the_names_of_generated_categories():
    class Watcher(tree.HoeffdingTreeClassifier):
        seen = ()

        def learn_one(self, x, y, w=1.0):
            Watcher.seen = x
            super().learn_one(x, y, w=w)

    prequential(Agrawal().head(100), Watcher(), metrics=["error"])
    assert isinstance(Watcher.seen["education"], str)
    assert isinstance(Watcher.seen["salary"], float)


@pytest.mark.parametrize(("n_targets", "n_weights"), [(2, 3), (3, 2), (4, 3)])
def test_a_block_has_a_target_and_a_weight_for_each_row(n_targets, n_weights):
    block = Block(np.zeros((3, 1)), np.zeros(n_targets), np.ones(n_weights))
    with pytest.raises(ValueError, match=r"shorter|longer"):
        prequential(open_stream([block]), linear_model.LinearRegression(), metrics=["mae"])


def test_a_frame_with_other_columns_than_the_stream_is_refused():
    rows = row_dicts(Block(pd.DataFrame({"a": [1.0], "b": [2.0]})), [Column("a")])
    with pytest.raises(ValueError, match="longer"):
        list(rows)
