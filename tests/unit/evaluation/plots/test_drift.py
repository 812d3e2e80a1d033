import pytest

from sgtrees import SGTClassifier
from sgtrees.evaluation import prequential
from sgtrees.evaluation.plots import plot_drift
from sgtrees.streams import Agrawal, Drift


@pytest.fixture(scope="module")
def result():
    stream = Drift(Agrawal(1), Agrawal(5, seed=1), at=10_000).head(16_000)
    return prequential(stream, {"tree": SGTClassifier()}, every=1_000)


def test_each_moment_is_drawn_in_the_lane_of_its_kind(result):
    below = plot_drift(result).axes[1]
    rows = {
        kind: [event.row for event in result.drifts["tree"] if event.kind == kind]
        for kind in ("alarm", "replaced", "given up")
    }
    assert rows["alarm"]
    drawn = [list(line.get_xdata()) for line in below.lines]
    assert drawn == [*rows.values(), []]
    words = [text.get_text() for text in below.texts]
    assert words[0] == f"{len(rows['alarm'])}  errors rose"


def test_the_caption_says_that_values_are_windowed(result):
    assert (
        plot_drift(result).texts[-1].get_text().startswith("Windowed: each point is over the rows")
    )


def test_an_unknown_model_is_refused(result):
    with pytest.raises(ValueError, match="there is no model 'oak'; there are tree"):
        plot_drift(result, model="oak")


def test_the_metric_is_drawn_as_a_curve_in_per_cent(result):
    above = plot_drift(result).axes[0]
    curve = above.lines[0]
    assert list(curve.get_xdata()) == [point.rows for point in result.points]
    assert list(curve.get_ydata()) == [100.0 * value for value in result.curve("error", "tree")]
    assert above.get_ylim()[0] == 0.0
