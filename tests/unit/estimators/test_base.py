"""Wrong input is refused in words that help, and leaves the model as it was; fitted attributes."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel

from sgtrees import (
    SGTBoostingClassifier,
    SGTClassifier,
    SGTForestClassifier,
    SGTMultiInstanceClassifier,
    SGTRegressor,
)
from sgtrees.inspection import gain_importances, view_model
from tests.fingerprint import fingerprint

N = 60


@pytest.fixture(params=[SGTClassifier, SGTRegressor])
def model(request):
    """Return a model that has learned a frame of a numeric and a nominal column."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=N), "b": rng.choice(["u", "v"], N)})
    return request.param(warm_up=30, grace_period=10).partial_fit(X, rng.integers(0, 2, N))


def good(**columns):
    return pd.DataFrame({"a": [1.0, 2.0], "b": ["new", "u"]} | columns)


BLOCKS = {
    "fewer columns": (good()[["a"]], ValueError, "now missing:\n- b"),
    "more columns": (good(c=[1, 2]), ValueError, "unseen at fit time:\n- c"),
    "unknown names": (good().rename(columns={"a": "z"}), ValueError, "unseen at fit time:\n- z"),
    "reordered names": (good()[["b", "a"]], ValueError, "same order as they were in fit"),
    "infinity": (good(a=[1.0, np.inf]), ValueError, "infinity in row 1, column 'a'"),
    "strings in a numeric column": (
        good(a=["x", "y"]),
        TypeError,
        "column 'a' is numeric but holds",
    ),
    "numbers in a nominal column": (
        good(b=[1.0, 2.0]),
        TypeError,
        "column 'b' held strings so far",
    ),
    "dates": (
        good(a=[dt.datetime(2020, 1, 1)] * 2),
        TypeError,
        "column 'a' holds dates or times, and was numeric",
    ),
    "other objects": (good(b=["x", {}]), TypeError, "column 'b', row 1: argument must be a string"),
    "mixed objects": (good(b=["x", 1]), TypeError, "column 'b' mixes numbers and strings"),
    "no rows": (good()[:0], ValueError, "0 sample"),
    "one dimension": (
        good()["a"],
        ValueError,
        "Expected a 2-dimensional container|Expected 2D array",
    ),
    "sparse": (sparse.csr_array(np.eye(2)), TypeError, "X is sparse, and column 'b' is nominal"),
    "complex": (np.ones((2, 2)) * 1j, ValueError, "Complex data not supported"),
}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("case", BLOCKS)
@pytest.mark.parametrize("method", ["partial_fit", "learn_predict", "predict"])
def test_a_wrong_block_is_refused(model, method, case):
    X, error, message = BLOCKS[case]
    before = fingerprint(model)
    arguments = [X] if method == "predict" else [X, [0, 1][: X.shape[0]]]
    with pytest.raises(error, match=message):
        getattr(model, method)(*arguments)
    assert fingerprint(model) == before


WEIGHTS = {
    "negative": ([1, -1], r"sample_weight\[1\] is -1.0"),
    "NaN": ([np.nan, 1], r"sample_weight\[0\] is nan"),
    "infinite": ([np.inf, 1], r"sample_weight\[0\] is inf"),
    "too few": ([1], "sample_weight has 1 values for 2 rows"),
}


@pytest.mark.parametrize("case", WEIGHTS)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "learn_predict"])
def test_wrong_weights_are_refused(model, method, case):
    weights, message = WEIGHTS[case]
    before = fingerprint(model)
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(good(), [0, 1], sample_weight=weights)
    assert fingerprint(model) == before


LABELS = {
    "another type": (["x", "y"], TypeError, "y holds strings, but the class labels so far are"),
    "booleans": ([True, False], TypeError, "y holds booleans, but the class labels so far are"),
    "continuous": ([0.5, 1.0], ValueError, "Unknown label type: continuous"),
    "NaN": ([1.0, np.nan], ValueError, "Input y contains NaN in row 1"),
    "too many": ([0, 1, 0], ValueError, "inconsistent numbers of samples"),
    "none": (None, ValueError, "requires y to be passed"),
    "two columns": ([[0, 1], [1, 0]], ValueError, "y has 2 columns.*one value for each row"),
}


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.parametrize("method", ["partial_fit", "learn_predict"])
@pytest.mark.parametrize("model", [SGTClassifier], indirect=True)
def test_wrong_labels_are_refused(model, method, case):
    y, error, message = LABELS[case]
    before = fingerprint(model)
    with pytest.raises(error, match=message):
        getattr(model, method)(good(), y)
    assert fingerprint(model) == before


@pytest.mark.parametrize("model", [SGTClassifier], indirect=True)
def test_declared_classes_of_another_type_are_refused(model):
    before = fingerprint(model)
    with pytest.raises(TypeError, match="the class labels so far are numbers"):
        model.partial_fit(good(), [0, 1], classes=["a", "b"])
    assert fingerprint(model) == before


TARGETS = {
    "NaN": ([1.0, np.nan], ValueError, "Input y contains NaN in row 1"),
    "infinity": ([np.inf, 1.0], ValueError, "Input y contains infinity in row 0"),
    "strings": (["x", "y"], ValueError, "targets are numbers"),
    "too few": ([0.0], ValueError, "inconsistent numbers of samples"),
    "none": (None, ValueError, "requires y to be passed"),
}


@pytest.mark.parametrize("case", TARGETS)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "learn_predict"])
@pytest.mark.parametrize("model", [SGTRegressor], indirect=True)
def test_wrong_targets_are_refused(model, method, case):
    y, error, message = TARGETS[case]
    before = fingerprint(model)
    with pytest.raises(error, match=message):
        getattr(model, method)(good(), y)
    assert fingerprint(model) == before


EVENTS = {
    "no mapping": ([1.0], 1, 1.0, TypeError, "x must be a dictionary"),
    "a string for a number": ({"a": "x", "c": 1}, 1, 1.0, TypeError, r"x\['a'\] is numeric"),
    "a number for a string": ({"b": 7, "c": 1}, 1, 1.0, TypeError, "column 'b' held strings"),
    "an infinity": ({"b": "new", "a": np.inf}, 1, 1.0, ValueError, r"x\['a'\] is infinite"),
    "another object": ({"b": "new", "c": []}, 1, 1.0, TypeError, r"x\['c'\]: argument must be"),
    "a missing target": ({"b": "new", "c": 1}, None, 1.0, (TypeError, ValueError), "^y "),
    "a negative weight": ({"b": "new", "c": 1}, 1, -1.0, ValueError, "w is -1.0"),
    "a weight that is NaN": ({"b": "new"}, 1, np.nan, ValueError, "w is nan"),
    "a weight that is no number": ({"b": "new"}, 1, "1", TypeError, "w must be a number"),
}


@pytest.mark.parametrize("case", EVENTS)
def test_a_wrong_event_is_refused(model, case):
    x, y, w, error, message = EVENTS[case]
    before = fingerprint(model)
    with pytest.raises(error, match=message):
        model.learn_one(x, y, w)
    assert fingerprint(model) == before


@pytest.mark.parametrize("model", [SGTClassifier], indirect=True)
@pytest.mark.parametrize("y", ["x", True, 0.5, [1]])
def test_an_event_with_a_label_of_another_type_is_refused(model, y):
    before = fingerprint(model)
    with pytest.raises((TypeError, ValueError), match=r"class label|Unknown label type"):
        model.learn_one({"a": 1.0, "b": "new", "c": 1}, y)
    assert fingerprint(model) == before


@pytest.mark.parametrize("estimator", [SGTClassifier, SGTRegressor])
@pytest.mark.parametrize(
    "wrong",
    [
        {"n_bins": 1},
        {"delta": 2.0},
        {"categorical_features": ["z"]},
        {"feature_ranges": {"z": (0, 1)}},
    ],
)
def test_wrong_parameters_are_refused_at_the_first_row(estimator, wrong):
    model = estimator(**wrong)
    name = next(iter(wrong))
    for call in (model.fit, model.partial_fit, model.learn_predict):
        with pytest.raises(ValueError, match=name):
            call(good(), [0, 1])
    assert model._model is None


@pytest.mark.parametrize("estimator", [SGTClassifier, SGTRegressor])
def test_a_refused_first_block_leaves_the_estimator_unfitted(estimator):
    model = estimator()
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit([[np.inf]], [1])
    with pytest.raises(ValueError, match="is infinite"):
        model.learn_one({"a": np.inf}, 1)
    assert not hasattr(model, "n_features_in_")
    model.partial_fit([["x", "y"]], [1])
    assert model.n_features_in_ == 2


ESTIMATORS = [
    SGTClassifier(),
    SGTClassifier(multiclass="vector"),
    SGTClassifier(leaf_model="auto"),
    SGTBoostingClassifier(n_estimators=3, random_state=0),
    # (A member with nothing but noise must not split on it here.)
    SGTForestClassifier(n_estimators=3, random_state=0, max_features=0.5, delta=0.05),
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_importances_and_leaves_are_those_of_the_inspected_trees(estimator):
    random = np.random.default_rng(0)
    X = random.random((4000, 4))
    y = (2 * X[:, 0]).astype(int) + (X[:, 2] > 0.7)
    model = clone(estimator).partial_fit(X, y)
    view = view_model(model)
    importances = model.feature_importances_
    np.testing.assert_allclose(importances, gain_importances(view).values)
    assert importances.sum() == pytest.approx(1.0)
    assert importances[[0, 2]].min() > importances[[1, 3]].max()
    leaves = model.apply(X[:50])
    assert leaves.shape == (50, model.n_trees_)
    if model.n_trees_ == len(view.trees):
        for tree, ends in zip(view.trees, leaves.T, strict=True):
            assert all(tree.nodes[leaf].split is None for leaf in ends)
            assert len(set(ends.tolist())) > 1


def test_importances_before_the_first_split_are_0():
    model = SGTRegressor().partial_fit([[1.0, 2.0]], [3.0])
    assert model.feature_importances_.tolist() == [0.0, 0.0]
    assert not hasattr(SGTRegressor(), "feature_importances_")
    assert SGTClassifier().partial_fit([[1.0]], ["a"]).apply([[1.0]]).shape == (1, 0)


def test_bags_have_importances_too():
    bags = [[[0.0, 1.0], [float(label), 1.0]] for label in (0, 1)] * 400
    model = SGTMultiInstanceClassifier(random_state=0).fit(bags, [0, 1] * 400)
    np.testing.assert_array_equal(model.feature_importances_, [1.0, 0.0])


def test_features_are_selected_by_importance():
    random = np.random.default_rng(0)
    X = random.random((3000, 5))
    selection = SelectFromModel(SGTRegressor(random_state=0), max_features=1, threshold=-np.inf)
    assert selection.fit(X, 10.0 * (X[:, 3] > 0.5)).get_support(indices=True).tolist() == [3]
