from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTRegressor
from sgtrees.inspection import (
    view_model,
    why,
)
from sgtrees.inspection.decision_path import explain_row
from sgtrees.inspection.rows import encoded_rows, explainer_of
from tests.conformance.exports.models import MODELS

QUICK = {"warm_up": 100, "grace_period": 50}


def rows_and_targets(n_rows=4000, seed=0):
    """Two columns that matter, the first more, and one that does not."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    return X, 10.0 * (X[:, 0] > 0.5) + 4.0 * (X[:, 1] > 0.3) + 0.1 * rng.normal(size=n_rows)


def test_a_number_is_explained_by_the_rows_path():
    X, y = rows_and_targets()
    model = SGTRegressor(**QUICK).partial_fit(X, y)
    reasons = why(model, [0.9, 0.1, 0.5])
    assert reasons.prediction == model.predict([[0.9, 0.1, 0.5]])[0]
    number, _, conditions = str(reasons).partition(" because ")
    assert float(number) == pytest.approx(reasons.prediction, rel=1e-3)
    assert "x0 > 0.5" in conditions or "< x0" in conditions
    (way,) = reasons.paths
    assert way.end.is_leaf
    assert len(way.nodes) == way.end.depth + 1


def test_missing_values_and_unknown_categories_are_named():
    case = MODELS["squared_error"]()
    (tree,) = view_model(case.model).trees
    root = tree.root.split.feature.name
    assert f"{root} is missing" in str(why(case.model, {}))
    nominal = [
        node.split.feature.name
        for node in tree.nodes
        if node.split is not None and node.split.threshold is None
    ]
    assert "town" in nominal
    written = {
        str(why(case.model, {**row, "town": "Atlantis"}))
        for row in case.frame[:300].to_dict("records")
    }
    assert any("town is unknown" in words for words in written)
    assert not any("town is town" in words for words in written)


@pytest.mark.parametrize(
    "name",
    [
        "two classes",
        "two classes, the greater first",
        "four classes",
        "focal",
        "exponential",
        "vector, five classes",
        "vector, two classes",
    ],
)
def test_the_predicted_label_is_explained(name):
    case = MODELS[name]()
    probabilities = case.model.predict_proba(case.frame[:200]).max(axis=1)
    labels = case.model.predict(case.frame[:200]).tolist()
    rows = case.frame[:200].to_dict("records")
    for row, label, probability in zip(rows, labels, probabilities, strict=True):
        reasons = why(case.model, row)
        assert reasons.prediction == label
        assert str(reasons).startswith(f"{label} ({100 * probability:.0f} %)")
        assert len(reasons.paths) == len(view_model(case.model).trees)


def test_in_a_committee_the_first_label_is_explained_by_the_score_of_the_next_best():
    case = MODELS["four classes"]()
    first = view_model(case.model).labels[0]
    written = [str(why(case.model, row)) for row in case.frame[:300].to_dict("records")]
    of_first = [words for words in written if words.startswith(f"{first} ")]
    assert of_first
    assert all(" rather than " in words for words in of_first)
    assert not any(" rather than " in words for words in written if words not in of_first)


def test_all_targets_and_all_labels_are_in_the_explanation():
    case = MODELS["several targets"]()
    reasons = why(case.model, case.frame.iloc[0].to_dict())
    assert reasons.prediction == tuple(case.model.predict(case.frame[:1])[0].tolist())
    assert str(reasons).count(" / ") == 2
    case = MODELS["several labels"]()
    reasons = why(case.model, case.frame.iloc[0].to_dict())
    np.testing.assert_allclose(reasons.prediction, case.model.predict_proba(case.frame[:1])[0])


def test_an_instance_of_a_bag_is_explained_by_its_score():
    case = MODELS["bags"]()
    assert str(why(case.model, case.frame.iloc[0].to_dict())).startswith("score ")


def test_conditions_hold_for_the_row():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.random(3000), "b": rng.random(3000)})
    model = SGTRegressor(**QUICK).partial_fit(frame, frame["a"] * frame["b"] * 10)
    for row in frame[:100].to_dict("records"):
        for condition in why(model, row).paths[0].conditions:
            # Thresholds are written with four digits: what lies within their rounding is left out.
            assert eval(condition, {}, dict(row)) or any(
                abs(row[name] - float(word)) < 1e-3
                for name in row
                for word in condition.split()
                if word.replace(".", "").isdigit()
            )


def test_there_is_no_explanation_without_a_tree():
    with pytest.raises(ValueError, match="no tree yet"):
        why(SGTRegressor().partial_fit([[1.0]], [1.0]), [1.0])


@pytest.mark.parametrize(
    "name",
    [
        "two classes, the greater first",
        "four classes",
        "focal",
        "vector, five classes",
        "several targets",
        "several labels",
        "poisson",
        "bags",
    ],
)
def test_halves_of_trees_explain_what_the_trees_explain(name):
    case = MODELS[name]()
    view = view_model(case.model)
    halves = view.with_trees(replace(tree, shrinkage=0.5) for tree in view.trees for _ in "ab")
    rows = encoded_rows(case.model, case.frame[:20])
    for row, ends in zip(rows, explainer_of(case.model).route(rows).tolist(), strict=True):
        whole = explain_row(view, ends, row)
        of_halves = explain_row(halves, [end for end in ends for _ in "ab"], row)
        assert of_halves.prediction == whole.prediction
        assert of_halves.text == f"{whole.text} (the largest contribution of 2 trees)"
        assert len(of_halves.paths) == 2 * len(whole.paths)


def test_of_several_trees_the_one_that_adds_most_is_written():
    X, y = rows_and_targets()
    model = SGTRegressor(**QUICK).partial_fit(X, y)
    view = view_model(model)
    (tree,) = view.trees
    stump = replace(tree, nodes=(replace(tree.root, children=(), split=None),), shrinkage=1e-3)
    row = np.array([0.9, 0.1, 0.5])
    (end,) = explainer_of(model).route(row[None])[0]
    reasons = explain_row(view.with_trees([stump, tree]), [0, end], row)
    assert reasons.prediction == pytest.approx(
        tree.nodes[end].value + 1e-3 * tree.root.value, rel=1e-12
    )
    assert str(reasons.paths[0]) == "always"
    assert f"because {reasons.paths[1]} (the largest" in reasons.text


def test_the_path_of_a_very_deep_tree_is_one_condition(very_deep_tree):
    tree = very_deep_tree
    view = replace(
        view_model(SGTRegressor(warm_up=2).fit([[1.0], [2.0]] * 5, [1.0, 2.0] * 5)),
        features=tree.features,
        start=(0.0,),
    ).with_trees([tree])
    explained = explain_row(view, [tree.nodes[-1].number], np.array([1e9]))
    assert str(explained) == "2 because size > 99999"
