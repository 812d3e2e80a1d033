import json

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.inspection import view_model, view_trees
from sgtrees.report.tree_document import tree_document
from sgtrees.streams import FlightDelays


@pytest.fixture(scope="module")
def tree():
    stream = FlightDelays()
    model = SGTClassifier(categorical_features=stream.nominal)
    for block in stream.head(60_000):
        model.partial_fit(block.X, block.y)
    columns = stream.columns
    (tree,) = view_trees(
        model,
        feature_names=[column.name for column in columns],
        category_names={c.name: c.categories for c in columns if c.categories},
    )
    return tree


def test_a_tree_has_all_its_nodes(tree):
    document = tree_document(tree, "arrival")
    json.dumps(document)
    nodes = document["nodes"]
    assert len(nodes) == len(tree.nodes) == document["n_nodes"]
    assert nodes[0]["condition"] == "all rows"
    assert nodes[0]["share"] == 1.0
    assert sum(node["feature"] is None for node in nodes) == len(tree.leaves)
    assert all(node["more"] == 0 for node in nodes)
    seen = {0}
    for place, node in enumerate(nodes):
        assert all(child > place for child in node["children"])
        seen.update(node["children"])
        if node["children"]:
            assert sum(nodes[child]["share"] for child in node["children"]) == pytest.approx(
                node["share"]
            )
    assert seen == set(range(len(nodes)))
    conditions = [node["condition"] for node in nodes]
    assert any(
        " <= " in condition and condition.endswith("(or missing)") for condition in conditions
    )
    assert any(condition.startswith("carrier is ") for condition in conditions)
    assert document["title"] in (
        "mean probability of arrival = late",
        "mean probability of arrival = on time",
    )


def test_a_large_tree_keeps_the_nodes_of_most_rows_and_counts_the_others(tree):
    document = tree_document(tree, "arrival", most=20)
    nodes = document["nodes"]
    assert len(nodes) == 20
    left_out = sum(node["more"] for node in nodes)
    kept = sorted((node["share"] for node in nodes), reverse=True)
    every = sorted((tree.share(node) for node in tree.nodes), reverse=True)
    assert kept == pytest.approx(every[:20])
    assert left_out > 0


def test_the_value_of_a_split_is_the_mean_of_the_rows_that_reach_it():
    X = np.repeat([[0.0], [1.0]], 2000, axis=0)
    y = np.repeat([10.0, 30.0], 2000)
    order = np.random.default_rng(0).permutation(4000)
    model = SGTRegressor(warm_up=100).partial_fit(X[order], y[order])
    nodes = tree_document(view_trees(model)[0], "price")["nodes"]
    assert float(nodes[0]["value"]) == pytest.approx(20.0, abs=1.0)
    assert [nodes[child]["tone"] for child in nodes[0]["children"]] == [0.0, 1.0]


def test_vectors_in_leaves_are_shown_by_their_most_probable_label():
    X = np.repeat([[0.0], [1.0], [2.0]], 1000, axis=0)
    y = np.repeat(["elm", "oak", "fir"], 1000)
    order = np.random.default_rng(0).permutation(3000)
    model = SGTClassifier(multiclass="vector", warm_up=100).partial_fit(X[order], y[order])
    document = tree_document(view_model(model).trees[0], "tree")
    json.dumps(document)
    assert document["title"].startswith("most probable tree")
    assert {node["value"].split()[0] for node in document["nodes"]} == {"elm", "oak", "fir"}
