"""Trees that are replaced where labels come late: the same however rows come, and when resumed."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sgtrees import SGTClassifier, SGTForestClassifier, SGTForestRegressor, SGTRegressor

N_ROWS, CHANGE = 3600, 1500
QUICK: dict[str, Any] = {"warm_up": 50, "grace_period": 20, "kept_rows": 50, "label_delay": 40}
FEW: dict[str, Any] = {"n_estimators": 2, "random_state": 0}

KINDS: dict[str, tuple[Callable[..., Any], str]] = {
    "committee": (SGTClassifier, "class"),
    "vector leaves": (lambda **more: SGTClassifier(multiclass="vector", **more), "class"),
    "several labels": (SGTClassifier, "labels"),
    "one target": (SGTRegressor, "number"),
    "several targets": (SGTRegressor, "numbers"),
    "linear leaves": (lambda **more: SGTRegressor(leaf_model="linear", **more), "number"),
    "both kinds of leaves": (lambda **more: SGTRegressor(leaf_model="auto", **more), "number"),
    "forest of classes": (lambda **more: SGTForestClassifier(**FEW, **more), "class"),
    "forest of numbers": (lambda **more: SGTForestRegressor(**FEW, **more), "number"),
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def rows(target: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows whose target depends on another feature from the middle on, and weights.

    The last class comes when fresh trees are learning already.
    """
    random = np.random.default_rng(1)
    X = random.random((N_ROWS, 3))
    is_late = np.arange(N_ROWS) >= CHANGE
    signal = np.where(is_late, np.floor(4.0 * X[:, 1]) % 2, np.floor(4.0 * X[:, 0]) % 2) * 3.0
    signal -= X[:, 0] > 0.5
    signal += random.normal(0, 0.1, N_ROWS)
    classes = np.digitize(signal, [0.0, 1.0, 2.5])
    classes[(np.arange(N_ROWS) > CHANGE + 300) & (X[:, 2] > 0.85)] = 4
    targets = {
        "class": classes,
        "labels": np.column_stack([signal > 1.0, X[:, 2] > 0.5]).astype(int),
        "number": signal,
        "numbers": np.column_stack([signal, 100.0 - 7.0 * signal]),
    }
    return X, targets[target], random.choice([0.0, 0.5, 1.0, 2.0], N_ROWS)


def taught(kind: str, cuts: list[int], *, saved: bool = False, **settings: Any) -> tuple[Any, int]:
    """Return a model that has learned the rows in parts, and at how many cuts it had a background.

    With `saved` it is pickled and loaded at each cut.
    """
    make, target = KINDS[kind]
    X, y, w = rows(target)
    model, n_with_background = make(**QUICK, **settings), 0
    for begin, end in zip([0, *cuts], [*cuts, N_ROWS], strict=True):
        model.partial_fit(X[begin:end], y[begin:end], sample_weight=w[begin:end])
        n_with_background += model.model_.core.has_background
        if saved:
            model = pickle.loads(pickle.dumps(model))
    return model, n_with_background


def state_of(model: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in model.model_.core.state().items()}


@each_kind
def test_a_block_its_parts_and_its_rows_are_the_same(kind: str) -> None:
    whole, _ = taught(kind, [])
    parts, _ = taught(kind, [100, CHANGE, CHANGE + 77, CHANGE + 300])
    one_by_one, n_with_background = taught(kind, list(range(1, N_ROWS)))
    assert n_with_background > 100
    assert state_of(whole) == state_of(parts) == state_of(one_by_one)


@each_kind
def test_it_resumes_at_any_row(kind: str) -> None:
    whole, _ = taught(kind, [])
    resumed, n_with_background = taught(kind, list(range(3, N_ROWS, 37)), saved=True)
    assert n_with_background > 2
    assert state_of(resumed) == state_of(whole)


@each_kind
def test_so_it_is_within_a_limit_of_memory(kind: str) -> None:
    for max_memory in (30_000, 120_000):
        whole, _ = taught(kind, [], max_memory=max_memory)
        cuts = list(range(3, N_ROWS, 37))
        resumed, _ = taught(kind, cuts, saved=True, max_memory=max_memory)
        assert state_of(resumed) == state_of(whole)
        assert resumed.memory_bytes_ == whole.memory_bytes_


@each_kind
def test_fresh_trees_have_been_judged(kind: str) -> None:
    model, _ = taught(kind, [])
    assert {event.kind for event in model.drifts_} >= {"alarm", "replaced"}


@pytest.mark.parametrize("kind", ["committee", "vector leaves", "forest of classes"])
def test_a_class_that_comes_while_fresh_trees_learn_is_predicted_afterwards(kind: str) -> None:
    X, y, w = rows("class")
    first = int(np.flatnonzero((y == 4) & (w > 0))[0])
    early = KINDS[kind][0](**QUICK).partial_fit(
        X[: first + 1], y[: first + 1], sample_weight=w[: first + 1]
    )
    assert early.model_.core.has_background
    model, _ = taught(kind, [])
    assert (model.predict(X[y == 4]) == 4).mean() > 0.5
