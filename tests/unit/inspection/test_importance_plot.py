import numpy as np
import pytest

from sgtrees.inspection import Importances, plot_importances


def test_the_greatest_come_first_and_the_caption_counts_the_others():
    found = Importances(("a", "b", "c"), np.array([0.2, 0.5, 0.3]))
    figure = plot_importances(found, top=2)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["b", "c"]
    assert [bar.get_width() for bar in axes.patches] == [50.0, 30.0]
    caption = figure.texts[-1].get_text()
    assert caption.startswith("Cumulative: share of the decrease of the loss")
    assert "1 features of less importance" in caption


def test_those_by_permutation_have_their_spread_and_their_unit():
    found = Importances(("a", "b"), np.array([0.2, 0.5]), np.array([0.01, 0.02]))
    figure = plot_importances(found)
    assert figure.axes[0].get_xlabel() == "decrease of the score"
    assert "permuted, on the rows given" in figure.texts[-1].get_text()


def test_no_features_are_refused():
    with pytest.raises(ValueError, match="no features to draw"):
        plot_importances(Importances((), np.empty(0)))
