from dataclasses import replace

import pytest

from sgtrees.inspection import Node, TreeView, ValueKind, view_model
from tests.conformance.exports.models import MODELS, several_trees


def leaf(*values, outputs, shrinkage=1.0):
    """A tree that is a leaf."""
    node = Node(0, None, (), 0, values, 1.0, None, None)
    return TreeView((node,), (), ValueKind.CONTRIBUTION, outputs=outputs, shrinkage=shrinkage)


@pytest.fixture(scope="module")
def committee():
    return view_model(MODELS["four classes"]().model)


def test_raw_scores_are_the_start_plus_the_shrunken_values_of_all_trees(committee):
    view = replace(committee, start=(1.0, 0.0, -1.0, 0.5)).with_trees(
        [
            leaf(4.0, outputs=(1,), shrinkage=0.5),
            leaf(2.0, outputs=(1,), shrinkage=0.5),
            leaf(8.0, 16.0, outputs=(3, 0), shrinkage=0.25),
        ]
    )
    assert view.n_outputs == 4
    assert view.raw([tree.root for tree in view.trees]) == [5.0, 3.0, -1.0, 2.5]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("two classes", ValueKind.PROBABILITY),
        ("focal", ValueKind.PROBABILITY),
        ("bags", ValueKind.PROBABILITY),
        ("four classes", ValueKind.SCORE),
        ("vector, five classes", ValueKind.CLASSES),
        ("several labels", ValueKind.LABELS),
        ("several targets", ValueKind.NUMBERS),
        ("one target with a name", ValueKind.NUMBER),
        ("poisson", ValueKind.NUMBER),
    ],
)
def test_values_are_predictions_where_one_tree_gives_them_and_else_contributions(name, kind):
    view = view_model(MODELS[name]().model)
    assert {tree.value_kind for tree in view.trees} == {kind}
    assert view.with_trees(view.trees) == view
    several, _ = several_trees(view)
    assert {tree.value_kind for tree in several.trees} == {ValueKind.CONTRIBUTION}
    assert {tree.link.name for tree in several.trees} == {"identity"}


def test_log_odds_against_the_first_label_need_that_label_to_have_no_tree(committee):
    more = committee.with_trees([*committee.trees, leaf(1.0, outputs=(0,))])
    assert {tree.value_kind for tree in more.trees} == {ValueKind.CONTRIBUTION}
    assert [tree.label for tree in more.trees] == [*committee.labels[1:], committee.labels[0]]


def test_outputs_are_those_of_the_class_numbers(committee):
    assert [tree.outputs for tree in committee.trees] == [(1,), (2,), (3,)]
    assert committee.start == (0.0, 0.0, 0.0, 0.0)
    (vector,) = view_model(MODELS["vector, five classes"]().model).trees
    assert vector.outputs == (0, 1, 2, 3, 4)
    (targets,) = view_model(MODELS["several targets"]().model).trees
    assert targets.outputs == (0, 1, 2)
    assert view_model(MODELS["bags"]().model).start == (0.0,)
