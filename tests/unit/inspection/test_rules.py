import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.inspection import format_prediction, rules, top_splits, view_trees
from sgtrees.inspection.conditions import rule_text
from tests.unit.inspection.rows import COLOURS, NAMES, QUICK, classified


def test_splits_have_their_branches():
    model, _ = classified()
    (tree,) = view_trees(model, feature_names=NAMES, category_names=COLOURS)
    splits = top_splits(tree)
    assert len(splits) == sum(not node.is_leaf for node in tree.nodes)
    for split in splits:
        assert 0.0 < split.share <= 1.0
        assert all(0.0 <= chance <= 1.0 for _, chance in split.branches)
        answers = [answer for answer, _ in split.branches]
        if split.test == "which colour":
            assert set(answers) <= {"red", "green", "blue", "missing"}
            chances = [chance for _, chance in split.branches]
            assert chances == sorted(chances, reverse=True)
        else:
            assert answers == ["no", "yes"]
            assert split.test.split()[:2] in (["size", ">"], ["age", ">"])
            assert split.test.endswith(("(missing: no)", "(missing: yes)"))


def test_the_most_important_split_comes_first():
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 2))
    y = (X[:, 1] > 0.5) ^ (rng.random(20_000) < 0.05 + 0.1 * (X[:, 0] > 0.5))
    (tree,) = view_trees(SGTClassifier().partial_fit(X, y), feature_names=["weak", "strong"])
    first = top_splits(tree, 1, label=True)[0]
    assert str(first).startswith("strong > 0.")
    assert first.where == "always"
    assert first.share == 1.0
    (_, low), (_, high) = first.branches
    assert low < 0.2
    assert high > 0.8


def test_the_two_labels_chances_add_up_to_one():
    model, _ = classified()
    (tree,) = view_trees(model, feature_names=NAMES, category_names=COLOURS)
    yes, no = (dict(top_splits(tree, 1, label=label)[0].branches) for label in ("yes", "no"))
    assert yes.keys() == no.keys()
    assert all(yes[answer] + no[answer] == pytest.approx(1.0) for answer in yes)


def test_rules_have_one_condition_for_each_feature():
    model, _ = classified()
    (tree,) = view_trees(model, feature_names=NAMES, category_names=COLOURS)
    written = rules(tree)
    assert len(written) == len(tree.leaves) == len({rule.where for rule in written})
    assert [rule.share for rule in written] == sorted((r.share for r in written), reverse=True)
    for rule in written:
        features = [
            next(name for name in NAMES if name in condition.split())
            for condition in rule.where.split(" and ")
        ]
        assert len(features) == len(set(features))


def test_bounds_from_both_sides_are_one_interval():
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
    assert rule_text(tree, tree.root) == "always"
    assert format_prediction(tree, 1234.5) == "1234"
