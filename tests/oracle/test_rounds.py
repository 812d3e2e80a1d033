"""Rounds: the core grows the oracle's trees where these stand still for many rows."""

from __future__ import annotations

import dataclasses

import pytest

from tests.oracle.comparison import assert_the_core_equals_the_oracle
from tests.oracle.configurations import Configuration, configuration, loss_configuration
from tests.oracle.oracle import Settings
from tests.oracle.real_data import real
from tests.oracle.vector_configurations import class_configuration, target_configuration

AUTO = 0
SIZES = (2, 7, 64, 300)


def in_rounds(case: Configuration, round_rows: int) -> Configuration:
    settings = dataclasses.replace(case.settings, round_rows=round_rows)
    return dataclasses.replace(case, settings=settings)


@pytest.mark.parametrize("number", range(0, 300, 8))
def test_on_random_streams(number: int) -> None:
    assert_the_core_equals_the_oracle(in_rounds(configuration(number), SIZES[number // 8 % 4]))


@pytest.mark.parametrize("number", range(0, 110, 7))
def test_under_every_loss(number: int) -> None:
    assert_the_core_equals_the_oracle(in_rounds(loss_configuration(number), SIZES[number // 7 % 4]))


@pytest.mark.parametrize("number", range(0, 80, 8))
def test_with_vectors_in_leaves(number: int) -> None:
    size = SIZES[number // 8 % 4]
    assert_the_core_equals_the_oracle(in_rounds(class_configuration(number), size))
    assert_the_core_equals_the_oracle(in_rounds(target_configuration(number), size))


@pytest.mark.parametrize("round_rows", [AUTO, 1500])
@pytest.mark.parametrize("name", ["covtype", "airline_nyc_2013"])
def test_on_real_data(name: str, round_rows: int) -> None:
    settings = Settings(grace_period=100, delta=0.01, gamma=0.1, round_rows=round_rows)
    task = "multi-class" if name == "covtype" else "regression"
    assert_the_core_equals_the_oracle(real(name, task, 4000, settings, shuffled=True))
