"""The core grows the oracle's trees with vectors in the leaves: classes, targets, labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import pytest

from sgtrees._core import LossLearner, LossSpec, Options
from tests.oracle.comparison import (
    assert_the_core_equals_the_oracle,
    assert_this_core_equals_this_oracle,
    learn_in_uneven_blocks,
    new_core,
    some_of,
)
from tests.oracle.configurations import (
    AS_PRINTED,
    EAGER,
    EAGER_SUM,
    QUANTILES,
    Configuration,
    Floats,
)
from tests.oracle.losses import SquaredError
from tests.oracle.oracle import Settings
from tests.oracle.real_data import load, real
from tests.oracle.vector_configurations import (
    N_OF_CLASSES,
    N_OF_LABELS,
    N_OF_TARGETS,
    class_configuration,
    label_configuration,
    target_configuration,
)
from tests.oracle.vectors import OracleOfTargets

# Some leaves of these are sure of a class to the last digit, and see it again and again: the change
# in loss is next to nothing, and certain.
SURE_OF_A_CLASS = (175, 195, 203, 262)
long = pytest.mark.long


@pytest.mark.parametrize("number", [*some_of(N_OF_CLASSES), *SURE_OF_A_CLASS])
def test_the_core_grows_the_oracles_trees_of_classes(number: int) -> None:
    assert_the_core_equals_the_oracle(class_configuration(number))


@pytest.mark.parametrize("number", some_of(N_OF_TARGETS))
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
    assert_the_core_equals_the_oracle(real(name, "vector", n_rows, settings, shuffled=True))


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


# ---- losses written in Python, and rows one at a time --------------------------------------------


def distance_derivatives(y: Floats, raw: Floats) -> tuple[Floats, Floats]:
    """Of sqrt(1 + |raw - y|^2): every output's derivatives depend on all of them."""
    r = raw - y
    size = np.sqrt(1 + np.sum(r * r, axis=1, keepdims=True))
    return r / size, np.broadcast_to(1 / size, r.shape).copy()


class Distances:
    """The distance's derivatives and best constants, for the core's interface."""

    def derivatives(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        if y.ndim == 1:
            g, h = distance_derivatives(y[:, None], raw[:, None])
            return g[:, 0].copy(), h[:, 0].copy()
        return distance_derivatives(y, raw)

    def starts(self, y: Floats, weight: Floats) -> Floats:
        return np.atleast_1d(weight @ y / weight.sum())

    def scales(self, n_outputs: int) -> Floats:
        return np.zeros(n_outputs)

    def take_scales(self, y: Floats, weight: Floats) -> None:
        """Have none."""

    def set_scales(self, scales: Floats) -> None:
        """Have none."""


class OracleOfDistances(OracleOfTargets):
    """Targets under one loss for all of them together."""

    def derivatives(self, y: Sequence[float], raw: Sequence[float]) -> tuple[Floats, Floats]:
        r = [a - float(b) for a, b in zip(raw, y, strict=True)]
        size = math.sqrt(1 + math.fsum(each * each for each in r))
        return np.array([each / size for each in r]), np.full(len(r), 1 / size)


@pytest.mark.parametrize("number", range(7, 55, 8))
def test_a_python_loss_of_all_targets_together_grows_the_oracles_tree(number: int) -> None:
    case = target_configuration(number)
    assert case.loss == "squared_error"  # so its best constants are the means
    # In the targets' own spread, or all rows would be far away.
    spread = np.std(case.y, axis=0)
    case = replace(case, y=(case.y - np.mean(case.y, axis=0)) / np.where(spread > 0, spread, 1))
    oracle = OracleOfDistances(
        case.settings, case.nominal, case.ranges, [SquaredError() for _ in range(case.n_outputs)]
    )
    options = Options(**asdict(case.settings))
    ranges = None
    if case.ranges is not None:
        ranges = np.array([given or (math.nan, math.nan) for given in case.ranges])
    loss = LossSpec.in_python(Distances())
    core = LossLearner(options, case.nominal, ranges, loss, case.n_outputs)
    assert_this_core_equals_this_oracle(case, core, oracle)


@pytest.mark.parametrize("number", range(6))
def test_classes_are_learned_and_predicted_alike_one_row_at_a_time(number: int) -> None:
    case = class_configuration(number)
    blocks, rows = new_core(case), new_core(case)
    assert rows.has_vector_leaves
    in_blocks = learn_in_uneven_blocks(blocks, case)
    for i, x in enumerate(case.X):
        p = rows.predict_proba_one(x)
        assert p == in_blocks[i, : len(p)].tolist()
        rows.learn_one(x, int(case.y[i]), 1.0 if case.w is None else float(case.w[i]))
    ours, theirs = blocks.state(), rows.state()
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name])


@pytest.mark.parametrize("number", range(6))
def test_labels_are_the_classes_of_the_highest_probability(number: int) -> None:
    case = class_configuration(number)
    proba, labels = new_core(case), new_core(case)
    assert proba.has_vector_leaves
    assert labels.has_vector_leaves
    y = case.y.astype(np.int32)
    rank = np.arange(case.n_outputs, dtype=np.int32)[::-1].copy()
    p = proba.learn_predict_proba(case.X, y, case.w, case.n_outputs)
    found = labels.learn_predict_labels(case.X, y, case.w, rank)
    known = p.sum(axis=1) > 0
    assert (found[~known] == -1).all()
    # Of equal probabilities the last class wins: its rank is the lowest.
    last_best = case.n_outputs - 1 - np.argmax(p[known, ::-1], axis=1)
    tied = np.sort(p[known], axis=1)[:, -2:]
    clear = tied[:, 1] - tied[:, 0] > 1e-12
    assert clear.any()
    assert (found[known][clear] == last_best[clear]).all()
