"""The core grows the oracle's trees with vectors in the leaves: classes, targets, labels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.oracle.configurations import Configuration
from tests.oracle.oracle import Settings
from tests.oracle.real_data import load
from tests.oracle.test_core_equals_oracle import (
    AS_PRINTED,
    EAGER,
    EAGER_SUM,
    QUANTILES,
    assert_the_core_equals_the_oracle,
    long,
)
from tests.oracle.vector_configurations import (
    N_OF_CLASSES,
    N_OF_LABELS,
    N_OF_TARGETS,
    class_configuration,
    label_configuration,
    target_configuration,
)


@pytest.mark.parametrize("number", range(N_OF_CLASSES))
def test_the_core_grows_the_oracles_trees_of_classes(number: int) -> None:
    assert_the_core_equals_the_oracle(class_configuration(number))


@pytest.mark.parametrize("number", range(N_OF_TARGETS))
def test_the_core_grows_the_oracles_trees_of_several_targets(number: int) -> None:
    assert_the_core_equals_the_oracle(target_configuration(number))


@pytest.mark.parametrize("number", range(N_OF_LABELS))
def test_the_core_grows_the_oracles_trees_of_several_labels(number: int) -> None:
    assert_the_core_equals_the_oracle(label_configuration(number))


@pytest.mark.parametrize(
    ("name", "n_rows", "settings"),
    [
        pytest.param("covtype", 5_000, AS_PRINTED, id="covtype-5000"),
        pytest.param("covtype", 5_000, EAGER, id="covtype-5000-eager"),
        pytest.param("covtype", 5_000, QUANTILES, id="covtype-5000-quantiles"),
        pytest.param("covtype", 20_000, AS_PRINTED, id="covtype-20000", marks=long),
        pytest.param("covtype", 20_000, EAGER, id="covtype-20000-eager", marks=long),
        pytest.param("kdd99_10pct", 5_000, AS_PRINTED, id="kdd99-5000"),
        pytest.param("kdd99_10pct", 5_000, EAGER, id="kdd99-5000-eager"),
        pytest.param("kdd99_10pct", 20_000, AS_PRINTED, id="kdd99-20000", marks=long),
        pytest.param("kdd99_10pct", 20_000, EAGER, id="kdd99-20000-eager", marks=long),
        pytest.param("letter", 5_000, EAGER_SUM, id="letter-5000-sum"),
        pytest.param("gmsc", 5_000, EAGER, id="gmsc-5000-eager"),
    ],
)
def test_the_core_grows_the_oracles_trees_of_real_classes(
    name: str, n_rows: int, settings: Settings
) -> None:
    stream = load(name, n_rows, shuffled=True, classification=True)
    probes = stream.X[:: n_rows // 200]
    assert_the_core_equals_the_oracle(
        Configuration(
            name, "vector", settings, stream.nominal, None, stream.X, stream.y, None, probes
        )
    )


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber"])
@pytest.mark.parametrize(
    ("n_rows", "settings"),
    [
        pytest.param(5_000, AS_PRINTED, id="5000"),
        pytest.param(5_000, EAGER, id="5000-eager"),
        pytest.param(20_000, EAGER, id="20000-eager", marks=long),
    ],
)
def test_the_core_grows_the_oracles_trees_of_delay_and_air_time(
    loss: str, n_rows: int, settings: Settings
) -> None:
    name = "airline_nyc_2013"
    stream = load(
        name, n_rows, shuffled=False, classification=False, more_targets=["air_time", "distance"]
    )
    settings = replace(settings, warm_up=100 if loss == "huber" else settings.warm_up)
    case = Configuration(
        name, "targets", settings, stream.nominal, None, stream.X, stream.y, None, stream.X[:200]
    )
    assert_the_core_equals_the_oracle(replace(case, loss=loss))
