"""Ensembles: the core predicts what the oracle's members predict together, by the same trees."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.oracle.comparison import (
    Core,
    Oracles,
    assert_this_core_equals_this_oracle,
    new_core,
)
from tests.oracle.configurations import (
    DEFAULTS,
    Configuration,
    about_zero,
    by_first_appearance,
    configuration,
    first_rows,
    loss_configuration,
)
from tests.oracle.ensembles import (
    EnsembleClassifier,
    EnsembleOfTargets,
    EnsembleRegressor,
    EnsembleSettings,
    EnsembleVectorClassifier,
)
from tests.oracle.oracle import Settings
from tests.oracle.real_data import real
from tests.oracle.test_replacement import NOMINAL, changing_rows
from tests.oracle.vector_configurations import (
    class_configuration,
    label_configuration,
    target_configuration,
)

RATES = ((0.02, 0.3), (), (0.1,))
DELAYS = (0, 0, 0, 7)
COPIES = (1.0, 0.0, 0.5, 6.0)


def ensemble(case: Configuration, number: int, combination: str) -> Configuration:
    """Settings in turn, so that every kind of stream meets every one of them.

    reg_lambda is above 0: elsewhere rounding errors grow with each row.
    """
    case = first_rows(about_zero(case), 600)
    settings = EnsembleSettings(
        **dataclasses.asdict(
            replace(
                case.settings,
                reg_lambda=max(case.settings.reg_lambda, 0.01),
                following_rates=RATES[number % len(RATES)],
                label_delay=DELAYS[number // 2 % len(DELAYS)],
            )
        ),
        combination=combination,
        n_estimators=1 + number % 4,
        learning_rate=(0.1, 0.5, 1.0)[number // 3 % 3],
        mean_copies=COPIES[number // 2 % len(COPIES)],
        feature_share=(1.0, 0.6)[number // 4 % 2],
        seed=number,
        replaces_on_drift=number % 2 == 0,
    )
    return replace(case, name=f"{combination}, {case.name}", settings=settings)


new_oracle = Oracles(
    EnsembleClassifier, EnsembleVectorClassifier, EnsembleOfTargets, EnsembleRegressor
).of


def assert_same(case: Configuration) -> tuple[Core, Any]:
    """Both have learned the stream then."""
    core, oracle = new_core(case), new_oracle(case)
    assert_this_core_equals_this_oracle(case, core, oracle)
    return core, oracle


COMBINATIONS = ["boosting", "averaging", "choosing"]
each_combination = pytest.mark.parametrize("combination", COMBINATIONS)
long = pytest.mark.long


def numbers_in_turn(n: int, combinations: Sequence[str] = COMBINATIONS) -> pytest.MarkDecorator:
    """Each number with one of the combinations; with the others in the long tests.

    Settings come in periods of 2, 3 and 4. The turn moves on at every third number, so that no
    combination meets the same ones again and again.
    """
    cases = [
        pytest.param(
            number,
            combination,
            marks=() if (number + number // 3) % len(combinations) == place else long,
        )
        for number in range(n)
        for place, combination in enumerate(combinations)
    ]
    return pytest.mark.parametrize(("number", "combination"), cases)


@numbers_in_turn(12)
def test_on_random_streams(number: int, combination: str) -> None:
    assert_same(ensemble(configuration(number), number, combination))


@numbers_in_turn(11)
def test_under_every_loss(number: int, combination: str) -> None:
    assert_same(ensemble(loss_configuration(number), number, combination))


@numbers_in_turn(8, ["boosting", "averaging"])
def test_with_vectors_of_classes(number: int, combination: str) -> None:
    assert_same(ensemble(class_configuration(number), number, combination))


@numbers_in_turn(8)
def test_with_several_targets(number: int, combination: str) -> None:
    assert_same(ensemble(target_configuration(number), number, combination))


@numbers_in_turn(4)
def test_with_several_labels(number: int, combination: str) -> None:
    assert_same(ensemble(label_configuration(number), number, combination))


# --------------------------------------------------------------------------------------------------
# Streams that change
# --------------------------------------------------------------------------------------------------

N_ROWS = 1800
QUICK = Settings(
    n_bins=16, warm_up=100, grace_period=25, grace_growth=0.5, delta=0.05, kept_rows=100
)


def changing(task: str, seed: int, n_rows: int = N_ROWS, **more: Any) -> Configuration:
    """Weights in every second stream; classes that come with the change in the others."""
    X, signal, w = changing_rows(seed, n_rows)
    y = signal
    if task in ("binary", "multi-class", "vector"):
        cuts = [0.5] if task == "binary" else [0.35, 0.7, 0.97]
        y = by_first_appearance(np.digitize(signal, np.quantile(signal, cuts)) * 1.0, w > 0)
    elif task == "targets":
        y = np.column_stack([signal, signal**2])
    settings = EnsembleSettings(**{**dataclasses.asdict(QUICK), "seed": seed, **more})
    return Configuration(f"{task} {seed}", task, settings, NOMINAL, None, X, y, w, X[::20])


def events_of(oracle: Any) -> list[tuple[str, int]]:
    """Of all members, in the order of their rows."""
    events = [event for member in oracle.members for event in member.judge.events]
    return sorted(events, key=lambda event: event[1])


STILL: tuple[float, ...] = ()
FOLLOWING = (0.02, 0.3)


@pytest.mark.parametrize(
    ("combination", "task", "rates"),
    [
        ("averaging", "regression", STILL),
        pytest.param("averaging", "regression", FOLLOWING, marks=long),
        pytest.param("averaging", "targets", STILL, marks=long),
        ("averaging", "targets", FOLLOWING),
        ("averaging", "binary", STILL),
        pytest.param("averaging", "binary", FOLLOWING, marks=long),
        pytest.param("averaging", "multi-class", STILL, marks=long),
        ("averaging", "multi-class", FOLLOWING),
        ("averaging", "vector", STILL),
        pytest.param("averaging", "vector", FOLLOWING, marks=long),
        pytest.param("choosing", "regression", STILL, marks=long),
        ("choosing", "regression", FOLLOWING),
        ("choosing", "multi-class", STILL),
        pytest.param("choosing", "multi-class", FOLLOWING, marks=long),
    ],
    ids=lambda value: {STILL: "still", FOLLOWING: "following"}.get(value, value),
)
def test_members_are_replaced_each_for_itself(
    combination: str, task: str, rates: tuple[float, ...]
) -> None:
    found = []
    for seed in range(2):
        case = changing(
            task,
            seed,
            combination=combination,
            mean_copies=1.0,
            replaces_on_drift=True,
            following_rates=rates,
        )
        core, oracle = assert_same(case)
        assert [event[:2] for event in core.drifts] == events_of(oracle)
        for m, member in enumerate(oracle.members):
            units = core.state()[f"member{m}/drift/units"].tolist()
            expected = [unit.unit for unit in member.units.values()] or [0.0] * len(units)
            np.testing.assert_allclose(units, expected, rtol=1e-9)
        found += [kind for kind, _ in events_of(oracle)]
    assert "alarm" in found
    if not rates:
        assert "replaced" in found


@pytest.mark.parametrize("task", ["regression", "targets", "binary", "multi-class", "vector"])
def test_a_boosted_member_that_does_harm_begins_anew(task: str) -> None:
    found = []
    for seed in range(2):
        case = changing(
            task,
            seed,
            learning_rate=1.0,
            mean_copies=1.0,
            n_estimators=4,
            following_rates=(0.3,),
            replaces_on_drift=True,
        )
        core, oracle = assert_same(case)
        assert [event[:2] for event in core.drifts] == events_of(oracle)
        found += events_of(oracle)
        assert not oracle.members[0].judge.events
    assert {kind for kind, _ in found} == {"harm"}


@pytest.mark.parametrize("combination", ["boosting", "averaging"])
@pytest.mark.parametrize("task", ["binary", "multi-class", "vector"])
def test_classes_are_calibrated(task: str, combination: str) -> None:
    """With weights, rows of weight 0, and classes that come late; the factor is not always 1."""
    factors = []
    for seed in range(2):
        case = changing(task, seed, n_rows=900, combination=combination, mean_copies=1.0)
        core, oracle = assert_same(case)
        share = case.settings.learning_rate if combination == "boosting" else 1 / 3
        in_use = [core.tree_shrinkage(t) for t in range(core.n_trees) if core.tree_shrinkage(t) > 0]
        np.testing.assert_allclose(in_use, oracle.factor * share, rtol=1e-12)
        np.testing.assert_allclose(core.state()["calibration/sums"], oracle.calibration.sums)
        factors.append(oracle.factor)
    assert set(factors) != {1.0}


@pytest.mark.parametrize(
    ("task", "combination", "members", "calibrates"),
    [
        ("targets", "averaging", 3, True),
        ("binary", "choosing", 2, True),
        ("binary", "averaging", 1, True),
        ("binary", "averaging", 3, False),
        ("vector", "boosting", 3, False),
    ],
)
def test_other_ensembles_are_not(
    task: str, combination: str, members: int, calibrates: bool
) -> None:
    settings = {"combination": combination, "n_estimators": members, "calibrates": calibrates}
    case = changing(task, 0, n_rows=600, **settings)
    core, oracle = assert_same(case)
    assert oracle.factor == 1.0
    assert "calibration/sums" not in core.state()


# --------------------------------------------------------------------------------------------------
# Rounds, ranges that adapt, real rows
# --------------------------------------------------------------------------------------------------


def in_rounds(number: int, combination: str) -> Configuration:
    make = (configuration, loss_configuration, class_configuration)[number % 3]
    case = ensemble(make(number), number, combination)
    return replace(case, settings=replace(case.settings, round_rows=(7, 64, 300)[number // 3]))


@numbers_in_turn(9, ["boosting", "averaging"])
def test_in_rounds(number: int, combination: str) -> None:
    assert_same(in_rounds(number, combination))


@pytest.mark.parametrize("combination", ["boosting", "averaging"])
@pytest.mark.parametrize("task", ["multi-class", "vector"])
def test_in_rounds_that_begin_with_one_class(task: str, combination: str) -> None:
    """There are no trees then, but rows that count where the second class starts."""
    case = changing(task, 0, n_rows=600, combination=combination, mean_copies=1.0, round_rows=7)
    y = np.concatenate([np.zeros(20), case.y[20:]])
    y = by_first_appearance(y, np.ones(len(y), np.bool_))
    assert_same(replace(case, y=y, ranges=[(0.0, 1.0), (0.0, 1.0), None]))


@pytest.mark.parametrize("combination", ["boosting", "averaging"])
def test_in_rounds_of_automatic_size(combination: str) -> None:
    """Rows are learned one after the other at first: there the race is run."""
    case = changing(
        "regression",
        0,
        n_rows=4500,
        combination=combination,
        mean_copies=1.0,
        round_rows=0,
        kept_rows=0,
        grace_period=100,
        grace_growth=0.0,
        delta=1.0,
        gamma=0.0,
    )
    _, oracle = assert_same(case)
    assert oracle.is_frozen


@each_combination
@pytest.mark.parametrize("task", ["regression", "multi-class"])
def test_with_ranges_that_adapt(task: str, combination: str) -> None:
    """The bins of trees in the background are laid anew too."""
    case = changing(
        task,
        0,
        combination=combination,
        mean_copies=1.0,
        replaces_on_drift=True,
        adaptive_ranges=True,
        warm_up=50,
    )
    case.X[len(case.X) // 3 :, :2] += 3.0
    _, oracle = assert_same(case)
    assert oracle.n_range_updates > 0


@pytest.mark.parametrize(
    ("name", "task", "combination"),
    [
        ("covtype", "multi-class", "boosting"),
        ("covtype", "multi-class", "averaging"),
        ("kdd99_10pct", "multi-class", "choosing"),
        ("kdd99_10pct", "vector", "boosting"),
        ("elec2", "binary", "boosting"),
        ("elec2", "binary", "averaging"),
        ("elec2", "binary", "choosing"),
        ("airline_nyc_2013", "regression", "boosting"),
        ("airline_nyc_2013", "regression", "choosing"),
    ],
)
def test_on_real_data_in_file_order(name: str, task: str, combination: str) -> None:
    settings = EnsembleSettings(
        **dataclasses.asdict(replace(DEFAULTS, following_rates=(0.01, 0.3))),
        combination=combination,
        n_estimators=3,
        learning_rate=0.3,
        mean_copies=1.0,
        replaces_on_drift=True,
    )
    assert_same(real(name, task, 1_500, settings))


# --------------------------------------------------------------------------------------------------
# The oracle itself
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mean", [0.5, 1.0, 6.0])
def test_copies_are_poisson_numbers_and_members_draw_their_own(mean: float) -> None:
    settings = EnsembleSettings(mean_copies=mean, seed=3)
    one, other = (np.array([settings.copies(row, m) for row in range(20_000)]) for m in (0, 1))
    for drawn in (one, other):
        assert abs(drawn.mean() - mean) < 4 * np.sqrt(mean / len(drawn))
        assert abs(drawn.var() - mean) < 0.1 * mean
        assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.03
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.03


def test_members_draw_features_by_their_share() -> None:
    settings = EnsembleSettings(feature_share=0.6, seed=3)
    drawn = np.array([[settings.may_split_on(f, m) for f in range(500)] for m in range(20)])
    assert abs(drawn.mean() - 0.6) < 0.03
    assert 0.5 < drawn.mean(axis=1).min() < drawn.mean(axis=1).max() < 0.7
