import re
from dataclasses import replace
from itertools import pairwise

import pytest

from sgtrees import SGTRegressor
from sgtrees.inspection import describe, to_dict, to_dot, to_text, view_model
from sgtrees.inspection.conditions import condition
from tests.conformance.exports.models import MODELS


@pytest.fixture(scope="module")
def regressor():
    return MODELS["squared_error"]().model


@pytest.fixture(scope="module")
def committee():
    return MODELS["four classes"]().model


def test_text_has_a_line_for_each_node_but_the_root(regressor):
    view = view_model(regressor)
    lines = to_text(regressor).splitlines()
    assert len(lines) == view.n_nodes - 1
    assert sum("of rows)" in line for line in lines) == view.n_leaves
    depths = [line.index("|---") // 4 + 1 for line in lines]
    assert max(depths) == view.depth
    assert all(after <= before + 1 for before, after in pairwise(depths))


def test_text_can_be_cut_at_a_depth(regressor):
    lines = to_text(regressor, max_depth=2).splitlines()
    assert max(line.count("|   ") for line in lines) == 1
    assert any("leaves, mean" in line for line in lines)
    assert to_text(regressor, max_depth=0).startswith("|--- ")
    assert "of rows" not in to_text(regressor, show_share=False)


def test_a_committees_trees_have_titles(committee):
    text = to_text(committee)
    view = view_model(committee)
    assert [f"log odds of {tree.label} against {tree.reference}:" for tree in view.trees] == [
        line for line in text.splitlines() if line.startswith("log odds")
    ]


def test_a_model_without_trees_is_written_as_such():
    model = SGTRegressor().partial_fit([[1.0]], [1.0])
    assert to_text(model) == "no tree yet"
    assert describe(model).endswith("no tree yet")
    assert describe(model, "rules") == "no tree yet"
    assert "digraph" in to_dot(model)
    assert to_dict(model)["trees"] == []


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("vector, five classes", r": [a-e] \(\d+ %\) \("),
        ("several targets", r": -?[\d.e-]+ / -?[\d.e-]+ / -?[\d.e-]+ \("),
        ("several labels", r": (none; the most probable is )?(hot|old|odd) \(\d+ %\)"),
    ],
)
def test_a_tree_with_vectors_is_written_once(name, written):
    model = MODELS[name]().model
    lines = to_text(model).splitlines()
    assert len(lines) == model.n_nodes_ - 1
    leaves = [line for line in lines if "of rows)" in line]
    assert len(leaves) == model.n_leaves_
    assert all(re.search(written, line) for line in leaves)
    assert re.search(written, describe(model, "tree"))
    assert describe(model).count("Most important splits") == 1
    assert to_dot(model).count("fillcolor=") == model.n_nodes_


def test_trees_that_add_up_are_written_with_what_they_add(regressor):
    view = view_model(regressor)
    (tree,) = view.trees
    text = to_text(view.with_trees([replace(tree, shrinkage=0.5)] * 2))
    assert text.count("contribution to the raw score:") == 2
    leaf = tree.leaves[0]
    assert f"{condition(tree, leaf)}: {leaf.value / 2:+.2f} (" in text


def test_a_very_deep_tree_is_written_in_little_more_than_a_line_for_each_node(very_deep_tree):
    text = to_text(very_deep_tree)
    assert len(text) < 600 * len(very_deep_tree.nodes)
    lines = text.splitlines()
    assert len(lines) == len(very_deep_tree.nodes) - 1
    assert lines[0].startswith("|--- size > 0")
    assert f"({very_deep_tree.depth}) |--- size" in text
