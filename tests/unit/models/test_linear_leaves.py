"""Linear leaves: what they learn, that they are saved exactly, and what they do not go with."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import sgtrees
from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.export import to_treelite
from sgtrees.inspection import shap_values, to_json, to_text, view_model, why
from sgtrees.models.merging import MergeError
from tests.fingerprint import fingerprint

QUICK = {"warm_up": 100, "grace_period": 50, "leaf_model": "linear"}


def smooth(n=3000, seed=0):
    """A target that is linear in two features, with a bend in the first."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3)) * [1.0, 100.0, 1e-3]
    y = 3.0 * np.abs(X[:, 0]) + 0.02 * X[:, 1] + 0.1 * random.normal(size=n)
    return X, y


def classes(y):
    return np.digitize(y, [1.0, 3.0])


def models():
    X, y = smooth()
    return [
        (SGTRegressor(**QUICK), X, y),
        (SGTRegressor(loss="absolute_error", **QUICK), X, y),
        (SGTRegressor(**QUICK), X, np.column_stack([y, -2.0 * y])),
        (SGTClassifier(**QUICK), X, y > 2.0),
        (SGTClassifier(**QUICK), X, classes(y)),
        (SGTClassifier(loss="focal", **QUICK), X, y > 2.0),
        (SGTClassifier(**QUICK), X, np.column_stack([y > 1.0, y > 3.0])),
    ]


def scores(model, X):
    return model.predict_proba(X) if isinstance(model, SGTClassifier) else model.predict(X)


MODELS = pytest.mark.parametrize("which", range(7))


# ---- learning ------------------------------------------------------------------------------------


def test_a_linear_target_needs_no_split():
    X, y = smooth()
    y = 5.0 + X[:, 0] - 0.03 * X[:, 1]
    model = SGTRegressor(**QUICK).partial_fit(X, y)
    inside = (np.abs(X / X.std(axis=0)) < 2.5).all(axis=1)
    assert np.abs(model.predict(X[inside]) - y[inside]).mean() < 0.02 * y.std()
    constant = SGTRegressor(warm_up=100).partial_fit(X, y)
    assert np.abs(constant.predict(X) - y).mean() > 5 * np.abs(model.predict(X) - y).mean()


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "log_cosh"])
def test_a_smooth_target_is_met_better_and_by_fewer_leaves(loss):
    X, y = smooth()
    linear = SGTRegressor(loss=loss, **QUICK)
    constant = SGTRegressor(loss=loss, warm_up=100)
    errors = [np.abs(m.learn_predict(X, y) - y)[500:].mean() for m in (linear, constant)]
    assert errors[0] < 0.7 * errors[1]


def test_classification_is_more_accurate():
    X, y = smooth()
    linear = SGTClassifier(**QUICK)
    constant = SGTClassifier(warm_up=100)
    class_of_row = classes(y)
    losses = []
    for model in (linear, constant):
        probabilities = model.learn_predict(X, class_of_row, method="predict_proba")
        of_truth = probabilities[np.arange(len(class_of_row)), class_of_row]
        losses.append(-np.log(np.clip(of_truth, 1e-3, 1.0)).mean())
    assert losses[0] < losses[1]


@MODELS
def test_blocks_halves_and_single_rows_give_the_same_model(which):
    model, X, y = models()[which]
    in_parts = models()[which][0]
    model.partial_fit(X[:700], y[:700])
    for begin, end in [(0, 1), (1, 90), (90, 101), (101, 400), (400, 700)]:
        in_parts.partial_fit(X[begin:end], y[begin:end])
    assert fingerprint(model) == fingerprint(in_parts)


@MODELS
def test_a_frame_and_an_array_give_the_same_predictions(which):
    model, X, y = models()[which]
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    other = models()[which][0].partial_fit(frame, y)
    model.partial_fit(X, y)
    assert np.array_equal(scores(model, X), scores(other, frame))


def test_the_targets_unit_is_of_no_account():
    X, y = smooth()
    of_one = SGTRegressor(**QUICK).learn_predict(X, y)
    of_thousand = SGTRegressor(**QUICK).learn_predict(X, 1024.0 * y)
    assert np.allclose(of_thousand, 1024.0 * of_one, rtol=1e-9, atol=1e-9)


def test_scaling_all_weights_changes_nothing():
    X, y = smooth(1000)
    w = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    one = SGTRegressor(**QUICK).partial_fit(X, y, sample_weight=w)
    two = SGTRegressor(**QUICK).partial_fit(X, y, sample_weight=1024.0 * w)
    assert np.allclose(one.predict(X), two.predict(X), rtol=1e-9)


def test_missing_values_count_as_the_mean_and_outliers_are_held():
    X, y = smooth()
    model = SGTRegressor(max_depth=0, **QUICK).partial_fit(X, y)
    (tree,) = view_model(model).trees
    mean = np.array([[i.mean for i in tree.inputs]])
    assert model.predict([[np.nan] * 3]) == pytest.approx(model.predict(mean))
    three = mean + 3.0 * np.array([[i.deviation for i in tree.inputs]])
    assert model.predict([[1e12, 1e12, 1e12]]) == pytest.approx(model.predict(three))


def test_given_ranges_do_without_a_warm_up():
    X, y = smooth()
    ranges = [(-3.0, 3.0), (-300.0, 300.0), (-3e-3, 3e-3)]
    model = SGTRegressor(feature_ranges=ranges, **QUICK).partial_fit(X[:1], y[:1])
    view = view_model(model)
    assert [i.mean for i in view.trees[0].inputs] == [0.0, 0.0, 0.0]
    assert view.trees[0].inputs[0].deviation == pytest.approx(6.0 / np.sqrt(12.0))


def test_features_that_do_not_vary_and_features_that_come_late_are_left_out():
    rows = [{"a": float(i % 7), "b": 5.0, "c": "x"} for i in range(200)]
    model = SGTRegressor(**QUICK)
    for row in rows:
        model.learn_one(row, row["a"])
    for i in range(200):
        model.learn_one({"a": 1.0, "late": float(i)}, 1.0)
    inputs = view_model(model).trees[0].inputs
    assert [i.feature.name for i in inputs] == ["a"]


def test_features_that_are_all_nominal_leave_the_value_alone():
    random = np.random.default_rng(0)
    colour = random.choice(["red", "blue", "green"], 2000)
    y = np.select([colour == "red", colour == "blue"], [10.0, 20.0], 30.0)
    y += random.normal(size=2000)
    model = SGTRegressor(**QUICK).partial_fit(colour[:, None], y)
    assert view_model(model).trees[0].inputs == ()
    assert model.predict([["red"], ["blue"], ["green"]]) == pytest.approx([10, 20, 30], abs=0.5)
    restored = pickle.loads(pickle.dumps(model))
    assert fingerprint(model.partial_fit(colour[:99, None], y[:99])) == fingerprint(
        restored.partial_fit(colour[:99, None], y[:99])
    )


def test_columns_of_zeros_and_ones_may_be_numbers():
    """Two groups of columns of which one is 1, some rarely, as in Covertype."""
    random = np.random.default_rng(0)
    n = 12_000
    x = random.normal(size=(n, 4))
    area = random.integers(0, 4, n)
    soil = np.minimum(random.exponential(6.0, n).astype(int), 29)
    X = np.hstack([x, np.eye(4)[area], np.eye(30)[soil]])
    score = x[:, 0] + np.sin(2.0 * x[:, 1]) * (area == 1) + 2.0 * np.sin(soil) + (x[:, 2] > 0)
    y = random.random(n) < 1.0 / (1.0 + np.exp(-3.0 * score))
    losses = []
    for parameters in ({}, {"leaf_model": "linear"}):
        model = SGTClassifier(epochs=8, random_state=0, **parameters).fit(X[:8000], y[:8000])
        of_truth = model.predict_proba(X[8000:])[np.arange(4000), y[8000:].astype(int)]
        losses.append(-np.log(np.clip(of_truth, 1e-9, 1.0)).mean())
    assert losses[1] < losses[0]


def test_memory_is_kept_within_its_limit():
    X, y = smooth(20_000)
    model = SGTRegressor(max_memory="200KB", **QUICK).partial_fit(X, y)
    assert model._model.core.memory_bytes < 220_000
    assert model.n_leaves_ > 1


# ---- saving --------------------------------------------------------------------------------------


@MODELS
@pytest.mark.parametrize("rows", [60, 1500])
def test_a_saved_model_goes_on_as_if_nothing_had_happened(which, rows, tmp_path):
    model, X, y = models()[which]
    model.partial_fit(X[:rows], y[:rows])
    model.save(tmp_path / "model")
    loaded = sgtrees.load(tmp_path / "model")
    pickled = pickle.loads(pickle.dumps(model))
    assert loaded.leaf_model == "linear"
    for one in (model, loaded, pickled):
        one.partial_fit(X[rows:], y[rows:])
    assert fingerprint(model) == fingerprint(loaded) == fingerprint(pickled)


@MODELS
def test_a_model_that_only_predicts_is_smaller_and_predicts_the_same(which, tmp_path):
    model, X, y = models()[which]
    model.partial_fit(X, y)
    model.save(tmp_path / "whole")
    model.save(tmp_path / "small", inference_only=True)
    small = sgtrees.load(tmp_path / "small")
    assert np.array_equal(scores(model, X), scores(small, X))
    assert (tmp_path / "small").stat().st_size < (tmp_path / "whole").stat().st_size


# ---- looking -------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", [0, 2, 4])
def test_the_document_is_enough_to_predict(which):
    model, X, y = models()[which]
    model.partial_fit(X, y)
    document = json.loads(to_json(model))
    raw = np.tile(document["start"], (20, 1))
    for row, x in enumerate(X[:20]):
        z = [
            np.clip((x[i["feature"]] - i["mean"]) / i["deviation"], -3, 3)
            for i in document["inputs"]
        ]
        for tree in document["trees"]:
            node = tree["nodes"][0]
            while "split" in node:
                split = node["split"]
                left = x[split["feature"]] <= split["threshold"]
                node = tree["nodes"][split["left"] if left else split["right"]]
            values = np.array(node["values"]) + np.array(node["weights"]) @ z
            raw[row, tree["outputs"]] += tree["shrinkage"] * values
    if which == 4:
        powers = np.exp(raw)
        order = [document["labels"].index(label) for label in document["classes"]]
        raw = (powers / powers.sum(axis=1, keepdims=True))[:, order]
    assert np.allclose(scores(model, X[:20]).reshape(raw.shape), raw)


@MODELS
def test_the_reasons_of_a_prediction_add_up_to_it(which):
    model, X, y = models()[which]
    model.partial_fit(X, y)
    for x in (X[7], [np.nan, 1e12, 0.0]):
        explanation = why(model, list(x))
        raw = [0.0] * view_model(model).n_outputs
        for path in explanation.paths:
            for output, added in zip(path.tree.outputs, path.contribution, strict=True):
                raw[output] += added
            of_value = path.tree.contribution(path.end)
            for k, terms in enumerate(path.linear_terms):
                assert of_value[k] + sum(terms) == pytest.approx(path.contribution[k])
        predicted = model.predict([x])[0]
        if isinstance(model, SGTRegressor):
            assert explanation.prediction == pytest.approx(predicted, rel=1e-12)
        elif y.ndim == 1:
            assert explanation.prediction == predicted
        else:
            assert explanation.prediction == pytest.approx(model.predict_proba([x])[0])


def test_the_reasons_name_the_greatest_terms():
    X, _ = smooth()
    model = SGTRegressor(max_depth=0, **QUICK).partial_fit(X, 5.0 + 0.02 * X[:, 1])
    text = str(why(model, [0.0, 100.0, 0.0]))
    assert text.startswith("7 because always, +")
    assert " by x1, " in text
    assert text.index("x1") < min(text.index("x0"), text.index("x2"))


def test_the_text_has_the_linear_term():
    X, _ = smooth()
    model = SGTRegressor(max_depth=0, **QUICK).partial_fit(X, 5.0 + 0.02 * X[:, 1])
    assert to_text(model).startswith("|--- score 5")
    assert "+2" in to_text(model)
    assert "z(x1)" in to_text(model)


# ---- bad input -----------------------------------------------------------------------------------


def fitted():
    X, y = smooth(500)
    return SGTRegressor(**QUICK).partial_fit(X, y)


def test_a_vector_of_classes_is_refused():
    with pytest.raises(ValueError, match="multiclass='committee' only"):
        SGTClassifier(leaf_model="linear", multiclass="vector").partial_fit([[1.0]], [0])


def test_a_loss_in_python_is_refused():
    loss = sgtrees.losses.from_derivatives(lambda y, raw: (raw - y, np.ones_like(raw)))
    with pytest.raises(ValueError, match="built-in losses"):
        SGTRegressor(leaf_model="linear", loss=loss).partial_fit([[1.0]], [0.0])


@pytest.mark.parametrize("loss", ["log_loss", "focal"])
def test_losses_whose_hessian_vanishes_need_lambda(loss):
    model = SGTClassifier(leaf_model="linear", reg_lambda=0.0, loss=loss)
    with pytest.raises(ValueError, match="reg_lambda > 0"):
        model.partial_fit([[1.0]], [0])


def test_a_warm_up_of_one_row_is_refused():
    with pytest.raises(ValueError, match="spread"):
        SGTRegressor(leaf_model="linear", warm_up=1).partial_fit([[1.0]], [0.0])


def test_another_name_is_refused():
    with pytest.raises(ValueError, match="'constant' or 'linear'"):
        SGTRegressor(leaf_model="quadratic").partial_fit([[1.0]], [0.0])


def test_a_grace_period_below_two_is_explained():
    with pytest.raises(ValueError, match="spread of a single row"):
        SGTRegressor(grace_period=1).partial_fit([[1.0]], [0.0])


def test_treelite_and_shap_values_refuse_it():
    with pytest.raises(ValueError, match="to_treelite takes models with constant leaves only"):
        to_treelite(fitted())
    with pytest.raises(ValueError, match="shap_values takes models with constant leaves"):
        shap_values(fitted(), [[1.0, 2.0, 3.0]])


def test_merging_is_refused():
    model = fitted()
    with pytest.raises(MergeError, match="linear leaves"):
        model.merge(pickle.loads(pickle.dumps(model)))
