import json
from pathlib import Path

import jsonschema
import pytest

import sgtrees.export
from sgtrees.inspection import to_json, view_model
from tests.conformance.exports.models import ENSEMBLES, MODELS, several_trees

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def regressor():
    return MODELS["squared_error"]().model


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
    jsonschema.validate(json.loads(to_json(MODELS[name]().model)), schema)


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


@pytest.mark.parametrize("name", ["four classes", "vector, five classes", "poisson"])
def test_documents_of_several_trees_for_one_output_follow_the_schema(name):
    schema = json.loads((DOCS / "trees.schema.json").read_text(encoding="utf-8"))
    view, _ = several_trees(view_model(MODELS[name]().model))
    document = json.loads(to_json(view))
    jsonschema.validate(document, schema)
    assert tuple(document["start"]) == view.start
    written = [(tree["outputs"], tree["shrinkage"]) for tree in document["trees"]]
    assert written == [(list(tree.outputs), tree.shrinkage) for tree in view.trees]


def test_the_export_is_the_same_function():
    assert sgtrees.export.to_json is to_json


@pytest.mark.parametrize("name", ENSEMBLES)
def test_documents_of_ensembles_follow_the_schema(name):
    schema = json.loads((DOCS / "trees.schema.json").read_text(encoding="utf-8"))
    document = json.loads(to_json(ENSEMBLES[name]().model))
    jsonschema.validate(document, schema)
    assert len(document["trees"]) >= 4
