import copy
import pickle
from collections import OrderedDict, UserDict

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sgtrees import SGTClassifier, load
from tests.fingerprint import fingerprint

QUICK = {"warm_up": 50, "grace_period": 20, "delta": 0.01}


def mixed_rows(n_rows, seed=0):
    """Return a frame with a column of each kind, missing values among them, and labels."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "ripe": rng.random(n_rows) < 0.5,
            "count": rng.integers(0, 9, n_rows),
        }
    )
    y = np.where(frame["size"] > 0, "large", np.where(frame["colour"] == "red", "red", "other"))
    frame.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "colour"] = None
    return frame, y


def events_of(frame):
    return frame.to_dict("records")


# ---- blocks -------------------------------------------------------------------------------------


def test_a_block_its_halves_and_its_single_rows_give_the_same_model():
    X, y = mixed_rows(600)
    whole = SGTClassifier(**QUICK).partial_fit(X, y)
    halves = SGTClassifier(**QUICK).partial_fit(X[:301], y[:301]).partial_fit(X[301:], y[301:])
    rows = SGTClassifier(**QUICK)
    for i in range(len(X)):
        rows.partial_fit(X[i : i + 1], y[i : i + 1])
    assert whole.n_splits_ > 0
    assert fingerprint(whole) == fingerprint(halves) == fingerprint(rows)


def test_events_and_blocks_give_the_same_model():
    X, y = mixed_rows(600)
    blocks = SGTClassifier(**QUICK).partial_fit(X, y)
    events = SGTClassifier(**QUICK).partial_fit(X[:100], y[:100])
    for x, label in zip(events_of(X[100:]), y[100:].tolist(), strict=True):
        events.learn_one(x, label)
    assert fingerprint(blocks) == fingerprint(events)
    from_nothing = SGTClassifier(**QUICK)
    for x, label in zip(events_of(X), y, strict=True):
        from_nothing.learn_one(x, label)
    assert blocks.predict(X).tolist() == [from_nothing.predict_one(x) for x in events_of(X)]


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas, lambda frame: frame])
def test_every_library_gives_the_same_model(convert):
    X, y = mixed_rows(600)
    expected = SGTClassifier(**QUICK).partial_fit(X, y)
    model = SGTClassifier(**QUICK).partial_fit(convert(X), y)
    assert fingerprint(model) == fingerprint(expected)
    assert model.predict(convert(X)).tolist() == expected.predict(X).tolist()


def test_learn_predict_returns_what_was_predicted_before_each_row():
    X, y = mixed_rows(300)
    model, step = SGTClassifier(**QUICK), SGTClassifier(**QUICK)
    predicted = model.learn_predict(X, y)
    assert predicted[0] == model.classes_[0]
    for i, x in enumerate(events_of(X)):
        assert i == 0 or step.predict_one(x) == predicted[i]
        step.partial_fit(X[i : i + 1], y[i : i + 1])
    assert fingerprint(model) == fingerprint(step)


def test_learn_predict_can_return_probabilities():
    X, y = mixed_rows(300)
    model, step = SGTClassifier(**QUICK), SGTClassifier(**QUICK)
    probabilities = model.learn_predict(X, y, method="predict_proba")
    assert probabilities.shape == (300, 3)
    for i, x in enumerate(events_of(X)):
        by_label = step.predict_proba_one(x)
        assert probabilities[i].tolist() == [by_label.get(c, 0.0) for c in model.classes_.tolist()]
        step.partial_fit(X[i : i + 1], y[i : i + 1])


def test_learn_predict_refuses_other_methods():
    with pytest.raises(ValueError, match="method == 'score', must be"):
        SGTClassifier().learn_predict([[1.0]], [1], method="score")


def test_rows_of_weight_zero_are_passed_over():
    X, y = mixed_rows(400)
    weights = np.where(np.arange(400) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    weighted = SGTClassifier(**QUICK).partial_fit(X, y, sample_weight=weights)
    without = SGTClassifier(**QUICK).partial_fit(X[kept], y[kept], sample_weight=weights[kept])
    tested = SGTClassifier(**QUICK)
    assert len(tested.learn_predict(X, y, sample_weight=weights)) == 400
    assert fingerprint(weighted) == fingerprint(without) == fingerprint(tested)


def test_a_first_block_of_weight_zero_leaves_the_model_unfitted():
    model = SGTClassifier().partial_fit([["a"]], ["x"], sample_weight=[0.0])
    with pytest.raises(NotFittedError):
        model.predict([["a"]])
    assert model.predict_one({0: "a"}) is None


def test_declared_classes_have_probability_zero_until_they_are_seen():
    model = SGTClassifier().partial_fit([[1.0], [2.0]], ["b", "c"], classes=["c", "b", "a"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba([[1.0]]).tolist() == [[0.0, 0.5, 0.5]]
    assert model.predict_proba_one({0: 1.0}) == {"a": 0.0, "b": 0.5, "c": 0.5}
    assert model.predict_log_proba([[1.0]])[0, 0] == -np.inf
    model.partial_fit([[1.0], [2.0]], ["a", "d"])
    assert model.classes_.tolist() == ["a", "b", "c", "d"]


def test_ties_go_to_the_first_label():
    model = SGTClassifier().partial_fit([[1.0], [2.0]], ["b", "a"])
    assert model.predict([[1.0]]).tolist() == ["a"]
    assert model.predict_one({0: 1.0}) == "a"


@pytest.mark.parametrize("labels", [[3, 1], [True, False], ["b", "a"]])
def test_predictions_are_labels_of_the_given_type(labels):
    model = SGTClassifier().partial_fit([[1.0], [2.0], [3.0]], [*labels, labels[0]])
    assert model.predict([[1.0]]).tolist() == [labels[0]]
    assert type(model.predict_one({0: 1.0})) is type(labels[0])


def test_class_weights_count_like_row_weights():
    X, y = mixed_rows(300)
    by_class = SGTClassifier(class_weight={"red": 4.0}, **QUICK).partial_fit(X, y)
    by_row = SGTClassifier(**QUICK).partial_fit(X, y, sample_weight=np.where(y == "red", 4.0, 1.0))
    by_event = SGTClassifier(class_weight={"red": 4.0}, **QUICK).partial_fit(X[:9], y[:9])
    for x, label in zip(events_of(X[9:]), y[9:], strict=True):
        by_event.learn_one(x, label)
    assert fingerprint(by_class) == fingerprint(by_row) == fingerprint(by_event)


# ---- fit ----------------------------------------------------------------------------------------


def test_fit_on_a_small_data_set_is_useful():
    X, y = load_iris(return_X_y=True)
    assert SGTClassifier(random_state=0).fit(X, y).score(X, y) > 0.95


def test_fit_starts_anew():
    X, y = load_iris(return_X_y=True)
    model = SGTClassifier(random_state=0).fit(X[:, :2], y + 5)
    assert fingerprint(model.fit(X, y)) == fingerprint(SGTClassifier(random_state=0).fit(X, y))


def test_a_fit_that_fails_leaves_the_old_model():
    X, y = load_iris(return_X_y=True)
    model = SGTClassifier(random_state=0).fit(X, y)
    before = fingerprint(model)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.full_like(X, np.inf), y)
    with pytest.raises(ValueError, match="sample_weight is zero for all rows"):
        model.fit(X, y, sample_weight=np.zeros(len(X)))
    assert fingerprint(model) == before


def test_one_epoch_is_one_pass_in_the_order_of_the_rows():
    X, y = mixed_rows(600)
    # `fit` forgets what leaves have followed, and replaces no tree.
    static = QUICK | {"following_rates": (), "on_drift": "ignore"}
    fitted = SGTClassifier(epochs=1, **static).fit(X, y)
    assert fingerprint(fitted) == fingerprint(SGTClassifier(**static).partial_fit(X, y))


def test_fit_ends_the_warm_up():
    X, y = mixed_rows(150)
    model = SGTClassifier(epochs=1).fit(X, y)
    assert not model._model.core.warming_up
    assert SGTClassifier(warm_up=1000).partial_fit(X, y)._model.core.warming_up


def test_the_seed_decides_the_order_of_rows():
    X, y = load_iris(return_X_y=True)
    one, same, other = (
        fingerprint(SGTClassifier(random_state=seed).fit(X, y)) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("n_rows", "passes", "without_kept_rows"),
    [(150, 4, 25), (100_000, 4, 10), (999_999, 2, 2), (10**6, 1, 1)],
)
def test_passes_are_several_for_few_rows_and_one_for_many(n_rows, passes, without_kept_rows):
    assert SGTClassifier()._auto_passes(n_rows) == passes
    assert SGTClassifier(kept_rows=0)._auto_passes(n_rows) == without_kept_rows


def test_fit_reports_its_passes(capsys):
    SGTClassifier(verbose=1, epochs=2).fit([[1.0], [2.0]], [0, 1])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("[SGTClassifier] pass 1 of 2: 2 rows")


def rare_rows(n_rows):
    random = np.random.default_rng(3)
    X = random.random((n_rows, 3))
    return X, np.where(random.random(n_rows) < 0.15 * X[:, 0], "rare", "usual")


def test_balanced_classes_of_a_stream_are_the_same_for_blocks_parts_and_rows(tmp_path):
    X, y = rare_rows(900)
    weights = np.random.default_rng(0).integers(0, 3, 900).astype(float)

    def new():
        return SGTClassifier(class_weight="balanced", **QUICK)

    whole = new().partial_fit(X, y, sample_weight=weights)
    parts, events = new(), new()
    for part in np.split(np.arange(900), [1, 17, 400]):
        parts.partial_fit(X[part], y[part], sample_weight=weights[part])
        parts.save(tmp_path / "part.sgt")
        parts = load(tmp_path / "part.sgt")
    for row, label, weight in zip(X, y, weights, strict=True):
        events.learn_one(dict(enumerate(row)), label, weight)
    assert fingerprint(parts) == fingerprint(whole)
    assert fingerprint(events)["core"] == fingerprint(whole)["core"]


def test_balanced_classes_of_a_stream_count_the_same():
    X, y = rare_rows(20_000)
    recalls = {}
    for class_weight in (None, "balanced"):
        predicted = SGTClassifier(class_weight=class_weight).learn_predict(X, y)
        recalls[class_weight] = (predicted == y)[y == "rare"].mean()
    assert recalls[None] < 0.1
    assert recalls["balanced"] > 0.5


def test_a_stream_goes_on_with_the_balance_of_fit():
    X, y = rare_rows(900)
    fitted = SGTClassifier(class_weight="balanced", epochs=1).fit(X, y)
    assert fitted.model_.class_totals.by_label == {
        "usual": (y == "usual").sum(),
        "rare": (y == "rare").sum(),
    }
    batch = fitted.prepare(X[:1], ["rare"])
    assert batch.weights == pytest.approx(901 / (2 * ((y == "rare").sum() + 1)))


def test_refused_rows_do_not_count_in_the_balance():
    X, y = rare_rows(300)
    model = SGTClassifier(class_weight="balanced").partial_fit(X, y)
    before = fingerprint(model), model.model_.class_totals
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit(np.full((1, 3), np.inf), ["rare"])
    assert (fingerprint(model), model.model_.class_totals) == before


def test_parameters_set_later_take_effect_at_the_next_fit():
    X, y = mixed_rows(600)
    model = SGTClassifier(**QUICK).partial_fit(X[:300], y[:300])
    model.set_params(grace_period=10_000).partial_fit(X[300:], y[300:])
    assert fingerprint(model) == fingerprint(SGTClassifier(**QUICK).partial_fit(X, y))
    assert model.set_params(epochs=1).fit(X, y).n_splits_ == 0


def test_known_ranges_need_no_warm_up():
    model = SGTClassifier(feature_ranges=(0, 1)).partial_fit([[0.5]], [1])
    assert not model._model.core.warming_up
    np.testing.assert_allclose(model._model.core.boundaries(0), np.arange(1, 32) / 32)


# ---- events -------------------------------------------------------------------------------------


def test_nothing_is_known_before_the_first_event():
    model = SGTClassifier()
    assert model.predict_one({"a": 1}) is None
    assert model.predict_proba_one({"a": 1}) == {}
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])
    for attribute in ("classes_", "n_features_in_", "feature_names_in_", "n_nodes_"):
        assert not hasattr(model, attribute)


def test_new_features_and_classes_may_appear_in_any_event():
    model = SGTClassifier(warm_up=2)
    model.learn_one({"a": 1.0}, "x").learn_one({"b": "u", "a": None}, "y")
    model.learn_one({"c": True, "b": "v"}, "z")
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.classes_.tolist() == ["x", "y", "z"]
    assert set(model.predict_proba_one({"d": 1, "b": "never"})) == {"x", "y", "z"}


def test_an_event_without_features_is_learned():
    model = SGTClassifier().learn_one({}, "x").learn_one({"a": 1.0}, "y")
    assert model.predict_proba_one({}) == {"x": 0.5, "y": 0.5}


def test_declared_names_are_nominal_in_events():
    model = SGTClassifier(categorical_features=["zip"]).learn_one({"zip": 1234, "age": 7}, 0)
    assert model._model.schema.nominal == [True, False]


@pytest.mark.parametrize("kind", [OrderedDict, UserDict])
def test_other_mappings_are_events_too(kind):
    model = SGTClassifier().learn_one({"a": 1.0}, "x")
    model.learn_one(kind(a=2.0), "y")
    assert model.predict_proba_one(kind(a=2.0)) == {"x": 0.5, "y": 0.5}


def test_numpy_scalars_are_values_and_labels():
    plain, numpy = SGTClassifier(), SGTClassifier()
    for i in range(5):
        plain.learn_one({"a": i, "b": 0.5 * i, "c": i > 2}, i % 2)
        numpy.learn_one(
            {"a": np.int64(i), "b": np.float32(0.5 * i), "c": np.bool_(i > 2)}, np.int8(i % 2)
        )
    assert fingerprint(plain) == fingerprint(numpy)


def test_a_model_of_unnamed_arrays_takes_column_numbers_as_keys():
    X, y = load_iris(return_X_y=True)
    blocks = SGTClassifier(**QUICK).partial_fit(X, y)
    events = SGTClassifier(**QUICK).partial_fit(X[:50], y[:50])
    for i in range(50, 100):
        events.learn_one(dict(enumerate(X[i].tolist())), int(y[i]))
    for i in range(100, 150):
        events.learn_one({f"x{k}": value for k, value in enumerate(X[i])}, y[i])
    assert fingerprint(blocks) == fingerprint(events)


# ---- scikit-learn's ways ------------------------------------------------------------------------


@pytest.mark.parametrize("copied", ["pickle", "deepcopy", "joblib"])
def test_a_copy_learns_on_as_the_original_does(copied, tmp_path):
    X, y = mixed_rows(600)
    model = SGTClassifier(**QUICK).partial_fit(
        X[:300], y[:300], classes=["large", "other", "red", "none"]
    )
    if copied == "joblib":
        joblib.dump(model, tmp_path / "model")
        twin = joblib.load(tmp_path / "model")
    else:
        twin = pickle.loads(pickle.dumps(model)) if copied == "pickle" else copy.deepcopy(model)
    assert fingerprint(twin) == fingerprint(model)
    model.partial_fit(X[300:], y[300:])
    for x, label in zip(events_of(X[300:]), y[300:], strict=True):
        twin.learn_one(x, label)
    assert fingerprint(twin) == fingerprint(model)


def test_an_unfitted_estimator_can_be_pickled():
    model = pickle.loads(pickle.dumps(SGTClassifier(n_bins=32)))
    assert model.n_bins == 32
    assert model.predict_one({}) is None


def test_a_clone_has_the_parameters_and_nothing_learned():
    model = SGTClassifier(n_bins=32).partial_fit([[1.0]], [1])
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "classes_")


def test_it_works_in_pipelines_and_grid_searches():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), SGTClassifier(random_state=0, epochs=5))
    search = GridSearchCV(pipeline, {"sgtclassifier__grace_period": [50, 200]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8


def test_it_has_an_html_representation():
    assert "SGTClassifier" in SGTClassifier().partial_fit([[1.0]], [1])._repr_html_()


def test_names_in_another_order_are_refused():
    X, y = mixed_rows(50)
    model = SGTClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        model.predict(X[X.columns[::-1]])


def test_names_that_appear_only_later_are_worth_a_warning():
    model = SGTClassifier().partial_fit(np.ones((2, 1)), [0, 1])
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        model.predict(pd.DataFrame({"a": [1.0]}))


def test_several_threads_give_the_same_model():
    X, y = load_iris(return_X_y=True)
    one, two = (SGTClassifier(n_threads=n, random_state=0).fit(X, y) for n in (1, 2))
    assert one.predict_proba(X).tolist() == two.predict_proba(X).tolist()


LOSSES = ["log_loss", "focal", "exponential", lambda y, raw: (_p(raw) - y, _p(raw) * (1 - _p(raw)))]


def _p(raw):
    return 1 / (1 + np.exp(-raw))


@pytest.mark.parametrize("loss", LOSSES)
def test_the_decision_function_of_two_classes_has_the_sign_of_the_prediction(loss):
    X, y = rare_rows(900)
    y[X[:, 0] > 0.8] = "rare"
    model = SGTClassifier(loss=loss, random_state=0, epochs=2).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (900,)
    np.testing.assert_array_equal(model.classes_[(scores > 0).astype(int)], model.predict(X))
    np.testing.assert_allclose(_p(scores), model.predict_proba(X)[:, 1], rtol=1e-12)


def test_the_decision_function_of_many_classes_is_greatest_where_predicted():
    X, y = load_iris(return_X_y=True)
    model = SGTClassifier(random_state=0).fit(X, y)
    scores = model.decision_function(X)
    np.testing.assert_array_equal(scores.argmax(axis=1), model.predict(X))
    np.testing.assert_allclose(np.exp(scores), model.predict_proba(X))


def test_scores_are_finite_also_of_classes_that_no_row_had():
    model = SGTClassifier().partial_fit([[1.0], [2.0]], [0, 0], classes=[0, 1])
    assert np.isfinite(model.decision_function([[1.0]])).all()
    assert model.decision_function([[1.0]]) < 0
    model = SGTClassifier().partial_fit([[1.0], [2.0]], [0, 1], classes=[0, 1, 2])
    assert np.isfinite(model.decision_function([[1.0]])).all()
    assert roc_auc_score([0, 1], model.decision_function([[1.0], [2.0]])[:, 1]) == 0.5


def test_the_decision_function_of_several_labels_has_a_column_for_each():
    X, y = [[0.0], [1.0]] * 300, [[1, 0], [0, 1]] * 300
    scores = SGTClassifier(random_state=0).fit(X, y).decision_function([[0.0], [1.0]])
    assert (scores > 0).tolist() == [[True, False], [False, True]]
