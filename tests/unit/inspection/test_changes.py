"""What has changed between two points of the stream."""

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTBoostingClassifier, SGTClassifier, SGTRegressor
from sgtrees.inspection import ChangeKind, compare, view_model
from tests.conformance.exports.models import NOMINAL, QUICK, mixed_frame


def test_every_leaf_that_changed_has_its_change():
    frame, target = mixed_frame(4000)
    model = SGTRegressor(categorical_features=NOMINAL, **QUICK)
    before = view_model(model.partial_fit(frame[:1500], target[:1500]))
    changes = compare(before, model.partial_fit(frame[1500:], target[1500:]))
    after = view_model(model)
    assert changes.rows == 2500
    assert changes.n_leaves == (before.n_leaves, after.n_leaves)
    old, new = before.trees[0], after.trees[0]
    split = [n.number for n in old.leaves if not new.nodes[n.number].is_leaf]
    moved = [
        n.number
        for n in old.leaves
        if new.nodes[n.number].is_leaf and new.nodes[n.number].values != n.values
    ]
    by_kind = {
        kind: sorted(c.node for c in changes.changes if c.kind is kind) for kind in ChangeKind
    }
    assert by_kind[ChangeKind.SPLIT] == split != []
    assert by_kind[ChangeKind.VALUE] == moved


def test_a_leaf_with_another_prediction_is_a_change():
    model = SGTRegressor(**QUICK).partial_fit([[1.0]] * 200, [5.0] * 200)
    before = view_model(model)
    (change,) = compare(before, model.partial_fit([[1.0]] * 400, [9.0] * 400)).changes
    assert change.kind is ChangeKind.VALUE
    assert change.moved == pytest.approx(4.0, abs=0.5)
    assert change.text == "all rows (5): now 9"


def test_the_largest_change_of_predictions_comes_first():
    frame, target = mixed_frame(4000)
    model = SGTRegressor(categorical_features=NOMINAL, **QUICK)
    before = view_model(model.partial_fit(frame[:1000], target[:1000]))
    old = model.predict(frame)
    changes = compare(before, model.partial_fit(frame[1000:], target[1000:]))
    moved = [change.moved for change in changes.changes]
    assert moved == sorted(moved, reverse=True)
    # By covers, which are about the rows: all changes together move predictions as far as they are.
    assert sum(moved) == pytest.approx(np.abs(model.predict(frame) - old).mean(), rel=0.2)


def test_nothing_has_changed_where_nothing_was_learned():
    frame, target = mixed_frame(1000)
    model = SGTRegressor(categorical_features=NOMINAL, **QUICK).partial_fit(frame, target)
    changes = compare(view_model(model), model)
    assert changes.changes == ()
    assert str(changes).startswith("0 rows later")


def test_a_new_category_gets_a_leaf_of_its_own():
    frame, target = mixed_frame(3000)
    model = SGTRegressor(categorical_features=NOMINAL, **QUICK).partial_fit(frame, target)
    before = view_model(model)
    later = frame[:50].assign(town="Atlantis", colour="ultraviolet")
    changes = compare(before, model.partial_fit(later, target[:50]))
    branches = [c for c in changes.changes if c.kind is ChangeKind.BRANCH]
    assert branches
    assert all("new leaf for" in c.text for c in branches)
    assert any("is ultraviolet" in c.text or "is Atlantis" in c.text for c in branches)


def test_a_new_label_brings_a_tree():
    frame, target = mixed_frame(2000)
    y = np.where(target > 0, "high", "low")
    model = SGTClassifier(categorical_features=NOMINAL, **QUICK).partial_fit(frame, y)
    before = view_model(model)
    changes = compare(before, model.partial_fit(frame[:500], ["odd"] * 500))
    assert changes.new_labels == ("odd",)
    assert [c.kind for c in changes.changes].count(ChangeKind.TREE) == 1
    assert "new labels: odd" in str(changes)


def test_a_new_label_of_a_vector_is_no_change_of_every_leaf():
    frame, target = mixed_frame(3000)
    y = np.where(target > 0, "high", "low")
    # A leaf that follows moves with every row, and labels that are all new replace the tree.
    settings = QUICK | {"following_rates": (), "on_drift": "ignore"}
    model = SGTClassifier(categorical_features=NOMINAL, multiclass="vector", **settings)
    before = view_model(model.partial_fit(frame, y))
    changes = compare(before, model.partial_fit(frame[:1], ["odd"]))
    assert changes.new_labels == ("odd",)
    assert changes.changes == ()
    changes = compare(before, model.partial_fit(frame[:500], ["odd"] * 500))
    assert changes.changes


def test_a_new_feature_is_listed():
    model = SGTRegressor(warm_up=2)
    for size in (1.0, 2.0, 3.0):
        model.learn_one({"size": size}, size)
    before = view_model(model)
    model.learn_one({"size": 2.0, "colour": "red"}, 2.0)
    changes = compare(before, model)
    assert changes.new_features == ("colour",)
    assert "new features: colour" in str(changes)


def test_the_first_tree_counts_as_new():
    frame, target = mixed_frame(1000)
    model = SGTRegressor(categorical_features=NOMINAL, **QUICK)
    before = view_model(model.partial_fit(frame[:50], target[:50]))
    changes = compare(before, model.partial_fit(frame[50:], target[50:]))
    assert [c.kind for c in changes.changes] == [ChangeKind.TREE]


@pytest.mark.parametrize("other", ["earlier", "another", "another kind"])
def test_models_that_did_not_grow_from_each_other_are_refused(other):
    frame, target = mixed_frame(3000)
    model = SGTRegressor(categorical_features=NOMINAL, **QUICK)
    early = view_model(model.partial_fit(frame[:1500], target[:1500]))
    late = view_model(model.partial_fit(frame[1500:], target[1500:]))
    if other == "earlier":
        pair = late, early
    elif other == "another":
        shuffled = frame.sample(frac=1.0, random_state=1).reset_index(drop=True)
        stranger = SGTRegressor(categorical_features=NOMINAL, **QUICK)
        pair = (
            early,
            stranger.partial_fit(shuffled, pd.Series(target).sample(frac=1.0, random_state=2)),
        )
    else:
        pair = (
            early,
            SGTClassifier(categorical_features=NOMINAL, **QUICK).partial_fit(frame, target > 0),
        )
    with pytest.raises(ValueError, match="not a later state of the first"):
        compare(*pair)


def test_a_late_class_is_a_new_tree_of_each_member():
    frame, target = mixed_frame(2000)
    y = np.where(np.arange(2000) < 1000, target > 0, np.digitize(target, [-1.0, 2.0])).astype(int)
    model = SGTBoostingClassifier(
        categorical_features=NOMINAL, n_estimators=5, random_state=0, **QUICK
    ).partial_fit(frame[:1000], y[:1000])
    before = view_model(model)
    changes = compare(before, model.partial_fit(frame[1000:1200], y[1000:1200])).changes
    new = [change for change in changes if change.kind is ChangeKind.TREE]
    assert sorted(change.tree for change in new) == [1, 3, 5, 7, 9]
