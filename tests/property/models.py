"""Ways to give a stream to an estimator, and views of what it has learned."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees import SGTClassifier
from sgtrees._core import ClassLearner, LossLearner
from tests.fingerprint import fingerprint
from tests.property.strategies import Estimator, Floats, Stream

Core = ClassLearner | LossLearner
State = dict[str, NDArray[np.generic]]


# --------------------------------------------------------------------------------------------------
# Learning
# --------------------------------------------------------------------------------------------------


def core_of(model: Estimator) -> Core:
    assert model._model is not None
    core: Core = model._model.core
    return core


def learn(model: Estimator, stream: Stream, begin: int = 0, end: int | None = None) -> Estimator:
    """Learn rows as one block."""
    if begin == (stream.n_rows if end is None else end):
        return model
    model.partial_fit(
        stream.block(begin, end), stream.y[begin:end], sample_weight=stream.weights(begin, end)
    )
    return model


def learn_in_blocks(model: Estimator, stream: Stream, cuts: list[int]) -> Estimator:
    for begin, end in pairwise(cuts):
        learn(model, stream, begin, end)
    return model


def learn_events(
    model: Estimator, stream: Stream, begin: int = 0, end: int | None = None
) -> Estimator:
    """Learn rows as dictionaries; the very first one comes as a block, which has the columns."""
    if begin == 0:
        learn(model, stream, 0, 1)
        begin = 1
    for row in range(begin, stream.n_rows if end is None else end):
        model.learn_one(stream.event(row), stream.target(row), stream.weight(row))
    return model


def learned(stream: Stream, **changes: Any) -> Estimator:
    """A new model that has learned the whole stream as one block."""
    return learn(stream.estimator(**changes), stream)


def assert_same_models(one: Estimator, other: Estimator) -> None:
    """The whole learning state is the same to the last bit."""
    expected, found = fingerprint(one), fingerprint(other)
    assert (expected is None) == (found is None)
    if expected is None or found is None:
        return
    assert differing(core_of(one).state(), core_of(other).state()) == []
    assert {k: v for k, v in expected.items() if k != "core"} == {
        k: v for k, v in found.items() if k != "core"
    }


def differing(one: State, other: State) -> list[str]:
    """The names of the arrays that differ in any bit."""
    names = one.keys() | other.keys()
    return sorted(n for n in names if n not in one or n not in other or not same(one[n], other[n]))


def same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()


def raw_predictions(model: Estimator, X: Any) -> Floats:
    """Targets, or probabilities in the order of ``classes_``; a row for each row of X."""
    if isinstance(model, SGTClassifier):
        return np.asarray(model.predict_proba(X))
    targets = np.asarray(model.predict(X))
    return targets if targets.ndim == 2 else targets[:, None]


def raw_predictions_of_event(model: Estimator, event: dict[Any, Any]) -> list[float]:
    """The same for one event."""
    if isinstance(model, SGTClassifier):
        probabilities = model.predict_proba_one(event)
        return [probabilities[label] for label in model.classes_.tolist()]
    targets = model.predict_one(event)
    if isinstance(targets, dict):
        return list(targets.values())
    return targets if isinstance(targets, list) else [targets]


# --------------------------------------------------------------------------------------------------
# Trees
# --------------------------------------------------------------------------------------------------


class TreeView:
    """A tree of the core as its arrays tell it, with a way down of its own."""

    def __init__(self, core: Core, index: int = 0) -> None:
        self.arrays: dict[str, NDArray[Any]] = dict(core.tree(index))
        self.children: dict[int, list[int]] = {}
        for node, parent in enumerate(self.arrays["parent"].tolist()):
            self.children.setdefault(parent, []).append(node)

    def __getattr__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    @property
    def splits(self) -> list[int]:
        return np.flatnonzero(self.arrays["feature"] >= 0).tolist()

    @property
    def numeric_splits(self) -> list[int]:
        return [node for node in self.splits if not self.is_nominal[node]]

    @property
    def nominal_splits(self) -> list[int]:
        return [node for node in self.splits if self.is_nominal[node]]

    def left(self, node: int) -> int:
        (left,) = (child for child in self.children[node] if self.is_left[child])
        return left

    def right(self, node: int) -> int:
        (right,) = (child for child in self.children[node] if not self.is_left[child])
        return right

    def branch(self, node: int, category: int) -> int | None:
        for child in self.children[node]:
            if self.category[child] == category and not self.is_missing_branch[child]:
                return child
        return None

    def step(self, node: int, x: Floats) -> int | None:
        """One level down; None where there is no way down."""
        feature = int(self.feature[node])
        if feature < 0:
            return None
        value = float(x[feature])
        if math.isnan(value):
            return int(self.default_child[node])
        if self.is_nominal[node]:
            return self.branch(node, int(value))
        return self.left(node) if value <= self.threshold[node] else self.right(node)

    def route(self, x: Floats) -> list[int]:
        """The nodes from the root to where the row stays."""
        path = [0]
        while (below := self.step(path[-1], x)) is not None:
            path.append(below)
        return path

    def predict(self, X: Floats) -> Floats:
        return np.array([self.value[self.route(x)[-1]] for x in X])

    def row_to(self, node: int, n_features: int) -> Floats:
        """A row that comes down to a node (zero where its way there does not care)."""
        x = np.zeros(n_features)
        low, high = np.full(n_features, -np.inf), np.full(n_features, np.inf)
        while (parent := int(self.parent[node])) >= 0:
            feature = int(self.feature[parent])
            if not self.is_nominal[parent]:
                threshold = float(self.threshold[parent])
                if self.is_left[node]:
                    high[feature] = min(high[feature], threshold)
                else:
                    low[feature] = max(low[feature], threshold)
            elif self.is_missing_branch[node]:
                x[feature] = np.nan
            else:
                x[feature] = self.category[node]
            node = parent
        for feature in range(n_features):
            if math.isfinite(high[feature]):
                x[feature] = high[feature]
            elif math.isfinite(low[feature]):
                x[feature] = np.nextafter(low[feature], np.inf)
        return x

    def structure(self, names: list[int] | None = None) -> list[tuple[Any, ...]]:
        """What the splits are, without values; feature i under the name ``names[i]``."""
        feature = self.feature.tolist()
        if names is not None:
            feature = [f if f < 0 else names[f] for f in feature]
        columns = ("parent", "threshold", "is_nominal", "default_child", "category", "is_left")
        return list(
            zip(feature, *(map(repr, self.arrays[name].tolist()) for name in columns), strict=True)
        )


def trees_of(core: Core) -> list[TreeView]:
    return [TreeView(core, index) for index in range(core.n_trees)]


def structures_of(core: Core) -> list[list[tuple[Any, ...]]]:
    return [tree.structure() for tree in trees_of(core)]
