"""river's own catalogue of checks for estimators, and its pipelines and evaluators."""

from functools import partial

import pandas as pd
import pytest

river = pytest.importorskip("river")

from river import checks, compose, datasets, evaluate, metrics, preprocessing, stream  # noqa: E402

from sgtrees.interop.river import (  # noqa: E402
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTClassifier,
    SGTForestClassifier,
    SGTForestRegressor,
    SGTRegressor,
)
from sgtrees.streams import Agrawal, Drift  # noqa: E402

MODELS = {
    "SGTClassifier": SGTClassifier,
    "SGTClassifier of one tree": partial(SGTClassifier, multiclass="vector"),
    "SGTRegressor": SGTRegressor,
    "SGTBoostingClassifier": partial(SGTBoostingClassifier, n_estimators=5, random_state=0),
    "SGTBoostingRegressor": partial(SGTBoostingRegressor, n_estimators=5, random_state=0),
    "SGTForestClassifier": partial(SGTForestClassifier, n_estimators=5, random_state=0),
    "SGTForestRegressor": partial(SGTForestRegressor, n_estimators=5, random_state=0),
}


def catalogue():
    for name, model in MODELS.items():
        for number, check in enumerate(checks.yield_checks(model())):
            yield pytest.param(name, check, id=f"{name}-{check.__name__}-{number}")


@pytest.mark.parametrize(("name", "check"), list(catalogue()))
def test_the_estimator_passes(name, check):
    check(MODELS[name]())


@pytest.mark.parametrize("model", list(MODELS.values()))
def test_no_check_is_skipped(model):
    assert model()._unit_test_skips() == set()


@pytest.mark.parametrize("multiclass", ["committee", "vector"])
def test_a_pipeline_learns_a_stream_of_several_classes(multiclass):
    model = compose.Pipeline(
        preprocessing.StandardScaler(),
        SGTClassifier(warm_up=200, grace_period=50, multiclass=multiclass),
    )
    metric = evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    assert metric.get() > 0.5


def test_words_and_new_features_may_appear_in_events():
    model = SGTClassifier(warm_up=10, grace_period=10, delta=0.05)
    for i in range(200):
        colour = "red" if i % 2 else "blue"
        model.learn_one({"colour": colour} | ({"late": i} if i > 100 else {}), i % 2 == 0)
    assert model.predict_one({"colour": "red"}) is False
    assert model.predict_one({"colour": "blue"}) is True


def test_many_rows_at_once_are_the_same_as_one_after_the_other():
    pandas = pytest.importorskip("pandas")
    rows = list(datasets.TrumpApproval().take(300))
    one, many = (SGTRegressor(warm_up=50, grace_period=20) for _ in range(2))
    for x, y in rows:
        one.learn_one(x, y)
    X, y = pandas.DataFrame([x for x, _ in rows]), pandas.Series([y for _, y in rows])
    for start in range(0, 300, 50):
        many.learn_many(X[start : start + 50], y[start : start + 50])
    assert many.predict_many(X).tolist() == [one.predict_one(x) for x, _ in rows]


def test_several_targets_and_labels_are_dictionaries_or_data_frames():
    pandas = pytest.importorskip("pandas")
    rows = list(datasets.TrumpApproval().take(300))
    X = pandas.DataFrame([x for x, _ in rows])
    numbers = pandas.DataFrame({"approval": [y for _, y in rows], "day": range(300)}, dtype=float)
    for make, y in ((SGTRegressor, numbers), (SGTClassifier, numbers > numbers.median())):
        one, many = (make(warm_up=50, grace_period=20) for _ in range(2))
        for x, targets in zip(X.to_dict("records"), y.to_dict("records"), strict=True):
            one.learn_one(x, targets)
        for start in range(0, 300, 50):
            many.learn_many(X[start : start + 50], y[start : start + 50])
        found = many.predict_many(X)
        assert list(found.columns) == ["approval", "day"]
        assert found.to_dict("records") == [one.predict_one(x) for x, _ in rows]


def test_before_any_row_many_predictions_are_neutral():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"a": [1.0, 2.0]})
    assert SGTRegressor().predict_many(X).tolist() == [0.0, 0.0]
    assert SGTClassifier().predict_many(X).tolist() == [None, None]
    assert SGTClassifier().predict_proba_many(X).empty


def test_a_simulated_stream_with_delays_is_evaluated():
    model = SGTRegressor(warm_up=50, grace_period=20)
    dataset = stream.iter_array(
        [[float(i)] for i in range(300)], [float(i % 2) for i in range(300)]
    )
    metric = evaluate.progressive_val_score(dataset, model, metrics.MAE(), delay=3)
    assert metric.get() < 1


def test_trees_are_drawn_summed_up_and_tell_of_drift(tmp_path):
    model = SGTClassifier()
    assert set(model.summary.values()) == {0}
    rows = Drift(Agrawal(1), Agrawal(5, seed=1), at=6_000).take(12_000)
    model.learn_many(pd.DataFrame(rows.X).rename(columns=str), pd.Series(rows.y))
    summary = model.summary
    assert summary["n_samples_seen"] == 12_000
    assert summary["n_nodes"] == summary["n_leaves"] + summary["n_branches"] > 1
    assert summary["n_drifts_detected"] == model.n_drifts_detected(0) > 0
    assert model.n_drifts_detected(1) == 0
    assert [event.kind for event in model.drifts[:2]] == ["alarm", "replaced"]
    drawing = model.draw(max_depth=2)
    assert drawing._repr_svg_().startswith("<svg")
    assert drawing.save(tmp_path / "tree.dot").read_text() == str(drawing)
    assert drawing.save(tmp_path / "tree.svg").read_text() == drawing.svg
