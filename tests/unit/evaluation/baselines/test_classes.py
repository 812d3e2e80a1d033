from collections import Counter

import numpy as np
import pytest

from sgtrees.evaluation import LastLabel, MajorityClass


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


def test_rows_of_weight_0_are_not_the_last_label():
    baseline = LastLabel()
    y, weights = np.array(["a", "b", "c", "a"]), [1.0, 0.0, 2.0, 0.0]
    assert baseline.learn_predict(None, y, weights).tolist() == ["a", "a", "a", "c"]
    assert baseline.learn_predict(None, y[:1], [0.0]).tolist() == ["c"]
    assert baseline.predict([[0]]).tolist() == ["c"]


@pytest.mark.parametrize("baseline", [MajorityClass(), LastLabel()])
def test_several_labels_for_a_row_are_refused(baseline):
    with pytest.raises(ValueError, match="several labels for each row"):
        baseline.learn_predict(None, np.array([[0, 1], [1, 1]]))
