"""The core grows the oracle's trees with linear leaves, under every loss and with any outputs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.oracle.comparison import (
    Oracles,
    assert_this_core_equals_this_oracle,
    new_core,
    three_of_seven,
)
from tests.oracle.configurations import EAGER, Configuration, configuration, loss_configuration
from tests.oracle.linear import LinearClassifier, LinearOfTargets, LinearRegressor
from tests.oracle.real_data import real
from tests.oracle.vector_configurations import label_configuration, target_configuration

N_OF_EACH = 40
# These start a million spreads off: no warm-up, or a neutral start, and a target around 1e6 or 1e9.
# There a step is the difference of numbers that are larger by as much, and has not nine digits.
FAR_OFF_TARGETS = (0, 1, 16)
FAR_OFF_LOSSES = (1,)


def with_linear_leaves(case: Configuration) -> Configuration:
    # Where hessians may come near 0 a step without lambda is all rounding error.
    least = 0.01 if case.is_classification else 0.0
    settings = replace(
        case.settings, linear_leaves=True, reg_lambda=max(case.settings.reg_lambda, least)
    )
    return replace(case, settings=settings)


new_oracle = Oracles(LinearClassifier, None, LinearOfTargets, LinearRegressor).of


def assert_same(case: Configuration) -> None:
    linear = with_linear_leaves(case)
    assert_this_core_equals_this_oracle(linear, new_core(linear), new_oracle(linear))


@pytest.mark.parametrize("number", three_of_seven(range(N_OF_EACH)))
def test_on_random_streams(number: int) -> None:
    assert_same(configuration(number))


@pytest.mark.parametrize(
    "number", three_of_seven(n for n in range(N_OF_EACH) if n not in FAR_OFF_LOSSES)
)
def test_under_every_loss(number: int) -> None:
    assert_same(loss_configuration(number))


@pytest.mark.parametrize("number", [n for n in range(N_OF_EACH // 2) if n not in FAR_OFF_TARGETS])
def test_with_several_targets(number: int) -> None:
    assert_same(target_configuration(number))


@pytest.mark.parametrize("number", range(N_OF_EACH // 2))
def test_with_several_labels(number: int) -> None:
    assert_same(label_configuration(number))


@pytest.mark.parametrize("name", ["covtype", "gmsc", "airline_nyc_2013"])
def test_on_real_data(name: str) -> None:
    task = "regression" if name == "airline_nyc_2013" else "multi-class"
    settings = replace(EAGER, kept_rows=100)
    assert_same(real(name, task, 3_000, settings, shuffled=True))
