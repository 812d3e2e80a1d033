import dataclasses
import math

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.inspection import ValueKind, view_model, view_trees
from sgtrees.inspection.predictions import prediction, tree_title
from tests.conformance.exports.models import ENSEMBLES
from tests.unit.inspection.rows import COLOURS, NAMES, QUICK, classified, mixed_rows


def route(tree, row):
    """Walk a row down a view; None where a category is new to a split."""
    node = tree.root
    while node.split is not None:
        split, value = node.split, row[node.split.feature.number]
        children = [tree.nodes[child] for child in node.children]
        if math.isnan(value):
            node = tree.nodes[split.default_child]
        elif split.threshold is not None:
            node = children[0] if value <= split.threshold else children[1]
        else:
            category = COLOURS["colour"][int(value)]
            known = [child for child in children if child.branch.category == category]
            if not known:
                return None
            node = known[0]
    return node


def test_a_view_predicts_what_the_classifier_predicts():
    model, X = classified()
    (tree,) = view_trees(model, feature_names=NAMES, category_names=COLOURS)
    probabilities = model.predict_proba(X[:500])[:, list(model.classes_).index("yes")]
    leaves = [route(tree, row) for row in X[:500]]
    assert None not in leaves
    assert len({leaf.number for leaf in leaves}) > 5
    predicted = [prediction(tree, leaf, "yes") for leaf in leaves]
    np.testing.assert_allclose(predicted, probabilities, rtol=1e-12)
    others = [prediction(tree, leaf, "no") for leaf in leaves]
    np.testing.assert_allclose(others, 1.0 - probabilities, rtol=1e-9)


def test_a_view_predicts_what_the_regressor_predicts():
    X, score = mixed_rows()
    model = SGTRegressor(categorical_features=[0], **QUICK).partial_fit(X, 100.0 * score)
    (tree,) = view_trees(model, feature_names=NAMES, category_names=COLOURS)
    assert tree.value_kind is ValueKind.NUMBER
    predicted = [route(tree, row).value for row in X[:500]]
    np.testing.assert_array_equal(predicted, model.predict(X[:500]))


def test_a_committee_has_a_view_for_each_class_but_the_first():
    model, _ = classified(n_classes=3)
    trees = view_trees(model)
    assert len(trees) == 2
    assert {tree.value_kind for tree in trees} == {ValueKind.SCORE}
    assert trees[0].reference == trees[1].reference
    assert {trees[0].reference, *(tree.label for tree in trees)} == {"no", "yes", "perhaps"}
    assert sum(len(tree.leaves) for tree in trees) == model.n_leaves_


def test_a_view_agrees_with_the_models_size_and_with_itself():
    model, _ = classified()
    (tree,) = view_trees(model)
    assert len(tree.nodes) == model.n_nodes_
    assert len(tree.leaves) == model.n_leaves_
    assert tree.depth == model.depth_
    for node in tree.nodes:
        assert tree.nodes[node.number] is node
        assert all(tree.nodes[child].parent == node.number for child in node.children)
        assert all(tree.nodes[child].depth == node.depth + 1 for child in node.children)
        assert (node.parent is None) == (node.branch is None) == (node.number == 0)
        if node.split is not None:
            takers = [c for c in node.children if tree.nodes[c].branch.takes_missing]
            assert takers == [node.split.default_child]
    assert sum(tree.share(leaf) for leaf in tree.leaves) == pytest.approx(1.0)


def test_a_view_stays_as_it_is_while_the_model_learns_on():
    X, score = mixed_rows()
    y = score > 0
    model = SGTClassifier(categorical_features=[0], **QUICK).partial_fit(X[:2000], y[:2000])
    before = view_trees(model)
    kept = repr(before)
    model.partial_fit(X[2000:], y[2000:])
    assert repr(before) == kept
    assert len(view_trees(model)[0].nodes) > len(before[0].nodes)
    with pytest.raises(dataclasses.FrozenInstanceError):
        before[0].root.values = (1.0,)


def test_names_are_those_of_the_data_if_it_has_names():
    model = SGTClassifier(warm_up=2)
    for size in (1.0, 2.0):
        model.learn_one({"size": size, "colour": "red"}, size > 1.5)
    (tree,) = view_trees(model)
    assert [feature.name for feature in tree.features] == ["size", "colour"]
    assert [feature.categories for feature in tree.features] == [None, ("red",)]


def test_columns_without_names_are_numbered():
    model, _ = classified()
    assert [feature.name for feature in view_trees(model)[0].features] == ["x0", "x1", "x2"]


def test_there_is_no_tree_before_the_warm_up_ends_or_with_one_class():
    assert view_trees(SGTClassifier().partial_fit([[1.0], [2.0]], ["a", "b"])) == ()
    assert view_trees(SGTClassifier().fit([[1.0], [2.0]], ["a", "a"])) == ()


def test_a_model_that_has_learned_nothing_has_no_view():
    with pytest.raises(AttributeError, match="before it has learned a row"):
        view_trees(SGTClassifier())


def test_a_wrong_number_of_names_is_refused():
    model, _ = classified()
    with pytest.raises(ValueError, match="3 features, but 2 names"):
        view_trees(model, feature_names=["a", "b"])


def test_a_view_has_the_trees_of_all_members_in_order():
    model = ENSEMBLES["boosting, three classes"]().model
    view = view_model(model)
    assert [(tree.number, tree.member) for tree in view.trees] == [(i, i // 2) for i in range(8)]
    assert [tree.label for tree in view.trees] == [*view.labels[1:]] * 4
    assert view.is_ensemble
    assert view.n_unused == 0
    assert tree_title(view.trees[3]).startswith("member 1, contribution to the raw score of ")
    assert len(view_trees(model)) == 8
