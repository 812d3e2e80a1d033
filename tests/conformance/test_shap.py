"""SHAP values against those of the package shap, on the same trees."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from sgtrees.inspection import TreeView, shap_values, view_model
from sgtrees.inspection.rows import encoded_rows
from tests.conformance.exports.models import MODELS, Case
from tests.conformance.exports.rows import edge_rows
from tests.conformance.exports.runtimes import as_given

with warnings.catch_warnings():
    # What it imports warns of its own future.
    warnings.simplefilter("ignore")
    shap = pytest.importorskip("shap")

NEXT_TO_NOTHING = 1e-30
NAMES = [
    "two classes",
    "two classes, the greater first",
    "four classes",
    "a class that was declared",
    "squared_error",
    "poisson",
    "vector, five classes",
    "several targets",
    "several labels",
    "late categories",
    "many bins",
    "root alone",
    "bags",
]


@cache
def case(name: str) -> Case:
    return MODELS[name]()


class TwoWays:
    """A tree for shap, whose splits are `x <= threshold` only.

    The branches of a nominal split are tested one after the other, by category number; what lies
    between them, and beyond, ends in leaves of next to no cover (shap takes none without any).
    """

    def __init__(self, tree: TreeView, output: int) -> None:
        self.rows: list[list[float]] = []
        self.tree = tree
        self.output = output
        self._add(0)

    def as_dict(self) -> dict[str, Any]:
        left, right, default, feature, threshold, value, cover = np.array(self.rows).T
        return {
            "children_left": left.astype(np.int32),
            "children_right": right.astype(np.int32),
            "children_default": default.astype(np.int32),
            "features": feature.astype(np.int32),
            "thresholds": threshold,
            "values": value[:, None],
            "node_sample_weight": cover,
        }

    def _row(self, value: float, cover: float, feature: int = -2, threshold: float = 0.0) -> int:
        self.rows.append([-1, -1, -1, feature, threshold, value, cover])
        return len(self.rows) - 1

    def _link(self, at: int, left: int, right: int, default: int) -> None:
        self.rows[at][:3] = [left, right, default]

    def _add(self, number: int) -> int:
        node = self.tree.nodes[number]
        if node.split is None:
            return self._row(node.values[self.output], node.cover)
        if node.split.threshold is None:
            return self._add_chain(number)
        at = self._row(
            node.values[self.output], node.cover, node.split.feature.number, node.split.threshold
        )
        left, right = (self._add(child) for child in node.children)
        self._link(at, left, right, left if node.split.default_child == node.children[0] else right)
        return at

    def _add_chain(self, number: int) -> int:
        """Ask `x <= c - 0.5` (nothing is there), then `x <= c + 0.5` (category c), and so on."""
        node = self.tree.nodes[number]
        split = node.split
        categories = split.feature.categories
        known, of_missing = [], None
        for child in node.children:
            category = self.tree.nodes[child].branch.category
            if category is None:
                of_missing = child
            else:
                known.append((float(categories.index(category)), child))
        known.sort()
        steps = [step for c, child in known for step in ((c - 0.5, None), (c + 0.5, child))]
        left_over = sum(self.tree.nodes[child].cover for _, child in known)
        if of_missing is not None:
            # The first test: true of every number, so that only missing rows go on to their branch.
            first = self._row(node.values[self.output], node.cover, split.feature.number, 1e300)
            missing = self._add(of_missing)
            self._link(first, len(self.rows), missing, missing)
        else:
            first = len(self.rows)
        for threshold, child in steps:
            at = self._row(node.values[self.output], left_over, split.feature.number, threshold)
            left = (
                self._row(node.values[self.output], NEXT_TO_NOTHING)
                if child is None
                else self._add(child)
            )
            right = len(self.rows)
            is_default = child is not None and child == split.default_child
            self._link(at, left, right, left if is_default else right)
            left_over -= 0.0 if child is None else self.tree.nodes[child].cover
        self._row(node.values[self.output], NEXT_TO_NOTHING)
        return first


def values_of_shap(model: Any, block: Any) -> tuple[Any, Any]:
    """(n_rows, n_features, n_outputs) values, and the base value of each score."""
    view = view_model(model)
    values, bases = np.zeros((*block.shape, view.n_outputs)), np.zeros(view.n_outputs)
    for tree in view.trees:
        for output, score in enumerate(tree.outputs):
            exported = {"trees": [TwoWays(tree, output).as_dict()], "internal_dtype": np.float64}
            explainer = shap.TreeExplainer(exported, feature_perturbation="tree_path_dependent")
            found = explainer.shap_values(block, check_additivity=False)
            values[:, :, score] += found.reshape(block.shape)
            bases[score] += float(np.ravel(explainer.expected_value)[0])
    return values, bases


def assert_equal(model: Any, X: Any) -> None:
    view = view_model(model)
    block = encoded_rows(model, X).astype(np.float64)
    expected, base = values_of_shap(model, block)
    found = shap_values(model, X)
    n_rows, n_features = block.shape
    if view.is_softmax and view.n_outputs == 2:
        sign = 1.0 if view.labels[1] == max(view.labels) else -1.0
        expected = sign * (expected[:, :, 1:] - expected[:, :, :1])
        base = sign * (base[1:] - base[:1])
    elif view.is_softmax:
        order = [view.labels.index(label) for label in sorted(view.labels)]
        expected, base = expected[:, :, order], base[order]
    of_trees = found.values.reshape(n_rows, n_features, -1)
    base_of_trees = np.ravel(found.base_values)
    if view.is_softmax and view.n_outputs > 2:
        seen = [place for place, label in enumerate(view.classes) if label in view.labels]
        of_trees, base_of_trees = of_trees[:, :, seen], base_of_trees[seen]
    np.testing.assert_allclose(base_of_trees, base, rtol=1e-12, atol=1e-12)
    scale = np.abs(expected).max() + 1e-300
    np.testing.assert_allclose(of_trees, expected, rtol=1e-9, atol=1e-10 * scale)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_shap(name):
    model, frame = case(name).model, case(name).frame
    assert_equal(model, as_given(model, edge_rows(model, frame, 200)))
    assert_equal(model, as_given(model, frame[:100]))


@pytest.mark.filterwarnings("ignore")
def test_the_plots_of_shap_take_the_values():
    model, frame = case("four classes").model, case("four classes").frame
    explanation = shap_values(model, frame[:20]).as_explanation(frame[:20])
    assert explanation.values.shape == (20, 9, 4)
    assert explanation.base_values.shape == (20, 4)
    assert explanation[:, :, 1].values.shape == (20, 9)
    assert list(explanation.feature_names) == list(frame.columns)
