"""The core grows the oracle's trees: on random streams and on the first rows of real ones."""

from __future__ import annotations

import pytest

from tests.oracle.comparison import assert_the_core_equals_the_oracle, some_of
from tests.oracle.configurations import (
    AS_PRINTED,
    EAGER,
    EAGER_SUM,
    N_CONFIGURATIONS,
    N_LOSS_CONFIGURATIONS,
    QUANTILES,
    configuration,
    loss_configuration,
)
from tests.oracle.oracle import Settings
from tests.oracle.real_data import real


@pytest.mark.parametrize("number", some_of(N_CONFIGURATIONS))
def test_the_core_grows_the_oracles_trees_on_random_streams(number: int) -> None:
    assert_the_core_equals_the_oracle(configuration(number))


@pytest.mark.parametrize("number", some_of(N_LOSS_CONFIGURATIONS))
def test_the_core_grows_the_oracles_trees_under_every_loss(number: int) -> None:
    assert_the_core_equals_the_oracle(loss_configuration(number))


long = pytest.mark.long


@pytest.mark.parametrize(
    ("name", "n_rows", "shuffled", "settings"),
    [
        pytest.param("covtype", 3_000, True, EAGER, id="covtype-3000-eager"),
        pytest.param("covtype", 3_000, True, QUANTILES, id="covtype-3000-quantiles"),
        pytest.param("covtype", 20_000, True, AS_PRINTED, id="covtype-20000", marks=long),
        pytest.param("covtype", 5_000, True, AS_PRINTED, id="covtype-5000"),
        pytest.param("covtype", 20_000, True, EAGER, id="covtype-20000-eager", marks=long),
        pytest.param("kdd99_10pct", 3_000, True, AS_PRINTED, id="kdd99-3000"),
        pytest.param("kdd99_10pct", 2_000, True, EAGER, id="kdd99-2000-eager"),
        pytest.param("kdd99_10pct", 20_000, True, AS_PRINTED, id="kdd99-20000", marks=long),
        pytest.param("kdd99_10pct", 20_000, True, EAGER, id="kdd99-20000-eager", marks=long),
        pytest.param("gmsc", 8_000, True, AS_PRINTED, id="gmsc-8000"),
        pytest.param("gmsc", 8_000, True, EAGER, id="gmsc-8000-eager"),
        pytest.param("gmsc", 8_000, True, QUANTILES, id="gmsc-8000-quantiles"),
        pytest.param("airline_nyc_2013", 8_000, True, AS_PRINTED, id="airline-8000"),
        pytest.param("airline_nyc_2013", 8_000, True, EAGER, id="airline-8000-eager"),
        pytest.param("airline_nyc_2013", 8_000, False, AS_PRINTED, id="airline-in-order-8000"),
        pytest.param("airline_nyc_2013", 8_000, False, EAGER, id="airline-in-order-8000-eager"),
        pytest.param("airline_nyc_2013", 8_000, False, EAGER_SUM, id="airline-in-order-8000-sum"),
    ],
)
def test_the_core_grows_the_oracles_trees_on_real_data(
    name: str, n_rows: int, shuffled: bool, settings: Settings
) -> None:
    task = "regression" if name == "airline_nyc_2013" else "multi-class"
    assert_the_core_equals_the_oracle(real(name, task, n_rows, settings, shuffled=shuffled))
