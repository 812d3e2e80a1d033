from dataclasses import replace

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTMultiInstanceClassifier, SGTRegressor
from sgtrees.inspection import (
    gain_importances,
    permutation_importances,
    view_model,
)
from tests.conformance.exports.models import ENSEMBLES, MODELS

QUICK = {"warm_up": 100, "grace_period": 50}


def rows_and_targets(n_rows=4000, seed=0):
    """Two columns that matter, the first more, and one that does not."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    return X, 10.0 * (X[:, 0] > 0.5) + 4.0 * (X[:, 1] > 0.3) + 0.1 * rng.normal(size=n_rows)


def test_gains_tell_which_features_matter_and_add_up_to_one():
    X, y = rows_and_targets()
    importances = gain_importances(SGTRegressor(**QUICK).partial_fit(X, y))
    assert importances.values.sum() == pytest.approx(1.0)
    assert list(importances.as_dict()) == ["x0", "x1", "x2"]
    assert importances.values[0] > 0.6
    assert importances.values[2] < 0.02


def test_a_gain_counts_for_all_rows_that_reach_its_split():
    X, y = rows_and_targets()
    model = SGTRegressor(**QUICK).partial_fit(X, y)
    expected = np.zeros(3)
    for node in view_model(model).trees[0].nodes:
        if node.split is not None:
            expected[node.split.feature.number] += node.split.gain * node.cover
    assert gain_importances(model, normalize=False).values.tolist() == expected.tolist()
    # The first split halves 25 + 4 of variance; nothing can gain more than there is.
    assert 0.5 * 25 * len(X) * 0.8 < expected[0] < 0.5 * 30 * len(X)


def test_a_root_alone_has_no_importances():
    model = SGTRegressor(max_depth=0, **QUICK).partial_fit(*rows_and_targets(300))
    assert gain_importances(model).values.tolist() == [0.0, 0.0, 0.0]


def test_shuffling_an_important_feature_lowers_the_score_most():
    X, y = rows_and_targets()
    model = SGTRegressor(**QUICK).partial_fit(X[:3000], y[:3000])
    importances = permutation_importances(model, X[3000:], y[3000:], random_state=0)
    assert importances.values[0] > importances.values[1] > 10 * abs(importances.values[2])
    assert importances.spread.shape == (3,)
    again = permutation_importances(model, X[3000:], y[3000:], random_state=0)
    assert again.values.tolist() == importances.values.tolist()


def test_permutation_importances_agree_with_scikit_learn():
    inspection = pytest.importorskip("sklearn.inspection")
    X, y = rows_and_targets(2000)
    model = SGTClassifier(**QUICK).partial_fit(X, y > 7)
    for scoring in (None, "neg_log_loss", "roc_auc"):
        ours = permutation_importances(
            model, X, y > 7, scoring=scoring, n_repeats=20, random_state=1
        )
        theirs = inspection.permutation_importance(
            model, X, y > 7, scoring=scoring, n_repeats=20, random_state=2
        )
        np.testing.assert_allclose(ours.values, theirs.importances_mean, rtol=0.1, atol=0.01)


def test_shuffling_works_with_frames_strings_and_missing_values(capsys):
    case = MODELS["four classes"]()
    y = case.model.predict(case.frame)
    importances = permutation_importances(
        case.model, case.frame, y, n_repeats=1, random_state=0, verbose=1
    )
    assert importances.as_dict()["constant"] == 0.0
    assert max(importances.values) > 0.1
    assert "[permutation_importances] 9 of 9, nothing: 0" in capsys.readouterr().out


def test_shuffling_works_with_bags():
    random = np.random.default_rng(0)
    bags = [random.random((random.integers(2, 8), 2)) for _ in range(300)]
    y = ["hot" if bag[:, 0].max() > 0.9 else "cold" for bag in bags]
    model = SGTMultiInstanceClassifier(random_state=0).fit(bags, y)
    importances = permutation_importances(model, bags, y, random_state=0)
    assert importances.values[0] > 0.1
    assert abs(importances.values[1]) < 0.02
    groups = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
    grouped = permutation_importances(
        model, np.concatenate(bags), y, groups=groups, scoring="roc_auc", random_state=0
    )
    assert grouped.values[0] > 0.1


def test_importances_are_sums_over_the_trees():
    view = view_model(ENSEMBLES["forest, numbers"]().model)
    of_trees = [
        gain_importances(replace(view, trees=(tree,)), normalize=False).values
        for tree in view.trees
    ]
    total = gain_importances(view, normalize=False).values
    np.testing.assert_allclose(total, np.sum(of_trees, axis=0))
    assert len(of_trees) == 4
