from collections import Counter

import numpy as np
import pytest

from sgtrees.evaluation import LastLabel, MajorityClass, MeanSoFar


def majority_one_by_one(y):
    counts, predicted = Counter(), [min(y)]
    for label in y:
        counts[label] += 1
        # The most frequent, and among equals the first in alphabetical order.
        predicted.append(min(counts, key=lambda known: (-counts[known], known)))
    return predicted[:-1]


@pytest.mark.parametrize("cuts", [[], [1], [17, 18, 60]])
def test_the_majority_class_of_blocks_is_that_of_rows_one_by_one(cuts):
    y = np.random.default_rng(0).choice(["a", "bb", "ccc"], 100)
    baseline = MajorityClass()
    predicted = [baseline.learn_predict(None, part) for part in np.split(y, cuts)]
    # The first row has nothing to go by.
    assert np.concatenate(predicted).tolist()[1:] == majority_one_by_one(y.tolist())[1:]


def test_probabilities_are_how_frequent_labels_have_been():
    baseline = MajorityClass()
    found = baseline.learn_predict(None, np.array([7, 5, 7]), method="predict_proba")
    assert found.tolist() == [[0.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    np.testing.assert_allclose(baseline.predict_proba([[0], [0]]), [[1 / 3, 2 / 3]] * 2)
    assert baseline.predict([[0]]).tolist() == [7]


def test_weights_count():
    baseline = MajorityClass()
    baseline.partial_fit(None, np.array(["a", "b"]), sample_weight=[1.0, 3.0])
    assert baseline.predict([[0]]).tolist() == ["b"]


def test_labels_that_come_late_or_are_long_are_kept_whole():
    baseline = MajorityClass()
    baseline.learn_predict(None, np.array(["long label"] * 3))
    assert baseline.learn_predict(None, np.array(["x"])).tolist() == ["long label"]


@pytest.mark.parametrize("cuts", [[], [1], [3, 4]])
def test_the_last_label_goes_on_from_block_to_block(cuts):
    y = np.array(["a", "b", "b", "c", "a"])
    baseline = LastLabel()
    predicted = [baseline.learn_predict(None, part) for part in np.split(y, cuts)]
    assert np.concatenate(predicted).tolist() == ["a", "a", "b", "b", "c"]
    assert baseline.predict([[0]]).tolist() == ["a"]


@pytest.mark.parametrize("cuts", [[], [1], [300, 700]])
def test_the_mean_so_far_is_exact_far_from_zero_too(cuts):
    y = 1e9 + np.random.default_rng(0).normal(size=1000)
    weights = np.random.default_rng(1).random(1000)
    baseline = MeanSoFar()
    parts = zip(np.split(y, cuts), np.split(weights, cuts), strict=True)
    predicted = np.concatenate([baseline.learn_predict(None, a, w) for a, w in parts])
    expected = [0.0, *(np.average(y[:n], weights=weights[:n]) for n in range(1, 1000))]
    np.testing.assert_allclose(predicted[1:] - 1e9, np.array(expected)[1:] - 1e9, atol=1e-6)
    assert predicted[0] == 0.0
    assert baseline.predict([[0]])[0] - 1e9 == pytest.approx(
        np.average(y - 1e9, weights=weights), abs=1e-6
    )
