"""Trees that are replaced: the core does it with the rows, and for the trees, of the oracle."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

from sgtrees._core import ClassLearner, LossLearner, LossSpec, Options
from tests.oracle.comparison import difference_of_trees
from tests.oracle.configurations import by_first_appearance
from tests.oracle.oracle import Settings
from tests.oracle.replacement import ReplacedClassifier, ReplacedRegressor

Floats = NDArray[np.float64]

SETTINGS = Settings(
    n_bins=16, warm_up=100, grace_period=25, grace_growth=0.5, delta=0.05, kept_rows=100
)
NOMINAL = [False, False, True]


def changing_rows(seed: int, n_rows: int = 2400) -> tuple[Floats, Floats, Floats]:
    """Rows of which the target depends on other features from the middle on, and weights."""
    random = np.random.default_rng([seed, 17])
    X = np.column_stack([random.random((n_rows, 2)), random.integers(4, size=n_rows)])
    is_late = np.arange(n_rows) >= n_rows // 2
    signal = np.where(is_late, 2 * (X[:, 2] % 2) - X[:, 1], X[:, 0] + X[:, 1])
    X[:, 2] = by_first_appearance(X[:, 2], np.ones(n_rows, np.bool_))
    w = random.choice([0.0, 0.5, 1.0, 2.0], n_rows) if seed % 2 else np.ones(n_rows)
    return X, signal + random.normal(0, 0.1, n_rows), w


# With late labels trees are judged by what could have been predicted: so they are replaced later.
with_delays = pytest.mark.parametrize("label_delay", [0, 120])


def settings_with(label_delay: int) -> tuple[Settings, Options]:
    settings = dataclasses.replace(SETTINGS, label_delay=label_delay)
    return settings, Options(**dataclasses.asdict(settings), replaces_on_drift=True)


def events_of(core: ClassLearner | LossLearner) -> list[tuple[str, int]]:
    return [event[:2] for event in core.drifts]


@with_delays
@pytest.mark.parametrize("seed", range(4))
def test_a_committee_is_replaced_as_that_of_the_oracle(seed: int, label_delay: int) -> None:
    X, signal, w = changing_rows(seed)
    classes = np.digitize(signal, np.quantile(signal, [0.35, 0.7] if seed < 2 else [0.5]))
    y = by_first_appearance(classes.astype(float), w > 0)
    settings, options = settings_with(label_delay)
    core = ClassLearner(options, NOMINAL, None)
    oracle = ReplacedClassifier(settings, NOMINAL)
    for i in range(len(y)):
        oracle.learn(X[i], y[i], float(w[i]))
    for begin in range(0, len(y), 700):
        part = slice(begin, begin + 700)
        core.learn(X[part], y[part].astype(np.int32), w[part])
    assert events_of(core) == oracle.judge.events
    assert "replaced" in [kind for kind, _ in oracle.judge.events]
    assert difference_of_trees(oracle, core, None) is None


@with_delays
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_of_numbers_is_replaced_as_that_of_the_oracle(seed: int, label_delay: int) -> None:
    X, y, w = changing_rows(seed)
    settings, options = settings_with(label_delay)
    core = LossLearner(options, NOMINAL, None, LossSpec.built_in("squared_error", {}), 1)
    oracle = ReplacedRegressor(settings, NOMINAL)
    for i in range(len(y)):
        oracle.learn(X[i], y[i], float(w[i]))
    core.learn(X, y, w)
    assert events_of(core) == oracle.judge.events
    assert "alarm" in [kind for kind, _ in oracle.judge.events]
    assert difference_of_trees(oracle, core, np.std(y, keepdims=True)) is None


def test_trees_that_prove_worse_are_given_up_as_those_of_the_oracle() -> None:
    """Labels mean nothing for a while, so that errors rise, and are as before then."""
    random = np.random.default_rng(0)
    X = np.column_stack([random.random((3700, 2)), np.zeros(3700)])
    is_odd = np.floor(3 * X[:, :2]).sum(axis=1) % 2 == 1
    is_odd[2500:2560] = random.random(60) < 0.5
    y = by_first_appearance(is_odd.astype(float), np.ones(len(X), np.bool_))
    settings, options = settings_with(0)
    core = ClassLearner(options, NOMINAL, None)
    oracle = ReplacedClassifier(settings, NOMINAL)
    for x, target in zip(X, y, strict=True):
        oracle.learn(x, target)
    core.learn(X, y.astype(np.int32))
    (alarm, began), (end, ended) = oracle.judge.events
    assert (alarm, end) == ("alarm", "no lead")
    assert ended - began < 5000
    assert events_of(core) == oracle.judge.events
    assert difference_of_trees(oracle, core, None) is None
