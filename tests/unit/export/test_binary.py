import numpy as np
import pytest

from sgtrees import SGTRegressor
from sgtrees.export.binary import Test, binary_tree
from sgtrees.inspection import view_model
from tests.conformance.exports.models import MODELS


def test_covers_of_a_binary_tree_add_up():
    for name in ("squared_error", "late categories", "four classes"):
        for tree in view_model(MODELS[name]().model).trees:
            nodes = binary_tree(tree)
            assert nodes[0].cover == pytest.approx(tree.root.cover)
            for place, node in enumerate(nodes):
                if node.test is not None:
                    assert place < node.yes != node.no > place
                    below = nodes[node.yes].cover + nodes[node.no].cover
                    assert below == pytest.approx(node.cover)
            assert sum(node.gain for node in nodes) == pytest.approx(
                sum(node.split.gain for node in tree.nodes if node.split is not None)
            )


def test_many_categories_are_searched_by_halves():
    n = 200
    rng = np.random.default_rng(0)
    X = rng.integers(0, n, (20_000, 1)).astype(float)
    model = SGTRegressor(
        categorical_features=[0], warm_up=100, grace_period=10_000, gamma=0.0, delta=0.5
    ).partial_fit(X, np.sin(X[:, 0]) * 100.0)
    (tree,) = view_model(model).trees
    assert len(tree.root.children) == n
    nodes = binary_tree(tree)
    depths = [0] * len(nodes)
    for place, node in enumerate(nodes):
        if node.test is not None:
            depths[node.yes] = depths[node.no] = depths[place] + 1
    assert max(depths) <= 2 + np.ceil(np.log2(n))
    assert sum(node.test is Test.EQUALS for node in nodes) == n
