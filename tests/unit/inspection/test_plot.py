import pytest
from matplotlib.figure import Figure

from sgtrees import SGTRegressor
from sgtrees.inspection import plot_tree
from tests.conformance.exports.models import ENSEMBLES, LINEAR_ENSEMBLES, MODELS


@pytest.fixture(scope="module")
def regressor():
    return MODELS["squared_error"]().model


@pytest.fixture(scope="module")
def committee():
    return MODELS["four classes"]().model


def test_a_plot_has_text_for_each_box_within_its_axes(regressor):
    figure = Figure(figsize=(12, 8))
    texts = plot_tree(regressor, ax=figure.subplots())
    figure.canvas.draw()
    assert texts[0].get_text() == "all rows"
    frame = figure.axes[0].get_window_extent()
    for text in texts:
        extent = text.get_window_extent()
        assert frame.x0 - 1 <= extent.x0
        assert extent.x1 <= frame.x1 + 1


def test_text_is_no_wider_than_its_box(regressor):
    figure = Figure(figsize=(14, 8))
    ax = figure.subplots()
    texts = plot_tree(regressor, ax=ax)
    figure.canvas.draw()
    boxes = [patch.get_window_extent() for patch in ax.patches]
    for text in texts:
        extent = text.get_window_extent()
        middle = (extent.x0 + extent.x1) / 2, (extent.y0 + extent.y1) / 2
        (box,) = [b for b in boxes if b.contains(*middle)]
        assert box.x0 - 0.5 <= extent.x0
        assert extent.x1 <= box.x1 + 0.5


def test_in_small_axes_fewer_boxes_are_drawn(regressor):
    n_boxes = []
    for size in ((4, 3), (24, 12)):
        ax = Figure(figsize=size).subplots()
        plot_tree(regressor, ax=ax)
        n_boxes.append(len(ax.patches))
    assert n_boxes[0] < n_boxes[1]


def test_a_committees_trees_are_drawn_one_at_a_time(committee):
    titles = []
    for number in range(3):
        ax = Figure().subplots()
        plot_tree(committee, tree=number, ax=ax)
        titles.append(ax.get_title(loc="left"))
    assert len(set(titles)) == 3
    with pytest.raises(ValueError, match="tree == 3, but the model has trees 0 to 2"):
        plot_tree(committee, tree=3)


def test_a_plot_without_axes_makes_a_figure_of_the_right_size(regressor):
    plt = pytest.importorskip("matplotlib.pyplot")
    texts = plot_tree(regressor)
    figure = texts[0].get_figure()
    assert texts[0].get_fontsize() == pytest.approx(9.0, rel=0.2)
    plt.close(figure)


def test_a_model_without_a_tree_cannot_be_drawn():
    with pytest.raises(ValueError, match="no tree yet"):
        plot_tree(SGTRegressor().partial_fit([[1.0]], [1.0]))


def test_features_can_be_named(regressor):
    ax = Figure(figsize=(12, 8)).subplots()
    texts = plot_tree(regressor, feature_names=[f"feature {i}" for i in range(9)], ax=ax)
    assert any("feature" in text.get_text() for text in texts)


def test_trees_of_ensembles_are_drawn_by_number():
    model = ENSEMBLES["boosting, three classes"]().model
    for number in (0, 7):
        axes = Figure().subplots()
        assert plot_tree(model, tree=number, ax=axes)
        assert axes.get_title(loc="left").startswith(f"member {number // 2}, ")
    with pytest.raises(ValueError, match="tree == 8, but the model has trees 0 to 7"):
        plot_tree(model, tree=8)


def test_a_tree_in_use_is_drawn_whichever_it_is():
    model = LINEAR_ENSEMBLES["choice, numbers"]().model
    assert plot_tree(model, ax=Figure().subplots())
    with pytest.raises(ValueError, match="tree == 1, but the model has trees 0 to 0"):
        plot_tree(model, tree=1)
