"""Regression of several targets at once."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score

from sgtrees import SGTRegressor, losses
from sgtrees.inspection import rules, top_splits, view_trees
from tests.fingerprint import fingerprint

QUICK = {"warm_up": 50, "grace_period": 20, "delta": 0.01, "gamma": 0.01}


def steps(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.random(n_rows), "b": rng.choice(["u", "v", "w"], n_rows)})
    X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    noise = rng.normal(scale=0.1, size=(2, n_rows))
    y = pd.DataFrame(
        {
            "price": 5.0 * (X["a"] > 0.5) + 2.0 * (X["b"] == "u") + noise[0],
            "days": 3.0 * (X["b"] == "v") - 1.0 * (X["a"] > 0.2) + noise[1],
        }
    )
    return X, y


def test_a_block_its_halves_and_its_events_give_the_same_model():
    X, y = steps(700)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(y))
    whole = SGTRegressor(**QUICK).partial_fit(X, y, sample_weight=weights)
    halves = SGTRegressor(**QUICK)
    for rows in (slice(0, 301), slice(301, None)):
        halves.partial_fit(X[rows], y[rows], sample_weight=weights[rows])
    events = SGTRegressor(**QUICK)
    for x, targets, w in zip(X.to_dict("records"), y.to_dict("records"), weights, strict=True):
        events.learn_one(x, targets, float(w))
    assert whole.n_splits_ > 0
    assert fingerprint(whole) == fingerprint(halves) == fingerprint(events)
    assert whole.predict(X).tolist() == [
        [*events.predict_one(x).values()] for x in X.to_dict("records")
    ]


def test_learn_predict_returns_what_was_predicted_before_each_row():
    X, y = steps(300)
    model, step = SGTRegressor(**QUICK), SGTRegressor(**QUICK)
    predicted = model.learn_predict(X, y)
    assert predicted.shape == (300, 2)
    assert predicted[0].tolist() == [0.0, 0.0]
    for i, (x, targets) in enumerate(zip(X.to_dict("records"), y.to_dict("records"), strict=True)):
        if i > 0:
            assert step.predict_one(x) == dict(zip(y.columns, predicted[i], strict=True))
        step.learn_one(x, targets)
    assert fingerprint(model) == fingerprint(step)


def test_scores_are_those_of_scikit_learn():
    X, y = steps(600)
    model = SGTRegressor(random_state=0).fit(X, y)
    assert model.score(X, y) == pytest.approx(r2_score(y, model.predict(X)))
    assert model.score(X, y) > 0.9
    assert cross_val_score(SGTRegressor(random_state=0), X, y, cv=3).min() > 0.7


@pytest.mark.parametrize("kind", ["array", "list", "pandas", "polars"])
def test_all_forms_of_y_give_the_same_model(kind):
    X, y = steps(400)
    forms = {
        "array": y.to_numpy(),
        "list": y.to_numpy().tolist(),
        "pandas": y,
        "polars": pl.from_pandas(y),
    }
    model = SGTRegressor(**QUICK).partial_fit(X, forms[kind])
    assert model.n_outputs_ == 2
    expected = SGTRegressor(**QUICK).partial_fit(X, y).predict(X)
    assert model.predict(X).tolist() == expected.tolist()
    if kind in ("pandas", "polars"):
        assert model.target_names_.tolist() == ["price", "days"]
        assert list(model.predict_one({"a": 0.5})) == ["price", "days"]
    else:
        assert not hasattr(model, "target_names_")
        assert isinstance(model.predict_one({"a": 0.5}), list)


def test_targets_with_names_may_come_in_any_order():
    X, y = steps(400)
    model = SGTRegressor(**QUICK).partial_fit(X[:200], y[:200])
    turned = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[200:], y[200:])
    turned.partial_fit(X[200:], y[200:][["days", "price"]])
    assert fingerprint(model) == fingerprint(turned)
    x = {"a": 0.1, "b": "u"}
    model.learn_one(x, {"price": 1.0, "days": 2.0})
    turned.learn_one(x, {"days": 2.0, "price": 1.0})
    assert fingerprint(model) == fingerprint(turned)
    model.learn_one(x, [3.0, 4.0])
    turned.learn_one(x, np.array([3.0, 4.0]))
    assert fingerprint(model) == fingerprint(turned)


def test_a_copy_learns_on_as_the_original_does():
    X, y = steps(600)
    model = SGTRegressor(**QUICK, loss="absolute_error").partial_fit(X[:300], y[:300])
    twin = pickle.loads(pickle.dumps(model))
    assert fingerprint(twin) == fingerprint(model)
    assert twin.loss_scale_.tolist() == model.loss_scale_.tolist()
    assert fingerprint(twin.partial_fit(X[300:], y[300:])) == fingerprint(
        model.partial_fit(X[300:], y[300:])
    )


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "poisson"])
def test_starts_and_scales_are_those_of_each_target_alone(loss):
    X, y = steps(200)
    y = (y - y.min() + 1.0) * [1.0, 50.0]
    both = SGTRegressor(loss=loss, warm_up=100, grace_period=10_000).partial_fit(X, y)
    alone = [
        SGTRegressor(loss=loss, warm_up=100, grace_period=10_000).partial_fit(X, y[name])
        for name in y.columns
    ]
    assert both.loss_scale_.tolist() == [model.loss_scale_ for model in alone]
    assert both.predict(X[:1])[0].tolist() == [model.predict(X[:1])[0] for model in alone]


def test_a_column_is_one_target_and_a_dictionary_of_one_is_a_dictionary():
    with pytest.warns(UserWarning, match="column-vector y"):
        model = SGTRegressor().partial_fit([[1.0], [2.0]], [[3.0], [5.0]])
    assert model.predict([[1.0]]).tolist() == [4.0]
    assert model.n_outputs_ == 1
    model = SGTRegressor().learn_one({"a": 1.0}, {"price": 3.0}).learn_one({"a": 1.0}, [5.0])
    assert model.predict_one({"a": 1.0}) == {"price": 4.0}
    assert model.predict(pd.DataFrame({"a": [1.0]})).tolist() == [[4.0]]
    assert model.n_outputs_ == 1
    assert pickle.loads(pickle.dumps(model)).predict_one({"a": 1.0}) == {"price": 4.0}


WRONG_BLOCKS = {
    "more": (np.ones((2, 3)), "y has 3 columns, but .* y of 2 columns: 'price', 'days'"),
    "one": (np.ones(2), r"one value for each row, but .* 2 columns.*\(n_rows, 2\)"),
    "other names": (
        pd.DataFrame({"price": [1.0, 2.0], "cost": [1.0, 2.0]}),
        "missing: 'days'; unknown: 'cost'",
    ),
    "NaN": (np.array([[0.0, 1.0], [np.nan, 1.0]]), "NaN in row 1, column 0"),
    "NaN in a frame": (
        pd.DataFrame({"price": [1.0, 2.0], "days": [1.0, np.nan]}),
        "NaN in row 1, column 'days'",
    ),
}


@pytest.mark.parametrize("method", ["partial_fit", "learn_predict"])
@pytest.mark.parametrize("case", WRONG_BLOCKS)
def test_wrong_targets_are_refused_and_change_nothing(method, case):
    X, y = steps(100)
    model = SGTRegressor(**QUICK).partial_fit(X, y)
    before = fingerprint(model)
    targets, message = WRONG_BLOCKS[case]
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(X[:2], targets)
    assert fingerprint(model) == before


WRONG_EVENTS = {
    "a number": (1.0, TypeError, "y must be 2 numbers, by name or in order"),
    "too many": ([1.0, 2.0, 3.0], ValueError, "y has 3 values, .* 2 columns"),
    "a name too few": ({"price": 1.0}, ValueError, "missing: 'days'"),
    "another name": (
        {"price": 1.0, "cost": 2.0},
        ValueError,
        "missing: 'days'; unknown: 'cost'",
    ),
    "NaN": ({"price": 1.0, "days": np.nan}, ValueError, r"y\['days'\] is nan"),
    "a string": ({"price": 1.0, "days": "2"}, TypeError, r"y\['days'\] must be a number"),
    "a set": ({1.0, 2.0}, TypeError, "y is a set, which has no order"),
}


@pytest.mark.parametrize("case", WRONG_EVENTS)
def test_wrong_targets_of_an_event_are_refused_and_change_nothing(case):
    X, y = steps(100)
    model = SGTRegressor(**QUICK).partial_fit(X, y)
    before = fingerprint(model)
    targets, error, message = WRONG_EVENTS[case]
    with pytest.raises(error, match=message):
        model.learn_one({"a": 1.0, "new": 2.0}, targets)
    assert fingerprint(model) == before


def test_one_target_stays_one():
    model = SGTRegressor().partial_fit([[1.0], [2.0]], [1.0, 2.0])
    before = fingerprint(model)
    with pytest.raises(ValueError, match="y has 2 columns, but the model has learned one-dim"):
        model.partial_fit([[1.0]], [[1.0, 2.0]])
    with pytest.raises(TypeError, match="y must be a number, as in the rows so far"):
        model.learn_one({0: 1.0}, [1.0, 2.0])
    assert fingerprint(model) == before


def test_a_target_outside_the_domain_is_named_by_row_and_column():
    model = SGTRegressor(loss="poisson")
    with pytest.raises(ValueError, match=r"column 1 of y: y is -1.0 in row 1; targets of"):
        model.partial_fit([[1.0], [2.0]], [[1.0, 2.0], [3.0, -1.0]])
    assert fingerprint(model) is None


def test_each_target_gets_a_view_of_the_tree():
    X, y = steps(700)
    model = SGTRegressor(**QUICK).partial_fit(X, y)
    views = view_trees(model)
    assert [view.label for view in views] == ["price", "days"]
    for column, view in enumerate(views):
        assert top_splits(view)
        predictions = {rule.prediction for rule in rules(view)}
        assert predictions >= set(model.predict(X)[:, column].tolist())


def test_fit_does_not_mention_columns():
    X, y = steps(100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SGTRegressor(random_state=0).fit(X, y)


def test_a_quantile_for_each_target():
    rng = np.random.default_rng(0)
    y = rng.normal(size=(4000, 2)) * [1.0, 100.0]
    model = SGTRegressor(loss=losses.Quantile(alpha=0.9)).partial_fit(rng.random((4000, 1)), y)
    share = (y < model.predict(rng.random((4000, 1)))).mean(axis=0)
    assert share == pytest.approx([0.9, 0.9], abs=0.03)
