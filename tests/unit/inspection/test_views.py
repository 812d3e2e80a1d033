import dataclasses
import math

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.inspection import Output, rules, top_splits, value_in_words, view_trees
from sgtrees.inspection.words import prediction, rule_in_words

QUICK = {"warm_up": 100, "grace_period": 50}
NAMES = ["colour", "size", "age"]
COLOURS = {"colour": ["red", "green", "blue"]}


def mixed_rows(n_rows=6000, seed=0):
    """Return rows with a nominal column (of numbers), missing values, and something to learn."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, n_rows), rng.normal(size=(n_rows, 2))])
    score = np.where(X[:, 0] == 1, X[:, 1], X[:, 2]) + 0.5 * (X[:, 0] == 2)
    X[rng.random(n_rows) < 0.1, 0] = np.nan
    X[rng.random(n_rows) < 0.1, 1] = np.nan
    return X, score


def classified(n_classes=2):
    X, score = mixed_rows()
    y = np.array(["no", "yes", "perhaps"])[np.digitize(score, [0.0, 1.0][: n_classes - 1])]
    return SGTClassifier(categorical_features=[0], **QUICK).partial_fit(X, y), X


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


# ---- the view -----------------------------------------------------------------------------------


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
    assert tree.output is Output.NUMBER
    predicted = [route(tree, row).value for row in X[:500]]
    np.testing.assert_array_equal(predicted, model.predict(X[:500]))


def test_a_committee_has_a_view_for_each_class_but_the_first():
    model, _ = classified(n_classes=3)
    trees = view_trees(model)
    assert len(trees) == 2
    assert {tree.output for tree in trees} == {Output.SCORE}
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


def test_names_come_from_the_data_where_it_has_them():
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


# ---- words --------------------------------------------------------------------------------------


def test_splits_are_told_with_their_answers():
    model, _ = classified()
    (tree,) = view_trees(model, feature_names=NAMES, category_names=COLOURS)
    splits = top_splits(tree)
    assert len(splits) == sum(not node.is_leaf for node in tree.nodes)
    for split in splits:
        assert 0.0 < split.share <= 1.0
        assert all(0.0 <= chance <= 1.0 for _, chance in split.answers)
        answers = [answer for answer, _ in split.answers]
        if split.question == "which colour":
            assert set(answers) <= {"red", "green", "blue", "missing"}
            chances = [chance for _, chance in split.answers]
            assert chances == sorted(chances, reverse=True)
        else:
            assert answers == ["no", "yes"]
            assert split.question.split()[:2] in (["size", ">"], ["age", ">"])
            assert split.question.endswith(("(missing: no)", "(missing: yes)"))


def test_the_most_telling_split_comes_first():
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 2))
    y = (X[:, 1] > 0.5) ^ (rng.random(20_000) < 0.05 + 0.1 * (X[:, 0] > 0.5))
    (tree,) = view_trees(SGTClassifier().partial_fit(X, y), feature_names=["weak", "strong"])
    first = top_splits(tree, 1, label=True)[0]
    assert str(first).startswith("strong > 0.")
    assert first.where == "always"
    assert first.share == 1.0
    (_, low), (_, high) = first.answers
    assert low < 0.2
    assert high > 0.8


def test_the_two_labels_chances_add_up_to_one():
    model, _ = classified()
    (tree,) = view_trees(model, feature_names=NAMES, category_names=COLOURS)
    yes, no = (dict(top_splits(tree, 1, label=label)[0].answers) for label in ("yes", "no"))
    assert yes.keys() == no.keys()
    assert all(yes[answer] + no[answer] == pytest.approx(1.0) for answer in yes)


def test_rules_have_one_condition_for_each_feature():
    model, _ = classified()
    (tree,) = view_trees(model, feature_names=NAMES, category_names=COLOURS)
    told = rules(tree)
    assert len(told) == len(tree.leaves) == len({rule.where for rule in told})
    assert [rule.share for rule in told] == sorted((r.share for r in told), reverse=True)
    for rule in told:
        features = [
            next(name for name in NAMES if name in condition.split())
            for condition in rule.where.split(" and ")
        ]
        assert len(features) == len(set(features))


def test_bounds_from_both_sides_are_told_as_one_interval():
    X = np.tile(np.arange(8.0), 500)[:, None]
    y = np.isin(X[:, 0], [3.0, 4.0]) * 10.0
    (tree,) = view_trees(SGTRegressor(**QUICK).partial_fit(X, y), feature_names=["size"])
    highest = max(rules(tree), key=lambda rule: rule.prediction)
    low, _, name, _, high = highest.where.removesuffix(" (or missing)").split()
    assert (name, 2.0 <= float(low) < 3.0, 4.0 <= float(high) < 5.0) == ("size", True, True)


def test_a_root_alone_has_no_splits_and_one_rule():
    model = SGTRegressor(grace_period=1000).fit([[1.0]] * 10, [5.0] * 10)
    (tree,) = view_trees(model)
    assert top_splits(tree) == ()
    assert [(rule.where, rule.share, rule.prediction) for rule in rules(tree)] == [
        ("always", 1.0, 5.0)
    ]
    assert rule_in_words(tree, tree.root) == "always"
    assert value_in_words(tree, 1234.5) == "1234"


def test_scores_are_told_with_their_sign():
    model, _ = classified(n_classes=3)
    assert value_in_words(view_trees(model)[0], 0.5) == "+0.50"
