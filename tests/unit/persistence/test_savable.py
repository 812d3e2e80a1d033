"""Estimators saved and loaded: models that only predict, names, labels, pickles, threads."""

import copy
import pickle
import threading

import joblib
import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTMultiInstanceClassifier, SGTRegressor
from sgtrees.parameters.settings import core_options
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.model_file import from_buffer
from tests.fingerprint import fingerprint
from tests.unit.persistence.round_trip import QUICK, numbers, regressor, saved

# ---- models that only predict --------------------------------------------------------------------


def test_a_model_that_only_predicts_refuses_to_learn_and_stays_as_it_was(tmp_path):
    frame = pd.DataFrame({"colour": ["red", "blue"] * 100, "size": np.linspace(0, 1, 200)})
    labels = np.where(frame["size"] > 0.5, "big", "small")
    model = SGTClassifier(**QUICK).partial_fit(frame, labels)
    small = saved(model, tmp_path, inference_only=True)
    before = fingerprint(small)
    new = pd.DataFrame({"colour": ["green"], "size": [0.5]})
    attempts = [
        lambda: small.partial_fit(frame, labels),
        lambda: small.partial_fit(new, ["middling"]),
        lambda: small.learn_predict(new, ["big"]),
        lambda: small.learn_one({"colour": "red", "size": 0.1}, "small"),
        lambda: small.learn_one({"colour": "green", "taste": 1.0}, "middling"),
    ]
    for attempt in attempts:
        with pytest.raises(ValueError, match="inference_only=True"):
            attempt()
        assert fingerprint(small) == before
    assert small.predict_one({"colour": "red", "size": 0.9}) == "big"
    # A new start is another matter.
    assert small.fit(frame, labels).score(frame, labels) > 0.9


def test_bags_that_only_predict_refuse_to_learn(tmp_path):
    bags = [np.random.default_rng(i).random((3, 2)) for i in range(100)]
    y = [int(bag.max() > 0.9) for bag in bags]
    model = SGTMultiInstanceClassifier(**QUICK).partial_fit(bags, y)
    small = saved(model, tmp_path, inference_only=True)
    with pytest.raises(ValueError, match="inference_only=True"):
        small.partial_fit(bags, y)
    assert small.predict_proba(bags).tobytes() == model.predict_proba(bags).tobytes()


def test_a_model_that_only_predicts_keeps_covers_and_counters(tmp_path):
    model = regressor()
    small = saved(model, tmp_path, inference_only=True)
    mine, theirs = small._model.core.tree(0), model._model.core.tree(0)
    for name in ("cover", "gain", "value", "threshold"):
        np.testing.assert_array_equal(mine[name], theirs[name])
    assert (small.n_updates_, small.n_splits_) == (model.n_updates_, model.n_splits_)
    assert (tmp_path / "model.safetensors").stat().st_size < 20_000


# ---- names, labels, parameters -------------------------------------------------------------------


def test_events_with_all_kinds_of_names_and_values_come_back(tmp_path):
    model = SGTClassifier(**QUICK)
    for i in range(200):
        event = {
            "size": i / 200,
            7: float(i % 5),
            ("a", 1): i % 2 == 0,
            None: "x",
            2.5: ["ä", "\ud800", "", "\x00"][i % 4],
        }
        model.learn_one(event, i % 3)
    again = saved(model, tmp_path)
    assert list(again._model.schema.index) == ["size", 7, ("a", 1), None, 2.5]
    assert fingerprint(again) == fingerprint(model)
    more = {"size": 0.5, "late": 3.0, 2.5: "new"}
    assert fingerprint(again.learn_one(more, 9)) == fingerprint(model.learn_one(more, 9))


@pytest.mark.parametrize("labels", [[True, False], [-3, 10**20], ["b", "a"]], ids=str)
def test_labels_keep_their_kind_and_order(tmp_path, labels):
    X, _ = numbers(100)
    y = np.array([labels[int(x > 0.5)] for x in X[:, 0]], dtype=object)
    model = SGTClassifier(class_weight={labels[0]: 2.0}).partial_fit(X, y.tolist())
    again = saved(model, tmp_path)
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.classes_.dtype == model.classes_.dtype
    assert again._model.class_weight.of(labels[0]) == 2.0
    assert fingerprint(again) == fingerprint(model)


def test_names_and_parameters_that_cannot_be_saved_are_named(tmp_path):
    model = SGTClassifier().learn_one({frozenset({1}): 1.0}, "a")
    with pytest.raises(
        TypeError, match=r"name of column frozenset\(\{1\}\) holds .*cannot be saved"
    ):
        model.save(tmp_path / "model")
    with pytest.raises(TypeError, match=r"parameter 'categorical_features' holds .* set"):
        SGTClassifier(categorical_features={1, 2}).save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_user_defined_estimators_are_refused_but_can_be_pickled(tmp_path):
    with pytest.raises(TypeError, match=r"OwnRegressor is a class of your own.*use pickle"):
        OwnRegressor().save(tmp_path / "model")
    model = OwnRegressor(**QUICK).partial_fit(*numbers())
    model.note = "kept"
    again = pickle.loads(pickle.dumps(model))
    assert type(again) is OwnRegressor
    assert again.note == "kept"
    assert fingerprint(again) == fingerprint(model)


class OwnRegressor(SGTRegressor):
    """An estimator that the library does not know."""


def test_data_with_other_features_are_refused_by_name_after_loading(tmp_path):
    frame = pd.DataFrame(numbers()[0], columns=["a", "b", "c"])
    again = saved(SGTRegressor(**QUICK).partial_fit(frame, numbers()[1]), tmp_path)
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(frame.rename(columns={"b": "other"}))
    with pytest.raises(ValueError, match=r"3 features|feature names"):
        again.predict(frame[["a", "b"]])


def test_every_setting_of_the_core_is_in_the_document(tmp_path):
    model = SGTClassifier(max_depth=5, max_leaves=7, max_memory="1MB", n_threads=2, **QUICK)
    X, y = numbers()
    model.partial_fit(X, y > 2)
    again = saved(model, tmp_path)
    assert again._model.options == model._model.options == core_options(model.get_params())
    assert again.get_params() == model.get_params()


# ---- pickle and joblib ---------------------------------------------------------------------------


def test_a_pickle_holds_the_bytes_of_a_model_file():
    model = regressor()
    state = pickle.loads(pickle.dumps(model)).__getstate__()["_model"].__getstate__()
    assert from_buffer(state["file"]).document["options"]["warm_up"] == 50
    assert state["own_loss"] is None


def test_joblib_and_deepcopy_give_models_of_their_own(tmp_path):
    model = regressor()
    joblib.dump(model, tmp_path / "model", compress=3)
    X, y = numbers(300, seed=1)
    for again in (joblib.load(tmp_path / "model"), copy.deepcopy(model)):
        before = fingerprint(model)
        again.partial_fit(X, y)
        assert fingerprint(model) == before != fingerprint(again)


def test_a_pickle_that_was_tampered_with_is_refused():
    state = regressor()._model.__getstate__()
    state["file"] = state["file"][:-1] + b"?"
    with pytest.raises(ModelFileError, match="checksum"):
        regressor()._model.__setstate__(state)


# ---- threads -------------------------------------------------------------------------------------


def test_a_model_that_is_saved_while_another_thread_learns_is_a_model_between_two_calls(tmp_path):
    X, y = numbers(20_000)
    model = SGTRegressor(**QUICK).partial_fit(X[:1000], y[:1000])
    done = threading.Event()

    def learn():
        for begin in range(1000, len(y), 100):
            model.partial_fit(X[begin : begin + 100], y[begin : begin + 100])
        done.set()

    thread = threading.Thread(target=learn)
    thread.start()
    rows = []
    while not done.is_set():
        again = saved(model, tmp_path)
        rows.append(again._model.core.n_rows)
    thread.join()
    assert rows == sorted(rows)
    assert all(n % 100 == 0 for n in rows)
    n = rows[-1]
    expected = SGTRegressor(**QUICK).partial_fit(X[:n], y[:n])
    assert fingerprint(again) == fingerprint(expected)


@pytest.mark.parametrize("max_memory", [None, "1MB"])
def test_leaves_that_keep_as_many_rows_as_they_may_come_back(tmp_path, max_memory):
    random = np.random.default_rng(0)
    X = random.normal(size=(30_000, 5))
    y = X[:, 0] * X[:, 1] + X[:, 2] + random.normal(size=len(X)) > 0
    model = SGTClassifier(max_memory=max_memory).partial_fit(X[:20_000], y[:20_000])
    again = saved(model, tmp_path)
    for each in (model, again):
        each.partial_fit(X[20_000:], y[20_000:])
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert again._model.core.memory_bytes == model._model.core.memory_bytes
