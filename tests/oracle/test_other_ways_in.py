"""The core grows the oracle's trees from float32 blocks and with several threads too."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from tests.oracle.comparison import (
    Core,
    assert_same_predictions,
    core_predictions,
    difference_of_trees,
    learn_block,
    new_core,
    new_oracle,
    oracle_predictions,
    spread_of,
    test_then_train_with_the_oracle,
)
from tests.oracle.configurations import (
    TASKS,
    Configuration,
    Floats,
    by_first_appearance,
    configuration,
)
from tests.oracle.oracle import Settings
from tests.oracle.vector_configurations import (
    class_configuration,
    label_configuration,
    target_configuration,
)

# Numbers of configurations that have numeric columns, of all tasks; some have nominal columns,
# missing values and weights as well.
NARROW = (3, 7, 11, 16, 24, 32, 45, 58)
WIDE_TASKS = (*TASKS, "vector", "targets")


def learn_at_once(
    case: Configuration, X: Floats | np.ndarray, n_threads: int
) -> tuple[Core, Floats]:
    """A core that has learned all rows in one call, and its test-then-train predictions."""
    core = new_core(case, n_threads)
    return core, learn_block(core, X, case.y, case.w, case.n_outputs)


def assert_equals_the_oracle(case: Configuration, core: Core, found: Floats) -> None:
    oracle = new_oracle(case)
    expected = test_then_train_with_the_oracle(oracle, case)
    assert_same_predictions(case, "test-then-train prediction", expected, found)
    oracle.end_warm_up()
    core.end_warm_up()
    assert difference_of_trees(oracle, core, spread_of(case)) is None
    assert_same_predictions(
        case,
        "prediction of the probes",
        oracle_predictions(oracle, case.probes, case.n_outputs),
        core_predictions(core, case.probes, case.n_outputs),
    )


@pytest.mark.parametrize("number", NARROW)
def test_the_core_grows_the_oracles_trees_from_float32_blocks(number: int) -> None:
    assert_float32_blocks_do_as_well(configuration(number))


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("kind", [class_configuration, target_configuration, label_configuration])
def test_the_core_grows_vector_leaves_from_float32_blocks(
    kind: Callable[[int], Configuration], number: int
) -> None:
    assert_float32_blocks_do_as_well(kind(number))


def assert_float32_blocks_do_as_well(case: Configuration) -> None:
    X = np.ascontiguousarray(case.X, dtype=np.float32)
    # The oracle learns what the block holds: the same numbers, exact in float64.
    rounded = dataclasses.replace(case, X=X.astype(np.float64))
    core, found = learn_at_once(rounded, X, n_threads=1)
    assert_equals_the_oracle(rounded, core, found)


def wide_configuration(task: str, *, quantile_bins: bool) -> Configuration:
    """Long and wide enough that encoding, routing and search all use their threads.

    They do from 4,096 rows in a call on, and from 20,000 cells and rows of a grace period, over all
    features.
    """
    random = np.random.default_rng([WIDE_TASKS.index(task), quantile_bins])
    n, n_numeric, n_nominal = 4500, 50, 15
    X = np.hstack(
        [random.normal(size=(n, n_numeric)), random.integers(0, 6, (n, n_nominal))],
    )
    signal = np.sum(X[:, :4] > [-0.5, 0.0, 0.5, 1.0], axis=1) + (X[:, -1] < 2)
    X[random.random(X.shape) < 0.01] = np.nan
    nominal = [False] * n_numeric + [True] * n_nominal
    y = signal + random.normal(size=n)
    if task == "targets":
        y = np.column_stack([y, X[:, 5] > 0.2, 1e6 + np.nan_to_num(X[:, -2])])
    elif task != "regression":
        y = np.clip(np.round(y), 1, 2 if task == "binary" else 4)
        y = by_first_appearance(y, np.ones(n, np.bool_))
    for place in np.flatnonzero(nominal):
        X[:, place] = by_first_appearance(X[:, place], np.ones(n, np.bool_))
    settings = Settings(
        quantile_bins=quantile_bins, warm_up=500, grace_period=300, delta=0.01, gamma=0.3
    )
    name = f"wide {task}"
    return Configuration(name, task, settings, nominal, None, X, y, None, X[:100])


@pytest.mark.parametrize("quantile_bins", [False, True], ids=["uniform", "quantile"])
@pytest.mark.parametrize("task", WIDE_TASKS)
def test_the_core_grows_the_oracles_trees_with_two_threads(task: str, quantile_bins: bool) -> None:
    case = wide_configuration(task, quantile_bins=quantile_bins)
    core, found = learn_at_once(case, case.X, n_threads=2)
    assert core.n_splits > 0
    assert_equals_the_oracle(case, core, found)
