import pytest

from sgtrees import SGTRegressor
from sgtrees.inspection import to_dot, view_model
from tests.conformance.exports.models import MODELS


@pytest.fixture(scope="module")
def regressor():
    return MODELS["squared_error"]().model


@pytest.fixture(scope="module")
def committee():
    return MODELS["four classes"]().model


def test_dot_has_a_statement_for_each_node_and_each_edge(committee):
    view = view_model(committee)
    dot = to_dot(committee)
    assert dot.count("fillcolor=") == view.n_nodes
    assert dot.count(" -> ") == view.n_nodes - len(view.trees)
    assert dot.count("{") == dot.count("}")
    assert dot.count("subgraph") == len(view.trees)


def test_names_in_dot_are_escaped():
    X, y = [['say "hi"\\', 1.0], ["bye", 2.0]] * 200, [1.0, 9.0] * 200
    dot = to_dot(SGTRegressor(warm_up=50, epochs=1).fit(X, y))
    assert r"say \"hi\"\\" in dot


def test_dot_can_be_cut_at_a_depth(regressor):
    view = view_model(regressor)
    shown = [node for node in view.trees[0].nodes if node.depth <= 2]
    assert to_dot(regressor, max_depth=2).count("fillcolor=") == len(shown)
