"""What the page is made of."""

import json

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.evaluation import Evaluation, Measured, Point, Task
from sgtrees.evaluation.outcomes import Outcome
from sgtrees.inspection import view_model, view_trees
from sgtrees.report.observations import Observations
from sgtrees.report.segments import segments_of
from sgtrees.report.tree_document import tree_document
from sgtrees.streams import FlightDelays

# ---- observations -------------------------------------------------------------------------------


def test_calibration_counts_how_often_each_confidence_was_right():
    random = np.random.default_rng(0)
    sure = random.uniform(0.5, 1.0, 40_000)
    right = random.random(40_000) < sure**2
    y = np.where(right, 1, 0)
    seen = Observations(Task.CLASSIFICATION, "tree")
    for rows in np.array_split(np.arange(40_000), 7):
        p = np.column_stack([1.0 - sure[rows], sure[rows]])
        seen("tree", Outcome(y[rows], np.ones(len(rows), int), np.ones(len(rows)), None, p))
        seen("another", Outcome(y[rows], y[rows], np.ones(len(rows)), None, p))
    found = seen.as_dict()
    assert sum(part["share"] for part in found["reliability"]) == pytest.approx(1.0)
    assert len(found["reliability"]) == 5
    for part in found["reliability"]:
        assert part["right"] == pytest.approx(part["sure"] ** 2, abs=0.03)
    assert found["confusion"] == [[0.0, float((y == 0).sum())], [0.0, float((y == 1).sum())]]


def test_the_sample_of_predictions_is_uniform_and_bounded():
    seen = Observations(Task.REGRESSION, "tree")
    y = np.arange(100_000.0)
    for part in np.array_split(y, 33):
        seen("tree", Outcome(part, part + 1.0, np.ones(len(part))))
    pairs = np.array(seen.as_dict()["residuals"])
    assert len(pairs) == 1500
    np.testing.assert_array_equal(pairs[:, 0], pairs[:, 1] + 1.0)
    assert len(np.unique(pairs[:, 1])) == 1500
    counts = np.bincount((pairs[:, 1] // 10_000).astype(int), minlength=10)
    # Expected 150 each; six standard deviations are 70.
    assert counts.min() > 80
    assert counts.max() < 220


# ---- segments -----------------------------------------------------------------------------------


def evaluation(rows, windows, errors):
    points = tuple(
        Point(n, w, {"tree": Measured({"error": e}, {"error": e}, None, 1.0)})
        for n, w, e in zip(rows, windows, errors, strict=True)
    )
    return Evaluation("prequential", Task.CLASSIFICATION, ("error",), points=points)


def test_segments_cover_the_stream_and_weigh_windows_by_their_rows():
    found = evaluation([10, 40, 100], [10, 30, 60], [0.5, 0.1, 0.2])
    assert [(s["first"], s["last"]) for s in segments_of(found)] == [(1, 10), (11, 40), (41, 100)]
    many = evaluation(range(10, 1010, 10), [10] * 100, np.linspace(0.0, 0.99, 100))
    segments = segments_of(many)
    assert len(segments) == 10
    assert (segments[0]["first"], segments[-1]["last"]) == (1, 1000)
    assert segments[0]["values"] == pytest.approx([np.linspace(0.0, 0.99, 100)[:10].mean()])


def test_windows_without_a_figure_are_passed_over():
    segments = segments_of(evaluation([10, 20], [10, 10], [np.nan, 0.5]))
    assert segments[-1]["values"] == [0.5]


# ---- trees --------------------------------------------------------------------------------------


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


def test_a_tree_has_all_its_nodes_in_words(tree):
    document = tree_document(tree, "arrival")
    json.dumps(document)
    nodes = document["nodes"]
    assert len(nodes) == len(tree.nodes) == document["n_nodes"]
    assert nodes[0]["way"] == "all rows"
    assert nodes[0]["share"] == 1.0
    assert sum(node["ask"] is None for node in nodes) == len(tree.leaves)
    assert all(node["more"] == 0 for node in nodes)
    seen = {0}
    for place, node in enumerate(nodes):
        assert all(kid > place for kid in node["kids"])
        seen.update(node["kids"])
        if node["kids"]:
            assert sum(nodes[kid]["share"] for kid in node["kids"]) == pytest.approx(node["share"])
    assert seen == set(range(len(nodes)))
    ways = [node["way"] for node in nodes]
    assert any(" <= " in way and way.endswith("(or missing)") for way in ways)
    assert any(way.startswith("carrier is ") for way in ways)
    assert document["title"] in (
        "the mean probability of arrival = late there",
        "the mean probability of arrival = on time there",
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


def test_the_value_of_a_split_is_the_mean_of_the_rows_that_come_there():
    X = np.repeat([[0.0], [1.0]], 2000, axis=0)
    y = np.repeat([10.0, 30.0], 2000)
    order = np.random.default_rng(0).permutation(4000)
    model = SGTRegressor(warm_up=100).partial_fit(X[order], y[order])
    nodes = tree_document(view_trees(model)[0], "price")["nodes"]
    assert float(nodes[0]["value"]) == pytest.approx(20.0, abs=1.0)
    assert [nodes[kid]["tone"] for kid in nodes[0]["kids"]] == [0.0, 1.0]


def test_vectors_in_leaves_are_told_by_their_most_probable_label():
    X = np.repeat([[0.0], [1.0], [2.0]], 1000, axis=0)
    y = np.repeat(["elm", "oak", "fir"], 1000)
    order = np.random.default_rng(0).permutation(3000)
    model = SGTClassifier(multiclass="vector", warm_up=100).partial_fit(X[order], y[order])
    document = tree_document(view_model(model).trees[0], "tree")
    json.dumps(document)
    assert document["title"].startswith("the most probable tree")
    assert {node["value"].split()[0] for node in document["nodes"]} == {"elm", "oak", "fir"}
