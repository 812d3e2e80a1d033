import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from sgtrees.streams import Drift, RandomTree


def errors_of_a_learner(stream):
    """How often a grown tree errs on fresh rows."""
    first, second = stream.take(40_000), stream.take(5_000)
    learned = DecisionTreeClassifier(random_state=0).fit(first.X, first.y)
    return np.mean(learned.predict(second.X) != second.y)


@pytest.mark.parametrize(("n_numeric", "n_nominal"), [(5, 5), (3, 0), (0, 4)])
def test_rows_are_labelled_by_a_tree(n_numeric, n_nominal):
    stream = RandomTree(n_numeric=n_numeric, n_nominal=n_nominal, n_classes=3, seed=3)
    assert errors_of_a_learner(stream) < 0.05


def test_labels_depend_on_the_features_alone_but_for_noise():
    make = {"n_numeric": 0, "n_nominal": 3, "n_categories": 3, "n_classes": 4, "seed": 5}
    for noise in (0.0, 0.2):
        block = RandomTree(noise=noise, **make).take(20_000)
        cell = (block.X @ [1, 3, 9]).astype(int)
        labels = np.unique(block.y, return_inverse=True)[1]
        table = np.zeros((27, 4))
        np.add.at(table, (cell, labels), 1.0)
        wrong = 1.0 - table.max(axis=1).sum() / 20_000
        assert wrong == pytest.approx(noise, abs=0.01)
        assert block.best_error == pytest.approx(noise)


def test_more_noise_than_labels_leaves_is_the_other_way_round():
    assert RandomTree(noise=1.0).take(1).best_error == pytest.approx(0.0)


def test_a_nominal_column_splits_once_on_a_path():
    # After one split at the only column there is nothing left: five leaves, in five categories.
    block = RandomTree(n_numeric=0, n_nominal=1, max_depth=5, n_classes=5, seed=1).take(2_000)
    labels = [set(block.y[block.X[:, 0] == category].tolist()) for category in range(5)]
    assert all(len(found) == 1 for found in labels)


def test_another_seed_has_another_tree():
    one, other = (RandomTree(n_nominal=0, seed=seed) for seed in (0, 1))
    drifting = Drift(one, other, at=5_000)
    before, after = drifting.take(5_000), drifting.take(5_000)
    learned = DecisionTreeClassifier(random_state=0).fit(before.X, before.y)
    assert np.mean(learned.predict(after.X) != after.y) > 0.2
