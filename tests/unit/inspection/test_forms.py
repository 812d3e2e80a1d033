"""Trees as text, dot and JSON; and the page that describes a model."""

import json
import re
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.inspection import describe, rules, to_dict, to_dot, to_json, to_text, view_model
from tests.conformance.exports.zoo import ZOO

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def regressor():
    return ZOO["squared_error"]().model


@pytest.fixture(scope="module")
def committee():
    return ZOO["four classes"]().model


# ---- text ---------------------------------------------------------------------------------------


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


def test_a_model_without_trees_is_told_as_such():
    model = SGTRegressor().partial_fit([[1.0]], [1.0])
    assert to_text(model) == "no tree yet"
    assert describe(model).endswith("no tree yet")
    assert describe(model, "rules") == "no tree yet"
    assert "digraph" in to_dot(model)
    assert to_dict(model)["trees"] == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("vector, five classes", r": [a-e] \(\d+ %\) \("),
        ("several targets", r": -?[\d.e-]+ / -?[\d.e-]+ / -?[\d.e-]+ \("),
        ("several labels", r": (none, rather )?(hot|old|odd) \(\d+ %\)"),
    ],
)
def test_a_tree_with_vectors_is_told_once(name, told):
    model = ZOO[name]().model
    lines = to_text(model).splitlines()
    assert len(lines) == model.n_nodes_ - 1
    leaves = [line for line in lines if "of rows)" in line]
    assert len(leaves) == model.n_leaves_
    assert all(re.search(told, line) for line in leaves)
    assert re.search(told, describe(model, "tree"))
    assert describe(model).count("Most telling splits") == 1
    assert to_dot(model).count("fillcolor=") == model.n_nodes_


# ---- dot ----------------------------------------------------------------------------------------


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


# ---- JSON ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "two classes",
        "four classes",
        "own link",
        "bags",
        "numbers",
        "vector, five classes",
        "several targets",
        "several labels",
    ],
)
def test_documents_follow_the_schema(name):
    schema = json.loads((DOCS / "trees.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(to_json(ZOO[name]().model)), schema)


def test_the_example_in_the_docs_follows_the_schema():
    schema = json.loads((DOCS / "trees.schema.json").read_text(encoding="utf-8"))
    page = (DOCS / "trees-json.md").read_text(encoding="utf-8")
    example = page.split("```json")[1].split("```")[0]
    jsonschema.validate(json.loads(example), schema)


def test_numbers_in_json_are_the_models(regressor):
    nodes = json.loads(to_json(regressor))["trees"][0]["nodes"]
    (tree,) = view_model(regressor).trees
    for written, node in zip(nodes, tree.nodes, strict=True):
        assert tuple(written["values"]) == node.values
        assert written["cover"] == node.cover
        if node.split is not None and node.split.threshold is not None:
            assert written["split"]["threshold"] == node.split.threshold


# ---- the description ----------------------------------------------------------------------------


def test_a_description_tells_size_features_and_splits(committee):
    text = describe(committee)
    view = view_model(committee)
    assert "predicts one of 4 labels, after 3,000 rows" in text
    assert f"3 trees, {view.n_leaves} leaves, depth {view.depth}" in text
    assert "Most important features" in text
    assert text.count("Most telling splits") == 3


@pytest.mark.parametrize("form", ["summary", "tree", "rules", "dot", "json", "svg"])
def test_every_form_is_text(committee, form):
    assert describe(committee, form) == describe(view_model(committee), form)
    assert "town" in describe(committee, form)


def test_there_is_a_rule_for_each_leaf(committee):
    view = view_model(committee)
    lines = [line for line in describe(committee, "rules").splitlines() if " where " in line]
    assert len(lines) == sum(len(rules(tree)) for tree in view.trees)


def test_an_unknown_form_is_refused(regressor):
    with pytest.raises(ValueError, match="form == 'pdf', must be one of 'summary', 'tree'"):
        describe(regressor, "pdf")


def test_what_is_no_estimator_is_refused():
    with pytest.raises(TypeError, match=r"expected an SGTClassifier, .*got str"):
        describe("model")
    with pytest.raises(AttributeError, match="before it has learned a row"):
        describe(SGTClassifier())
