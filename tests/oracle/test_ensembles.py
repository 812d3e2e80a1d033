"""Ensembles: the core predicts what the oracle's members predict together, by the same trees."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sgtrees._core import ClassLearner, LossLearner, LossSpec, Options
from tests.oracle.configurations import (
    OF_CLASSES,
    OF_POSITIVE_TARGETS,
    Configuration,
    by_first_appearance,
    configuration,
    loss_configuration,
)
from tests.oracle.ensembles import (
    Ensemble,
    EnsembleClassifier,
    EnsembleOfTargets,
    EnsembleRegressor,
    EnsembleSettings,
    EnsembleVectorClassifier,
)
from tests.oracle.losses import LOSSES
from tests.oracle.test_core_equals_oracle import (
    Oracle,
    assert_this_core_equals_this_oracle,
    new_core,
)
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

    Targets are moved to 0, and reg_lambda is above 0: elsewhere rounding errors grow with each row.
    """
    if not case.is_classification and case.loss not in OF_CLASSES + OF_POSITIVE_TARGETS:
        case = replace(case, y=case.y - np.median(case.y, axis=0))
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
        seed=number,
    )
    return replace(case, name=f"{combination}, {case.name}", settings=settings)


def new_oracle(case: Configuration) -> Oracle:
    if case.task == "vector":
        return EnsembleVectorClassifier(case.settings, case.nominal, case.ranges)
    if case.is_classification:
        return EnsembleClassifier(case.settings, case.nominal, case.ranges)
    losses = [LOSSES[case.loss](**case.parameters) for _ in range(case.n_outputs)]
    if case.task == "targets":
        return EnsembleOfTargets(case.settings, case.nominal, case.ranges, losses)
    return EnsembleRegressor(case.settings, case.nominal, case.ranges, losses[0])


def assert_same(case: Configuration) -> Any:
    oracle = new_oracle(case)
    assert_this_core_equals_this_oracle(case, new_core(case), oracle)
    return oracle


each_combination = pytest.mark.parametrize("combination", ["boosting", "averaging", "choosing"])


@each_combination
@pytest.mark.parametrize("number", range(24))
def test_on_random_streams(number: int, combination: str) -> None:
    assert_same(ensemble(configuration(number), number, combination))


@each_combination
@pytest.mark.parametrize("number", range(22))
def test_under_every_loss(number: int, combination: str) -> None:
    assert_same(ensemble(loss_configuration(number), number, combination))


@pytest.mark.parametrize("number", range(12))
def test_with_vectors_of_classes(number: int) -> None:
    assert_same(ensemble(class_configuration(number), number, "averaging"))


@each_combination
@pytest.mark.parametrize("number", range(8))
def test_with_several_targets(number: int, combination: str) -> None:
    assert_same(ensemble(target_configuration(number), number, combination))


@each_combination
@pytest.mark.parametrize("number", range(4))
def test_with_several_labels(number: int, combination: str) -> None:
    assert_same(ensemble(label_configuration(number), number, combination))
