"""Several trees that add to one output, with shrinkage and a start, in every runtime."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from sgtrees.inspection import ModelView, TargetType, ValueKind, view_model
from sgtrees.losses.links import LINKS
from tests.conformance.exports.models import MODELS, Case, several_trees
from tests.conformance.exports.rows import edge_rows
from tests.conformance.exports.runtimes import RUNTIMES, ends, in_order

NAMES = [
    "two classes",
    "two classes, the greater first",
    "four classes",
    "a class that was declared",
    "focal",
    "exponential",
    "squared_error",
    "poisson",
    "own link",
    "vector, five classes",
    "vector, two classes",
    "several targets",
    "several labels",
    "one target with a name",
    "root alone",
    "bags",
]


@cache
def case(name: str) -> Case:
    return MODELS[name]()


def plain_sums(view: ModelView, of_trees: list[list[int]]) -> list[list[float]]:
    sums = []
    for of_row in of_trees:
        raw = list(view.start)
        for tree, end in zip(view.trees, of_row, strict=True):
            for output, value in zip(tree.outputs, tree.nodes[end].values, strict=True):
                raw[output] = raw[output] + tree.shrinkage * value
        sums.append(raw)
    return sums


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", NAMES)
def test_raw_scores_are_the_sums_over_the_trees(name, runtime, tmp_path):
    model, frame = case(name).model, edge_rows(case(name).model, case(name).frame, 150)
    view, which = several_trees(view_model(model))
    assert {tree.value_kind for tree in view.trees} == {ValueKind.CONTRIBUTION}
    of_trees = [[of_row[number] for number in which] for of_row in ends(model, frame)]
    raw = np.array(plain_sums(view, of_trees))
    answers = RUNTIMES[runtime](model, view, frame, tmp_path)
    assert answers.raw is not None or answers.probabilities is not None
    if answers.raw is not None:
        np.testing.assert_allclose(answers.raw, raw[:, in_order(view)], rtol=1e-12, atol=1e-12)
    tolerance = max(answers.digits, 1e-12)
    if answers.prediction is not None:
        predicted = view.link(raw).reshape(answers.prediction.shape)
        np.testing.assert_allclose(answers.prediction, predicted, rtol=tolerance)
    if answers.probabilities is not None:
        expected = probabilities(view, raw)
        np.testing.assert_allclose(answers.probabilities, expected, rtol=0, atol=tolerance)


def probabilities(view: ModelView, raw: np.ndarray) -> np.ndarray:
    if view.target_type is TargetType.LABELS:
        return view.link(raw)
    of_labels = np.column_stack([1.0 - view.link(raw[:, 0]), view.link(raw[:, 0])])
    if view.is_softmax:
        powers = np.exp(raw - raw.max(axis=1, keepdims=True))
        of_labels = powers / powers.sum(axis=1, keepdims=True)
    assert view.is_softmax or view.link in LINKS
    result = np.zeros((len(raw), len(view.classes)))
    result[:, [view.classes.index(label) for label in view.labels]] = of_labels
    return result


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_two_halves_of_a_tree_are_the_tree(runtime, tmp_path):
    model, frame = case("squared_error").model, case("squared_error").frame[:200]
    view = view_model(model)
    (tree,) = view.trees
    halves = view.with_trees([replace(tree, shrinkage=0.5)] * 2)
    answers = RUNTIMES[runtime](model, halves, frame, tmp_path)
    assert answers.raw[:, 0].tolist() == model.predict(frame).tolist()
