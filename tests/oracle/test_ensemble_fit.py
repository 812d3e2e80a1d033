"""``fit`` of boosting: members learn in turn; rows set aside say how many of them to use."""

from __future__ import annotations

import copy
import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from sgtrees import (
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTForestClassifier,
    SGTForestRegressor,
)
from sgtrees.estimators.base import StreamEstimator
from sgtrees.estimators.early_stopping import StageValidation
from sgtrees.losses import Quantile
from sgtrees.models.stagewise_rows import StagewiseRows
from tests.oracle.comparison import (
    Floats,
    allowed,
    core_predictions,
    difference_of_trees,
    oracle_predictions,
    spread_of,
)
from tests.oracle.configurations import Configuration
from tests.oracle.ensembles import EnsembleSettings
from tests.oracle.test_ensembles import new_oracle
from tests.oracle.test_replacement import NOMINAL, changing_rows

Rows = list[tuple[Floats, Any, float]]

SMALL: dict[str, Any] = {
    "n_estimators": 4,
    "warm_up": 50,
    "n_bins": 16,
    "epochs": 3,
    "random_state": 3,
    "following_rates": (0.1, 0.5),
    "categorical_features": NOMINAL,
}
N_ROWS = 400
OTHER_LOSSES = ("exponential", "focal", "huber", "poisson")
CLASSIFIED = ("binary", "exponential", "focal", "multi-class", "vector", "labels")


def rows_of_task(task: str) -> tuple[Floats, Any, Floats]:
    X, signal, w = changing_rows(len(task), N_ROWS + 100)
    w = w + 0.5
    if task in ("binary", "exponential", "focal"):
        return X, (signal > np.median(signal)).astype(int), w
    if task in ("multi-class", "vector"):
        return X, np.digitize(signal, np.quantile(signal, [0.3, 0.7])), w
    if task == "labels":
        return X, np.column_stack([signal > np.median(signal), X[:, 1] > 0.3]).astype(int), w
    return X, np.column_stack([signal, signal**2]) if task == "targets" else signal, w


def model_of(task: str, **more: Any) -> Any:
    kind = SGTBoostingClassifier if task in CLASSIFIED else SGTBoostingRegressor
    loss: dict[str, Any] = {"loss": task} if task in OTHER_LOSSES else {}
    if task == "quantile":
        # Each row once, without draws: of equal residuals the rounding would decide which comes
        # first.
        loss = {"loss": Quantile(alpha=0.2), "poisson_mean": 0.0, "epochs": 1}
    form = {"multiclass": "vector" if task == "vector" else "committee"}
    return kind(**SMALL | loss | (form if kind is SGTBoostingClassifier else {}) | more)


class Fit:
    """What an estimator's ``fit`` has learned, in which order, and what it has set aside."""

    def __init__(self, model: Any, X: Floats, y: Any, w: Floats) -> None:
        self.stages: list[list[list[int]]] = []
        """The orders of each stage, by places among the rows to learn."""
        self.chosen: Any = None
        with pytest.MonkeyPatch.context() as patch:
            fit, collect = StreamEstimator._fit, StagewiseRows.__init__
            learn, judge = StagewiseRows.learn_stage, StageValidation.__init__

            def noted(estimator: Any, batch: Any, orders: Any, validation: Any = None) -> None:
                self.batch, self.orders, self.validation = batch, orders, validation
                fit(estimator, batch, orders, validation)

            def noted_rows(rows: Any, batch: Any, chosen: Any) -> None:
                self.batch, self.chosen = batch, chosen
                collect(rows, batch, chosen)

            def noted_stage(rows: Any, orders: Any) -> None:
                of_stage = list(orders)
                self.stages.append([order.tolist() for order in of_stage])
                learn(rows, of_stage)

            def noted_validation(validation: Any, rows: Any, patience: int) -> None:
                self.validation = validation
                judge(validation, rows, patience)

            patch.setattr(StreamEstimator, "_fit", noted)
            patch.setattr(StagewiseRows, "__init__", noted_rows)
            patch.setattr(StagewiseRows, "learn_stage", noted_stage)
            patch.setattr(StageValidation, "__init__", noted_validation)
            model.fit(X, y, sample_weight=w)
        self.model = model

    def rows(self, order: Any) -> Rows:
        return rows_of(self.batch if order is None else self.batch[order])

    def rows_set_aside(self) -> Rows:
        return rows_of(self.validation._rows)


def rows_of(batch: Any) -> Rows:
    block = np.asarray(batch.block, dtype=np.float64)
    return list(zip(block, np.asarray(batch.y, np.float64), batch.weights.tolist(), strict=True))


def case_of(task: str, fit: Fit) -> Configuration:
    options = fit.model.model_.options
    names = [field.name for field in dataclasses.fields(EnsembleSettings)]
    settings = EnsembleSettings(**{name: options[name] for name in names})
    rows = fit.rows(None)
    X, y = np.array([x for x, _, _ in rows]), np.array([y for _, y, _ in rows])
    w = np.array([w for _, _, w in rows])
    loss = {"labels": "log_loss"}.get(task, "squared_error")
    kind = {"labels": "targets", "binary": "binary", "targets": "targets"}.get(task, task)
    if task in (*OTHER_LOSSES, "quantile"):
        loss, kind = task, "regression"
    parameters = {"alpha": 0.2} if task == "quantile" else {}
    return Configuration(task, kind, settings, NOMINAL, None, X, y, w, X[::7], loss, parameters)


def assert_equal(case: Configuration, fit: Fit, oracle: Any) -> None:
    core = fit.model.model_.learner
    assert difference_of_trees(oracle, core, spread_of(case)) is None
    expected = oracle_predictions(oracle, case.probes, case.n_outputs)
    found = core_predictions(core, case.probes, case.n_outputs)
    assert (np.abs(expected - found) <= allowed(expected, spread_of(case))).all()


def assert_goes_on_equally(case: Configuration, fit: Fit, oracle: Any, task: str) -> None:
    """Rows of a stream after ``fit``: these are followed again."""
    X, y, w = rows_of_task(task)
    batch = fit.model.prepare(X[N_ROWS:], y[N_ROWS:], w[N_ROWS:])
    for row in rows_of(batch):
        oracle.learn(*row)
    batch.commit()
    batch.learn()
    assert_equal(case, fit, oracle)


each_task = pytest.mark.parametrize(
    "task",
    [
        "regression",
        "huber",
        "quantile",
        "targets",
        "binary",
        "exponential",
        "focal",
        "multi-class",
        "vector",
        "labels",
    ],
)


def learned_in_stages(case: Configuration, fit: Fit) -> Any:
    oracle: Any = new_oracle(case)
    oracle.begin_stages(fit.rows(fit.chosen))
    for orders in fit.stages:
        oracle.learn_stage(orders)
    oracle.end_stages()
    return oracle


@each_task
def test_members_learn_all_rows_in_turn_and_a_stream_after_that_together(task: str) -> None:
    X, y, w = (part[:N_ROWS] for part in rows_of_task(task))
    fit = Fit(model_of(task), X, y, w)
    case = case_of(task, fit)
    oracle = learned_in_stages(case, fit)
    assert [len(orders) for orders in fit.stages] == [fit.model.epochs] * 4
    assert_equal(case, fit, oracle)
    assert fit.model.n_members_in_use_ == oracle.n_in_use == 4
    assert not fit.model.drifts_
    assert_goes_on_equally(case, fit, oracle, task)


@each_task
def test_rows_set_aside_choose_the_members(task: str) -> None:
    X, y, w = (part[:N_ROWS] for part in rows_of_task(task))
    more = {"n_iter_no_change": 2, "validation_fraction": 0.2, "learning_rate": 1.0}
    fit = Fit(model_of(task, **more), X, y, w)
    case = case_of(task, fit)
    oracle = learned_in_stages(case, fit)
    losses = oracle.losses_of_members(fit.rows_set_aside())[: len(fit.stages)]
    assert fit.model.validation_losses_ == pytest.approx(losses, rel=1e-9)
    oracle.judge_members(losses + [2.0 * abs(max(losses)) + 1.0] * (4 - len(losses)))
    assert fit.model.n_members_in_use_ == oracle.n_in_use
    assert_equal(case, fit, oracle)
    assert_goes_on_equally(case, fit, oracle, task)


@pytest.mark.parametrize("task", ["regression", "multi-class", "vector"])
def test_ranges_that_are_given_need_no_warm_up(task: str) -> None:
    X, y, w = (part[:N_ROWS] for part in rows_of_task(task))
    ranges = [None if nominal else (-0.5, 1.5) for nominal in NOMINAL]
    given = {column: ends for column, ends in enumerate(ranges) if ends is not None}
    fit = Fit(model_of(task, feature_ranges=given), X, y, w)
    case = dataclasses.replace(case_of(task, fit), ranges=ranges)
    oracle = learned_in_stages(case, fit)
    assert_equal(case, fit, oracle)
    assert_goes_on_equally(case, fit, oracle, task)


@pytest.mark.parametrize("task", ["regression", "binary", "vector"])
def test_in_rounds_members_learn_together_in_passes(task: str) -> None:
    X, y, w = (part[:N_ROWS] for part in rows_of_task(task))
    fit = Fit(model_of(task, round_rows=40), X, y, w)
    case = case_of(task, fit)
    oracle: Any = new_oracle(case)
    for order in fit.orders:
        oracle.learn_pass(fit.rows(order))
    assert not fit.stages
    assert_equal(case, fit, oracle)
    assert_goes_on_equally(case, fit, oracle, task)


@pytest.mark.parametrize("task", ["regression", "binary"])
def test_in_rounds_rows_set_aside_choose_the_members_and_the_pass(task: str) -> None:
    X, y, w = (part[:N_ROWS] for part in rows_of_task(task))
    more = {"n_iter_no_change": 3, "validation_fraction": 0.2, "learning_rate": 1.0}
    fit = Fit(model_of(task, round_rows=40, **more), X, y, w)
    case = case_of(task, fit)
    oracle: Any = new_oracle(case)
    aside, least, best = fit.rows_set_aside(), math.inf, oracle
    for loss, order in zip(fit.model.validation_losses_, fit.orders, strict=True):
        oracle.learn_pass(fit.rows(order))
        losses = oracle.losses_of_members(aside)
        oracle.judge_members(losses)
        assert loss == pytest.approx(min(losses), rel=1e-9)
        if min(losses) < least:
            least, best = min(losses), copy.deepcopy(oracle)
    assert fit.model.n_members_in_use_ == best.n_in_use
    assert_equal(case, fit, best)
    assert_goes_on_equally(case, fit, best, task)


def test_fewer_members_than_there_are_may_be_chosen() -> None:
    """Otherwise the test above would compare nothing but the first choice."""
    X, y, w = (part[:N_ROWS] for part in rows_of_task("regression"))
    model = model_of("regression", n_iter_no_change=3, learning_rate=1.0, n_estimators=8)
    noise = 3.0 * np.random.default_rng(0).normal(size=N_ROWS)
    assert 1 <= model.fit(X, y + noise, sample_weight=w).n_members_in_use_ < 8


def assert_fit_of_a_forest_equals(task: str, kind: type[Any]) -> Any:
    """Compare a fitted forest with the oracle, and in the stream after it; return the oracle."""
    X, y, w = (part[:N_ROWS] for part in rows_of_task(task))
    fit = Fit(kind(**SMALL), X, y, w)
    case = case_of(task, fit)
    oracle: Any = new_oracle(case)
    for order in fit.orders:
        oracle.learn_pass(fit.rows(order))
    assert_equal(case, fit, oracle)
    assert_goes_on_equally(case, fit, oracle, task)
    return oracle


def test_fit_of_a_forest_follows_no_rows_either() -> None:
    assert_fit_of_a_forest_equals("regression", SGTForestRegressor)


def test_a_forest_that_has_been_fitted_is_not_calibrated() -> None:
    """Rows that come again would seem to be told too well, in a stream after it too."""
    assert assert_fit_of_a_forest_equals("binary", SGTForestClassifier).factor == 1.0
