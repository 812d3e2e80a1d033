"""Small models of every kind that can be exported, each with the rows that it learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from sgtrees import (
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTClassifier,
    SGTForestClassifier,
    SGTForestRegressor,
    SGTMultiInstanceClassifier,
    SGTRegressor,
    losses,
)
from sgtrees.inspection import ModelView

QUICK = {"warm_up": 100, "grace_period": 40, "delta": 1e-3, "gamma": 0.1}
COLOURS = ["red", "green", "blue", 'day"glo\\', "größer?", ""]


@dataclass(frozen=True)
class Case:
    model: Any
    frame: pd.DataFrame


def mixed_frame(n_rows: int = 3000, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Return rows with columns of every kind, most with missing values, and a target."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n_rows)
    age = rng.integers(0, 90, n_rows).astype(np.float64)
    colour = rng.choice(len(COLOURS) - 1, n_rows, p=[0.4, 0.2, 0.2, 0.15, 0.05])
    grade = rng.choice([1.0, 2.0, 2.5, -3.0], n_rows)
    town = rng.integers(0, 30, n_rows)
    code = rng.choice(np.linspace(-1.0, 1.0, 12), n_rows)
    known = rng.random(n_rows) < 0.5
    target = (
        np.where(colour == 1, size, 0.1 * age - 4.0)
        + (grade == 2.5) * 2.0
        + np.sin(town)
        + 3.0 * code * known
        + 0.3 * rng.normal(size=n_rows)
    )

    def with_missing(values: Any, share: float, dtype: Any = object) -> pd.Series:
        column = pd.Series(values, dtype=dtype)
        column[rng.random(n_rows) < share] = None if dtype is object else np.nan
        return column

    frame = pd.DataFrame(
        {
            "size": with_missing(size, 0.1, np.float64),
            "age": age,
            "colour": with_missing([COLOURS[c] for c in colour], 0.1),
            "grade": with_missing(grade, 0.1, np.float64),
            "town": with_missing([f"town {t}" for t in town], 0.02),
            "code": code,
            "known": with_missing(known.tolist(), 0.05),
            "constant": 7.0,
            "nothing": np.nan,
        }
    )
    return frame, target


def numbers_frame(n_rows: int = 3000, seed: int = 1) -> tuple[pd.DataFrame, Any]:
    """Return rows of numbers only."""
    frame, target = mixed_frame(n_rows, seed)
    return frame[["size", "age", "grade", "code"]], target


NOMINAL = ["colour", "grade", "town", "code", "known"]


def _classes(labels: list[Any], **parameters: Any) -> Case:
    frame, target = mixed_frame()
    y = np.array(labels)[
        np.searchsorted(np.quantile(target, [0.3, 0.6, 0.8][: len(labels) - 1]), target)
    ]
    return Case(
        SGTClassifier(categorical_features=NOMINAL, **QUICK | parameters).partial_fit(frame, y),
        frame,
    )


def declared_class() -> Case:
    case = _classes([3, 1, 2])
    frame, _ = mixed_frame(10)
    return Case(case.model.partial_fit(frame, [1] * 10, classes=[0, 1, 2, 3, 9]), case.frame)


def late_categories() -> Case:
    frame, target = mixed_frame()
    model = SGTRegressor(categorical_features=NOMINAL, **QUICK).partial_fit(frame, target)
    later = frame.copy()
    later["colour"] = "ultraviolet"
    later["town"] = "Atlantis"
    return Case(model.partial_fit(later, target + 5.0), pd.concat([frame, later]))


def regression(loss: Any, **parameters: Any) -> Case:
    frame, target = mixed_frame()
    if loss in ("poisson", "gamma", "tweedie") or not isinstance(loss, str):
        target = np.exp(target / 4.0)
    parameters = QUICK | {"loss": loss} | parameters
    return Case(
        SGTRegressor(categorical_features=NOMINAL, **parameters).partial_fit(frame, target), frame
    )


def _asymmetric(y: Any, raw: Any) -> Any:
    cost = np.where(raw < y, 3.0, 1.0)
    return cost * (raw - y), cost


def _cube(raw: Any) -> Any:
    return raw**3


def own_link() -> Case:
    return regression(losses.from_derivatives(_asymmetric, link=_cube))


def own_link_of_classes() -> Case:
    frame, target = mixed_frame()
    loss = losses.from_derivatives(
        lambda y, raw: (raw - y, np.ones_like(raw)), link=lambda raw: np.clip(raw, 0.0, 1.0)
    )
    model = SGTClassifier(categorical_features=NOMINAL, loss=loss, **QUICK)
    return Case(model.partial_fit(frame, target > 0), frame)


def only_numbers(dtype: str = "float64", **parameters: Any) -> Case:
    frame, target = numbers_frame()
    frame = frame.astype(dtype)
    model = SGTRegressor(categorical_features=[2], **QUICK | parameters)
    return Case(model.partial_fit(frame.to_numpy(), target), frame)


def vector_classes(n_classes: int, **parameters: Any) -> Case:
    """One tree with a vector in each leaf; the last class comes late."""
    frame, target = mixed_frame()
    cuts = np.quantile(target, np.arange(1, n_classes) / n_classes)
    number = np.searchsorted(cuts, target)
    number[:500] = np.minimum(number[:500], max(1, n_classes - 2))
    y = np.array(["d", "b", "c", "a", "e"])[number]
    model = SGTClassifier(categorical_features=NOMINAL, multiclass="vector", **QUICK | parameters)
    return Case(model.partial_fit(frame, y), frame)


def several_targets(loss: str) -> Case:
    frame, target = mixed_frame()
    y = np.column_stack([target, frame["age"] / 10.0, -target])
    if loss == "poisson":
        y = np.exp(y / 10.0)
    model = SGTRegressor(categorical_features=NOMINAL, loss=loss, **QUICK)
    names = ["height", "weight", "depth"]
    return Case(model.partial_fit(frame, pd.DataFrame(y, columns=names)), frame)


def one_named_target() -> Case:
    frame, target = mixed_frame(1000)
    model = SGTRegressor(categorical_features=NOMINAL, **QUICK)
    for row, y in zip(frame.to_dict("records"), target.tolist(), strict=True):
        model.learn_one(row, {"height": y})
    return Case(model, frame[list(model.feature_names_in_)])


def several_labels(**parameters: Any) -> Case:
    frame, target = mixed_frame()
    y = pd.DataFrame({"hot": target > 2, "old": frame["age"] > 50, "odd": target < -1})
    model = SGTClassifier(categorical_features=NOMINAL, **QUICK | parameters)
    return Case(model.partial_fit(frame, y), frame)


def linear_leaves(n_classes: int = 0, **parameters: Any) -> Case:
    frame, target = mixed_frame()
    parameters = {"categorical_features": NOMINAL, "leaf_model": "linear", **QUICK, **parameters}
    if n_classes == 0:
        return Case(SGTRegressor(**parameters).partial_fit(frame, target), frame)
    y = np.digitize(target, np.quantile(target, np.arange(1, n_classes) / n_classes))
    return Case(SGTClassifier(**parameters).partial_fit(frame, y), frame)


def linear_leaves_of_counts() -> Case:
    frame, target = mixed_frame()
    model = SGTRegressor(categorical_features=NOMINAL, leaf_model="linear", loss="poisson", **QUICK)
    return Case(model.partial_fit(frame, np.exp(target / 4.0)), frame)


def linear_leaves_of_targets() -> Case:
    frame, target = mixed_frame()
    y = np.column_stack([target, frame["age"] / 10.0])
    model = SGTRegressor(categorical_features=NOMINAL, leaf_model="linear", **QUICK)
    return Case(model.partial_fit(frame, y), frame)


def ensemble(estimator: Any, target_of: Callable[[Any], Any], **parameters: Any) -> Case:
    frame, target = mixed_frame()
    model = estimator(
        categorical_features=NOMINAL, n_estimators=4, random_state=0, **QUICK | parameters
    )
    return Case(model.partial_fit(frame, target_of(target)), frame)


def _three_classes(target: Any) -> Any:
    return np.array(["low", "high", "middle"])[np.digitize(target, [-1.0, 1.0])]


def _two_classes(target: Any) -> Any:
    return target > 0


def _number(target: Any) -> Any:
    return target


def _count(target: Any) -> Any:
    return np.exp(target / 4.0)


def _two_numbers(target: Any) -> Any:
    return pd.DataFrame({"height": target, "depth": -target})


def _two_labels(target: Any) -> Any:
    return np.column_stack([target > 0, target > 2]).astype(int)


def root_alone() -> Case:
    frame, target = numbers_frame(300)
    return Case(SGTRegressor(max_depth=0, **QUICK).partial_fit(frame, target), frame)


def roots_alone() -> Case:
    frame, target = numbers_frame(300)
    y = np.digitize(target, [-1.0, 1.0])
    return Case(SGTClassifier(max_depth=0, **QUICK).partial_fit(frame, y), frame)


def bags() -> Case:
    frame, target = mixed_frame()
    groups = np.arange(len(frame)) // 5
    y = pd.Series(target).groupby(groups).max().to_numpy() > 3.0
    model = SGTMultiInstanceClassifier(
        categorical_features=NOMINAL, grace_period=100, epochs=5, random_state=0
    )
    return Case(model.fit(frame, np.where(y, "hot", "cold"), groups), frame)


def several_trees(view: ModelView) -> tuple[ModelView, list[int]]:
    """A model with each tree twice, and the first one in other outputs; and whose ends to use."""
    first = view.trees[0]
    trees = [replace(tree, shrinkage=factor) for tree in view.trees for factor in (0.5, 0.25)]
    which = [number for number in range(len(view.trees)) for _ in range(2)]
    mirrored = tuple(view.n_outputs - 1 - output for output in first.outputs)
    narrow = tuple(replace(node, values=node.values[:1]) for node in first.nodes)
    trees.append(replace(first, outputs=mirrored, shrinkage=-0.125))
    trees.append(replace(first, nodes=narrow, outputs=(0,), shrinkage=0.75))
    start = tuple(0.3 * (output + 1) for output in range(view.n_outputs))
    return replace(view, start=start).with_trees(trees), [*which, 0, 0]


MODELS: dict[str, Callable[[], Case]] = {
    "two classes": lambda: _classes(["no", "yes"]),
    "two classes, the greater first": lambda: _classes(["yes", "no"]),
    "two classes, booleans": lambda: _classes([True, False]),
    "four classes": lambda: _classes(["b", "d", "a", "c"]),
    "four classes, numbers": lambda: _classes([30, 10, -20, 40]),
    "four classes, quantile bins": lambda: _classes([0, 1, 2, 3], binning="quantile"),
    "a class that was declared": declared_class,
    "focal": lambda: _classes(["no", "yes"], loss="focal"),
    "exponential": lambda: _classes(["yes", "no"], loss="exponential"),
    **{
        loss: lambda loss=loss: regression(loss)
        for loss in (
            "squared_error",
            "absolute_error",
            "huber",
            "log_cosh",
            "quantile",
            "poisson",
            "gamma",
            "tweedie",
        )
    },
    "own loss": lambda: regression(losses.from_derivatives(_asymmetric)),
    "own loss, exp": lambda: regression(losses.from_derivatives(_asymmetric, link="exp")),
    "own link": own_link,
    "own link of classes": own_link_of_classes,
    "vector, five classes": lambda: vector_classes(5),
    "vector, two classes": lambda: vector_classes(2),
    "vector, root alone": lambda: vector_classes(3, max_depth=0),
    "several targets": lambda: several_targets("squared_error"),
    "several targets, poisson": lambda: several_targets("poisson"),
    "one target with a name": one_named_target,
    "several labels": several_labels,
    "several labels, exponential": lambda: several_labels(loss="exponential"),
    "late categories": late_categories,
    "numbers": only_numbers,
    "float32": lambda: only_numbers("float32"),
    "many bins": lambda: only_numbers(n_bins=1000),
    "root alone": root_alone,
    "roots alone": roots_alone,
    "bags": bags,
}

LINEAR_MODELS: dict[str, Callable[[], Case]] = {
    "numbers": linear_leaves,
    "poisson": linear_leaves_of_counts,
    "exponential": lambda: linear_leaves(2, loss="exponential"),
    "two classes": lambda: linear_leaves(2),
    "four classes": lambda: linear_leaves(4),
    "several targets": linear_leaves_of_targets,
    "root alone": lambda: linear_leaves(max_depth=0),
}

ENSEMBLES: dict[str, Callable[[], Case]] = {
    "boosting, two classes": lambda: ensemble(SGTBoostingClassifier, _two_classes),
    "boosting, three classes": lambda: ensemble(
        SGTBoostingClassifier, _three_classes, multiclass="committee"
    ),
    "boosting, vector leaves": lambda: ensemble(
        SGTBoostingClassifier, _three_classes, multiclass="vector"
    ),
    "boosting, exponential": lambda: ensemble(
        SGTBoostingClassifier, _two_classes, loss="exponential"
    ),
    "boosting, several labels": lambda: ensemble(SGTBoostingClassifier, _two_labels),
    "boosting, numbers": lambda: ensemble(SGTBoostingRegressor, _number),
    "boosting, poisson": lambda: ensemble(SGTBoostingRegressor, _count, loss="poisson"),
    "boosting, several targets": lambda: ensemble(SGTBoostingRegressor, _two_numbers),
    "forest, two classes": lambda: ensemble(SGTForestClassifier, _two_classes),
    "forest, three classes": lambda: ensemble(SGTForestClassifier, _three_classes),
    "forest, committees": lambda: ensemble(
        SGTForestClassifier, _three_classes, multiclass="committee"
    ),
    "forest, several labels": lambda: ensemble(SGTForestClassifier, _two_labels),
    "forest, numbers": lambda: ensemble(SGTForestRegressor, _number),
    "forest, several targets": lambda: ensemble(SGTForestRegressor, _two_numbers),
}

# Ensembles of linear leaves, and a choice between both kinds of leaves.
LINEAR_ENSEMBLES: dict[str, Callable[[], Case]] = {
    "boosting, numbers": lambda: ensemble(SGTBoostingRegressor, _number, leaf_model="linear"),
    "boosting, three classes": lambda: ensemble(
        SGTBoostingClassifier, _three_classes, leaf_model="linear"
    ),
    "forest, several targets": lambda: ensemble(
        SGTForestRegressor, _two_numbers, leaf_model="linear"
    ),
    "choice, numbers": lambda: linear_leaves(leaf_model="auto"),
    "choice, four classes": lambda: linear_leaves(4, leaf_model="auto"),
}
