"""Trees as pictures: what is drawn, where it goes, and that nothing overlaps."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

from sgtrees import SGTRegressor
from sgtrees.inspection import plot_tree, to_svg, view_model
from sgtrees.inspection.colours import Palette
from sgtrees.inspection.layout import arrange
from sgtrees.inspection.sketch import Box, sketch
from tests.conformance.exports.zoo import ZOO

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def regressor():
    return ZOO["squared_error"]().model


@pytest.fixture(scope="module")
def committee():
    return ZOO["four classes"]().model


def all_boxes(root):
    return [root, *(box for child in root.children for box in all_boxes(child))]


# ---- what is drawn ------------------------------------------------------------------------------


def test_without_limits_everything_is_drawn(regressor):
    (tree,) = view_model(regressor).trees
    boxes = all_boxes(sketch(tree))
    assert len(boxes) == len(tree.nodes)
    assert sum(box.is_leaf for box in boxes) == len(tree.leaves)


def test_the_most_visited_splits_are_drawn_first(regressor):
    (tree,) = view_model(regressor).trees
    root = sketch(tree, max_boxes=12, max_branches=4)
    boxes = all_boxes(root)
    assert 3 <= len(boxes) <= 12
    assert all(len(box.children) <= 4 for box in boxes)
    assert max(map(len, (box.children for box in boxes))) >= 2
    drawn = [box.share for box in boxes if box.children]
    cut = [box.share for box in boxes if not box.children and not box.is_leaf]
    assert min(drawn) > 0.0
    assert cut, "something must have been left out of so small a picture"


def test_boxes_below_a_box_share_its_rows(regressor):
    (tree,) = view_model(regressor).trees
    for box in all_boxes(sketch(tree, max_branches=3)):
        if box.children:
            assert sum(child.share for child in box.children) == pytest.approx(box.share)


def test_small_branches_share_a_box(regressor):
    (tree,) = view_model(regressor).trees
    names = [box.lines[0] for box in all_boxes(sketch(tree, max_branches=3))]
    assert any(name.endswith("others") for name in names)


def test_a_depth_limits_the_picture(regressor):
    (tree,) = view_model(regressor).trees
    root = sketch(tree, max_depth=1)
    assert root.children
    assert not any(child.children for child in root.children)


# ---- where it goes ------------------------------------------------------------------------------


def random_boxes(rng, depth=0):
    box = Box(["x" * rng.integers(1, 30)], "", "", "", "", 1.0, False)
    if depth < 6:
        box.children = [random_boxes(rng, depth + 1) for _ in range(rng.integers(0, 4))]
    return box


@pytest.mark.parametrize("seed", range(20))
def test_no_boxes_overlap_and_parents_stand_over_their_children(seed):
    rng = np.random.default_rng(seed)
    root = random_boxes(rng)
    layout = arrange(root, lambda box: (len(box.lines[0]), 3.0), gap=1.0, level_gap=2.0)
    places = layout.places
    assert len(places) == len(all_boxes(root))
    for one in places:
        assert one.along - one.length / 2 + 1e-9 >= 0.0
        assert one.along + one.length / 2 <= layout.length + 1e-9
        below = [place for place in places if place.parent is one]
        if below:
            middle = (below[0].along + below[-1].along) / 2
            assert one.along == pytest.approx(middle)
            assert all(place.down == one.down + 5.0 for place in below)
        for other in places:
            if other is not one and other.down == one.down:
                apart = abs(other.along - one.along) - (one.length + other.length) / 2
                assert apart >= 1.0 - 1e-9


# ---- colours ------------------------------------------------------------------------------------


def test_colours_go_from_one_end_to_the_other_through_a_neutral_middle():
    palette = Palette(-2.0, 0.0, 1.0)
    low, middle, high = (palette.colours(np.array([x]))[0] for x in (-2.0, 0.0, 1.0))
    assert len({low, middle, high}) == 3
    assert palette.colours(np.array([-1.0]))[0] not in (low, middle)
    assert Palette(3.0, 3.0, 3.0).colours(np.array([3.0]))[0] == middle


def test_labels_have_colours_of_their_own():
    palette = Palette(0.0, 0.5, 1.0, by_label=True)
    fills = [palette.colours(np.eye(9)[k])[0] for k in range(9)]
    assert len(set(fills)) == 8  # grey for all beyond the seventh
    assert palette.colours(np.array([0.6, 0.4]))[0] != fills[0]


# ---- SVG ----------------------------------------------------------------------------------------


def test_svg_is_self_contained_and_well_formed(committee):
    svg = to_svg(committee)
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert "http" not in svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert sum(text.startswith("log odds of") for text in texts) == 3
    assert texts.count("all rows") == 3


def test_everything_in_an_svg_lies_within_its_frame(regressor):
    root = ET.fromstring(to_svg(regressor, max_boxes=None, max_branches=None))
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [rect for rect in root.iter(f"{SVG}rect") if rect.get("rx")]
    assert len(boxes) == regressor.n_nodes_
    assert max(float(r.get("x")) + float(r.get("width")) for r in boxes) <= width
    assert max(float(r.get("y")) + float(r.get("height")) for r in boxes) <= height
    assert len(list(root.iter(f"{SVG}title"))) == len(boxes)


@pytest.mark.parametrize(
    "name", ["vector, five classes", "vector, two classes", "several targets", "several labels"]
)
def test_a_tree_with_vectors_is_drawn_once(name):
    model = ZOO[name]().model
    root = ET.fromstring(to_svg(model, max_boxes=None, max_branches=None))
    boxes = [rect for rect in root.iter(f"{SVG}rect") if rect.get("rx")]
    assert len(boxes) == model.n_nodes_
    assert len({rect.get("fill") for rect in boxes}) > 3
    ax = Figure().subplots()
    assert plot_tree(model, ax=ax)


def test_of_several_outputs_one_may_be_drawn():
    model = ZOO["vector, five classes"]().model
    assert ">c: " in to_svg(model, label="c")
    assert "predicts" in to_svg(ZOO["several targets"]().model, label="weight")
    assert ">old: " in to_svg(ZOO["several labels"]().model, label="old")


def test_names_in_svg_are_escaped():
    X, y = [["<b>&", 1.0], ["bye", 2.0]] * 200, [1.0, 9.0] * 200
    svg = to_svg(SGTRegressor(warm_up=50, epochs=1).fit(X, y))
    assert "<b>" not in svg
    ET.fromstring(svg)


# ---- matplotlib ---------------------------------------------------------------------------------


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
