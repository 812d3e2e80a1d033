import sys

import pytest

from sgtrees import SGTClassifier
from sgtrees.evaluation import Evaluation, MajorityClass, Task, holdout, prequential
from sgtrees.evaluation.plots import plot_learning_curve
from sgtrees.streams import Sea


@pytest.fixture(scope="module")
def result():
    models = {"tree": SGTClassifier(), "majority class": MajorityClass()}
    return prequential(Sea().head(6_000), models, metrics=["error"])


def dashed(figure):
    # That of the best possible error has two ends only.
    lines = [line for line in figure.axes[0].lines if len(line.get_xdata()) > 2]
    return [line for line in lines if line.get_linestyle() == "--"]


def test_the_dashed_line_ends_at_the_total_and_the_caption_says_so(result, tmp_path):
    figure = plot_learning_curve(result, path=tmp_path / "curve.png")
    (line,) = dashed(figure)
    assert line.get_ydata()[-1] == pytest.approx(100.0 * result.total("error", "tree"))
    caption = figure.texts[-1].get_text()
    assert "over the rows since the point before" in caption
    assert "cumulative, over all rows so far" in caption
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_without_cumulative_lines_the_caption_names_windows_only(result):
    figure = plot_learning_curve(result, cumulative=False)
    assert dashed(figure) == []
    assert "umulative" not in figure.texts[-1].get_text()


def test_a_holdout_has_test_rows_and_no_cumulative_line():
    found = holdout(Sea().head(3_000), SGTClassifier(), test=Sea(seed=1).head(500))
    figure = plot_learning_curve(found)
    assert dashed(figure) == []
    assert "the same 500 test rows" in figure.texts[-1].get_text()


def test_nothing_measured_is_refused():
    with pytest.raises(ValueError, match="nothing has been measured yet"):
        plot_learning_curve(Evaluation("prequential", Task.REGRESSION, ("mae",)))


def test_absent_matplotlib_is_named_with_the_command_that_installs_it(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install '.*(matplotlib|plot)"):
        plot_learning_curve(result)
