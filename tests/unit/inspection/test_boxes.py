import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTRegressor
from sgtrees.inspection import view_model
from sgtrees.inspection.boxes import choose_boxes
from tests.conformance.exports.models import MODELS


@pytest.fixture(scope="module")
def regressor():
    return MODELS["squared_error"]().model


def all_boxes(root):
    return [root, *(box for child in root.children for box in all_boxes(child))]


def test_without_limits_everything_is_drawn(regressor):
    (tree,) = view_model(regressor).trees
    boxes = all_boxes(choose_boxes(tree))
    assert len(boxes) == len(tree.nodes)
    assert sum(box.is_leaf for box in boxes) == len(tree.leaves)


def test_the_most_visited_splits_are_drawn_first(regressor):
    (tree,) = view_model(regressor).trees
    root = choose_boxes(tree, max_boxes=12, max_branches=4)
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
    for box in all_boxes(choose_boxes(tree, max_branches=3)):
        if box.children:
            assert sum(child.share for child in box.children) == pytest.approx(box.share)


def test_small_branches_share_a_box(regressor):
    (tree,) = view_model(regressor).trees
    names = [box.lines[0] for box in all_boxes(choose_boxes(tree, max_branches=3))]
    assert any(name.endswith("others") for name in names)


def test_a_depth_limits_the_picture(regressor):
    (tree,) = view_model(regressor).trees
    root = choose_boxes(tree, max_depth=1)
    assert root.children
    assert not any(child.children for child in root.children)


def test_a_condition_may_begin_as_the_number_of_leaves_does():
    x = np.linspace(0.0, 1.0, 400)[::-1]
    model = SGTRegressor(warm_up=10).partial_fit(pd.DataFrame({"+ x": x}), np.floor(4.0 * x))
    (tree,) = view_model(model).trees
    inner = [box for box in all_boxes(choose_boxes(tree)) if box.children]
    assert len(inner) >= 2
    assert {len(box.lines) for box in inner} == {3}
    assert all(box.lines[0].startswith("+ x") for box in inner[1:])
