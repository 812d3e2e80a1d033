from collections import Counter

import numpy as np
import pytest

from sgtrees.evaluation import CurvePoint, LearningCurve, MajorityClass, window_ends
from sgtrees.evaluation.picture import draw_learning_curve

PNG = b"\x89PNG\r\n\x1a\n"


def majority_one_by_one(y):
    counts, predicted = Counter(), []
    for label in y:
        # Counter.most_common keeps the order of first appearance among equals.
        predicted.append(counts.most_common(1)[0][0] if counts else label)
        counts[label] += 1
    return predicted


def point(rows, window, error=0.2, n_leaves=3):
    return CurvePoint(rows, window, error, 0.4, 0.1, n_leaves, rows / 1000.0)


# ---- the majority class -------------------------------------------------------------------------


@pytest.mark.parametrize("cuts", [[], [1], [17, 18, 60]])
def test_the_majority_class_of_blocks_is_that_of_rows_one_by_one(cuts):
    y = np.random.default_rng(0).choice(["a", "bb", "ccc"], 100)
    baseline = MajorityClass()
    predicted = [baseline.learn_predict(part) for part in np.split(y, cuts)]
    assert np.concatenate(predicted).tolist() == majority_one_by_one(y.tolist())


def test_labels_that_come_late_or_are_long_are_kept_whole():
    baseline = MajorityClass()
    baseline.learn_predict(np.array(["long label"] * 3))
    assert baseline.learn_predict(np.array(["x"])).tolist() == ["long label"]


# ---- windows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [1, 999, 1000, 12_345, 1_000_000, 3_000_001])
def test_windows_cover_all_rows_and_are_bounded(n_rows):
    ends = [0, *window_ends(n_rows)]
    sizes = np.diff(ends)
    assert ends[-1] == n_rows
    assert (sizes > 0).all()
    assert (sizes <= 50_000).all()


def test_windows_end_at_round_numbers():
    ends = set(window_ends(1_000_000))
    assert ends >= {1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000}


def test_a_curve_weighs_its_windows_by_their_rows():
    curve = LearningCurve((point(1000, 1000, 0.5), point(4000, 3000, 0.1)))
    assert curve.error == pytest.approx(0.2)
    assert curve.majority_error == pytest.approx(0.4)
    assert curve.best_error == pytest.approx(0.1)
    assert curve.rows_per_second == pytest.approx(1000.0)


def test_an_empty_curve_is_all_zeros():
    curve = LearningCurve()
    assert (curve.rows, curve.seconds, curve.rows_per_second, curve.error) == (0, 0.0, 0.0, 0.0)
    assert curve.milestones() == ()


# ---- the picture --------------------------------------------------------------------------------


@pytest.mark.parametrize("n_points", [1, 40])
def test_the_picture_is_a_png_of_legible_size(tmp_path, n_points):
    path = tmp_path / "curve"
    points = [point(1000 * (n + 1), 1000, 0.3 / (n + 1), n) for n in range(n_points)]
    draw_learning_curve(LearningCurve(tuple(points)), path, title="A curve")
    written = path.read_bytes()
    assert written.startswith(PNG)
    width, height = int.from_bytes(written[16:20]), int.from_bytes(written[20:24])
    assert width >= 1000
    assert height >= 600


def test_errors_of_zero_can_be_drawn(tmp_path):
    curve = LearningCurve((CurvePoint(1000, 1000, 0.0, 0.0, 0.0, 0, 0.1),))
    draw_learning_curve(curve, tmp_path / "curve.png", title="Nothing")
    assert (tmp_path / "curve.png").exists()


def test_an_empty_curve_cannot_be_drawn(tmp_path):
    with pytest.raises(ValueError, match="nothing to draw"):
        draw_learning_curve(LearningCurve(), tmp_path / "curve.png", title="Nothing")
