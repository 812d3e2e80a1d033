from xml.etree import ElementTree as ET

import pytest
from matplotlib.figure import Figure

from sgtrees import SGTRegressor
from sgtrees.inspection import plot_tree, to_svg
from tests.conformance.exports.models import MODELS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def regressor():
    return MODELS["squared_error"]().model


@pytest.fixture(scope="module")
def committee():
    return MODELS["four classes"]().model


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
    model = MODELS[name]().model
    root = ET.fromstring(to_svg(model, max_boxes=None, max_branches=None))
    boxes = [rect for rect in root.iter(f"{SVG}rect") if rect.get("rx")]
    assert len(boxes) == model.n_nodes_
    assert len({rect.get("fill") for rect in boxes}) > 3
    ax = Figure().subplots()
    assert plot_tree(model, ax=ax)


def test_of_several_outputs_one_may_be_drawn():
    model = MODELS["vector, five classes"]().model
    assert ">c: " in to_svg(model, label="c")
    assert "predicts" in to_svg(MODELS["several targets"]().model, label="weight")
    assert ">old: " in to_svg(MODELS["several labels"]().model, label="old")


def test_names_in_svg_are_escaped():
    X, y = [["<b>&", 1.0], ["bye", 2.0]] * 200, [1.0, 9.0] * 200
    svg = to_svg(SGTRegressor(warm_up=50, epochs=1).fit(X, y))
    assert "<b>" not in svg
    ET.fromstring(svg)
