import sys
from dataclasses import replace

import pytest

from sgtrees.export import to_treelite
from sgtrees.inspection import view_model
from tests.conformance.exports.models import MODELS


def test_absent_treelite_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "treelite.model_builder", None)
    with pytest.raises(ImportError, match=r"pip install '.*treelite"):
        to_treelite(MODELS["root alone"]().model)


def test_attributes_have_the_categories_and_the_targets():
    attributes = to_treelite(MODELS["several targets"]().model).attributes
    assert attributes["targets"] == ["height", "weight", "depth"]
    assert "red" in attributes["categories"]["colour"]


def test_trees_of_one_output_stay_scalar_where_several_add_to_it():
    view = view_model(MODELS["four classes"]().model)
    halves = view.with_trees(replace(tree, shrinkage=0.5) for tree in view.trees * 2)
    exported = to_treelite(halves)
    assert exported.num_tree == 6
    assert exported.get_header_accessor().get_field("leaf_vector_shape").tolist() == [1, 1]
