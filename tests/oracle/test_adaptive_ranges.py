"""Ranges that adapt: the core renews bins where the oracle does, and grows the same trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.oracle.comparison import (
    assert_this_core_equals_this_oracle,
    new_core,
    new_oracle,
)
from tests.oracle.configurations import Configuration, Floats, configuration, loss_configuration
from tests.oracle.ranges import Bins, ValueSample, better_bins, crowding, new_places
from tests.oracle.vector_configurations import class_configuration, target_configuration

ROWS = 4000


def moved(random: np.random.Generator, values: Floats) -> Floats:
    """The values of a feature whose range is not that of its first rows."""
    place = np.arange(len(values)) / len(values)
    scale = float(np.nanstd(values[np.isfinite(values)])) if np.isfinite(values).any() else 1.0
    kind = random.integers(6)
    if kind == 0:  # it grows
        values = values + 20 * (scale or 1.0) * place
    elif kind == 1:  # it falls
        values = values - 5 * (scale or 1.0) * place
    elif kind == 2:  # another unit
        values = np.where(place < 0.3, values, 1000 * values)
    elif kind == 3:  # an outlier among the first rows
        values = values.copy()
        values[3] = 1e9
    elif kind == 4:  # constant at first
        values = np.where(place < 0.2, 0.5, values)
    return np.asarray(values)


def renewing(case: Configuration, seed: int) -> Configuration:
    """The case over more rows, its numeric features moved, with bins that may be renewed."""
    random = np.random.default_rng([20261116, seed])
    times = -(-ROWS // len(case.y))
    X = np.tile(case.X, (times, 1))[:ROWS]
    for feature, is_nominal in enumerate(case.nominal):
        if not is_nominal:
            X[:, feature] = moved(random, X[:, feature])
    y = np.concatenate([case.y] * times)[:ROWS]
    w = None if case.w is None else np.concatenate([case.w] * times)[:ROWS]
    settings = replace(
        case.settings,
        adaptive_ranges=True,
        warm_up=int(random.choice([20, 100, 200])),
        n_bins=int(random.choice([2, 5, 16, 32])),
    )
    ranges = case.ranges if random.random() < 0.3 else None
    probes = np.vstack([case.probes, X[random.integers(ROWS, size=100)]])
    return replace(case, settings=settings, ranges=ranges, X=X, y=y, w=w, probes=probes)


N_OFTEN = 9
CASES = [
    *(
        pytest.param(
            configuration,
            number,
            id=f"random {number}",
            marks=() if number < N_OFTEN else pytest.mark.long,
        )
        for number in range(18)
    ),
    *(pytest.param(loss_configuration, number, id=f"loss {number}") for number in range(6)),
    *(pytest.param(class_configuration, number, id=f"vector {number}") for number in range(4)),
    *(pytest.param(target_configuration, number, id=f"targets {number}") for number in range(4)),
]


@pytest.mark.parametrize(("made_by", "number"), CASES)
def test_bins_are_renewed_as_in_the_oracle(made_by: object, number: int) -> None:
    assert callable(made_by)
    case = renewing(made_by(number), number)
    core, oracle = new_core(case), new_oracle(case)
    assert_this_core_equals_this_oracle(case, core, oracle)
    assert len(core.range_updates()) == oracle.n_range_updates


def test_most_of_these_cases_renew_bins() -> None:
    renewed = 0
    for number in range(18):
        case = renewing(configuration(number), number)
        core = new_core(case)
        learn = core.learn
        learn(case.X, case.y.astype(np.int64) if case.is_classification else case.y, case.w)
        renewed += len(core.range_updates()) > 0
    assert renewed >= 9


def test_crowding_is_the_chance_that_different_values_share_a_bin() -> None:
    assert crowding([1.0, 2.0, 3.0, 4.0], [2.0]) == 4 / 12
    assert crowding([1.0, 1.0, 1.0], []) == 0.0
    assert crowding([0.0, 0.0, 0.0, 5.0], []) == 1.0


def test_a_bin_within_a_new_one_is_known_and_one_with_a_boundary_within_is_not() -> None:
    assert new_places([1.0, 2.0, 3.0], [2.0, 9.0]) == [0, 0, 1, None]
    assert new_places([1.0], [1.0]) == [0, 1]
    assert new_places([], [1.0]) == [None]


def test_a_feature_that_grows_gets_bins_ahead_of_it() -> None:
    sample = ValueSample()
    for value in range(400):
        sample.take(float(value))
    better = better_bins(sample, Bins([50.0], 0.0, 100.0), 8)
    assert better is not None
    assert better.hi > 399.0
    assert sum(boundary >= 399.0 for boundary in better.boundaries) == 4
