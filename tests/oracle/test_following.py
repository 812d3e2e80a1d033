"""Following leaves: the core predicts what the oracle predicts, and grows the same trees."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.oracle.comparison import (
    Oracles,
    assert_this_core_equals_this_oracle,
    new_core,
    three_of_seven,
)
from tests.oracle.configurations import (
    DEFAULTS,
    Configuration,
    about_zero,
    configuration,
    loss_configuration,
)
from tests.oracle.following import (
    FollowingClassifier,
    FollowingOfTargets,
    FollowingRegressor,
    FollowingVectorClassifier,
)
from tests.oracle.real_data import real
from tests.oracle.vector_configurations import (
    class_configuration,
    label_configuration,
    target_configuration,
)

RATES = ((0.02, 0.1, 0.3), (0.02, 0.1, 0.3), (1.0,), (0.3, 0.01), (0.02, 0.1, 0.3, 1.0))
DELAYS = (0, 0, 1, 7, 100)
DELAYS_OF_REAL_DATA = (0, 100)


def following(case: Configuration, number: int) -> Configuration:
    """Rates and delays in turn, so that every kind of stream meets every one of them."""
    case = about_zero(case)
    rates, delay = RATES[number // 3 % len(RATES)], DELAYS[number // 2 % len(DELAYS)]
    settings = replace(case.settings, following_rates=rates, label_delay=delay)
    return replace(case, settings=settings)


new_oracle = Oracles(
    FollowingClassifier, FollowingVectorClassifier, FollowingOfTargets, FollowingRegressor
).of


def assert_same(case: Configuration) -> None:
    assert_this_core_equals_this_oracle(case, new_core(case), new_oracle(case))


@pytest.mark.parametrize("number", three_of_seven(range(30)))
def test_on_random_streams(number: int) -> None:
    assert_same(following(configuration(number), number))


@pytest.mark.parametrize("number", three_of_seven(range(33)))
def test_under_every_loss(number: int) -> None:
    assert_same(following(loss_configuration(number), number // 11))


@pytest.mark.parametrize("number", three_of_seven(range(20)))
def test_with_vectors_of_classes(number: int) -> None:
    assert_same(following(class_configuration(number), number))


@pytest.mark.parametrize("number", range(16))
def test_with_several_targets(number: int) -> None:
    assert_same(following(target_configuration(number), number // 8))


@pytest.mark.parametrize("number", range(6))
def test_with_several_labels(number: int) -> None:
    assert_same(following(label_configuration(number), number))


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("covtype", "multi-class"),
        ("kdd99_10pct", "vector"),
        ("elec2", "binary"),
        ("airline_nyc_2013", "regression"),
    ],
)
@pytest.mark.parametrize("label_delay", DELAYS_OF_REAL_DATA)
def test_on_real_data_in_file_order(name: str, task: str, label_delay: int) -> None:
    settings = replace(
        DEFAULTS,
        thinning=task == "multi-class",
        following_rates=(0.01, 0.06, 0.3, 0.7),
        label_delay=label_delay,
    )
    assert_same(real(name, task, 3_000, settings))
