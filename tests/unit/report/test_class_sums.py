import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score

from sgtrees.evaluation.predictions import PredictedRows
from sgtrees.report.class_sums import ClassSums


def predictions(n_rows, n_classes, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, n_classes, n_rows)
    raw = random.random((n_rows, n_classes)) + 0.5 * np.eye(n_classes)[y]
    p = raw / raw.sum(axis=1, keepdims=True)
    return y, p


@pytest.mark.parametrize("n_classes", [2, 4])
def test_metrics_are_those_of_scikit_learn_whatever_the_blocks(n_classes):
    y, p = predictions(5000, n_classes)
    predicted = p.argmax(axis=1)
    sums = ClassSums()
    for rows in np.array_split(np.arange(5000), 7):
        sums.add(PredictedRows(y[rows], predicted[rows], np.ones(len(rows)), None, p[rows]))
    precision, recall, f1, support = precision_recall_fscore_support(y, predicted)
    found = sums.as_dict()
    np.testing.assert_allclose(found["precision"], precision)
    np.testing.assert_allclose(found["recall"], recall)
    np.testing.assert_allclose(found["f1"], f1)
    assert found["rows"] == support.tolist()
    assert found["mean_f1"] == pytest.approx(f1.mean())
    scores = p[:, 1] if n_classes == 2 else p
    expected = roc_auc_score(y, scores, multi_class="ovr")
    # Probabilities in the same thousandth count as equal.
    assert found["area"] == pytest.approx(expected, abs=1e-3)


def test_a_class_that_comes_later_had_the_probability_0_before():
    y, p = predictions(2000, 3)
    first, second = y < 2, y == 2
    p[first, 2] = 0.0
    p /= p.sum(axis=1, keepdims=True)
    sums = ClassSums()
    for rows, n in ((first, 2), (second, 3)):
        predicted = p[rows, :n].argmax(axis=1)
        sums.add(PredictedRows(y[rows], predicted, np.ones(rows.sum()), None, p[rows, :n]))
    assert sums.area() == pytest.approx(roc_auc_score(y, p, multi_class="ovr"), abs=2e-3)


def test_a_class_that_is_never_predicted_has_no_precision():
    sums = ClassSums()
    sums.add(PredictedRows(np.array([0, 0, 1]), np.array([0, 0, 0]), np.ones(3)))
    assert sums.precision()[0] == pytest.approx(2 / 3)
    assert np.isnan(sums.precision()[1])
    assert sums.recall().tolist() == [1.0, 0.0]
    assert np.isnan(sums.area())
    assert sums.as_dict()["mean_precision"] == pytest.approx(1 / 3)
