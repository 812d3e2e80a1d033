import numpy as np
import pytest

from sgtrees.evaluation.plots import plot_calibration


def curve(figure):
    return figure.axes[0].lines[1].get_xydata()


def test_the_share_of_the_second_label_is_drawn_over_its_probability():
    random = np.random.default_rng(0)
    p = random.random(40_000)
    y = np.where(random.random(40_000) < p**2, "yes", "no")
    figure = plot_calibration(y, np.column_stack([1.0 - p, p]), classes=["no", "yes"])
    x, share = curve(figure).T / 100.0
    assert len(x) == 10
    np.testing.assert_allclose(share, x**2, atol=0.03)
    assert "Over all 40,000 rows that were given" in figure.texts[-1].get_text()
    np.testing.assert_array_equal(curve(plot_calibration(y, p)), curve(figure))


def test_of_several_labels_the_most_probable_one_counts():
    y = np.array(["a", "b", "c", "a"])
    p = np.array([[0.8, 0.1, 0.1], [0.85, 0.1, 0.05], [0.1, 0.1, 0.8], [0.2, 0.2, 0.6]])
    points = curve(plot_calibration(y, p))
    np.testing.assert_allclose(points, [[60.0, 0.0], [81.66667, 66.66667]], rtol=1e-5)


@pytest.mark.parametrize(
    ("y", "p", "message"),
    [
        (["a", "b"], [0.5], "there are 2 labels, but 1 probabilities"),
        (["a", "b"], [[0.5, 0.3, 0.2]] * 2, "have 3 columns, but there are 2 classes"),
        (["a", "b", "c"], [0.5] * 3, "needs two classes, not 3"),
        (["a", "b"], [np.nan, np.nan], "there are no probabilities to draw"),
    ],
)
def test_what_does_not_fit_is_refused(y, p, message):
    with pytest.raises(ValueError, match=message):
        plot_calibration(y, p)
