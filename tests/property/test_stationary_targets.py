"""Offsets follow targets that do not change, and do not drift away from their best constant."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sgtrees import SGTRegressor
from sgtrees._core import LossLearner, LossSpec, Options

Floats = NDArray[np.float64]

RATES = (*SGTRegressor().following_rates, 1.0)
WARM_UP = 500
EVERY = 13
N_ROWS = 13_000


def scores_on_the_way(loss: str, y: Floats, rate: float, **parameters: float) -> Floats:
    """Value and offset of a leaf that never changes, at every 13th row of the second half."""
    options = Options(
        warm_up=WARM_UP, grace_period=10**6, kept_rows=0, following_rates=[rate], n_bins=2
    )
    core = LossLearner(options, [False], None, LossSpec.built_in(loss, parameters), 1)
    X = np.zeros((len(y), 1))
    half = len(y) // 2
    core.learn(X[:half], y[:half], None)
    scores = []
    for begin in range(half, len(y), EVERY):
        rows = slice(begin, begin + EVERY)
        core.learn(X[rows], y[rows], None)
        state = core.state()
        scores.append(float(state["tree0/nodes/value"][0] + state["tree0/offsets/now"][0]))
    return np.array(scores)


def targets(kind: str) -> Floats:
    random = np.random.default_rng(17)
    drawn = {
        "normal": random.normal(5.0, 2.0, N_ROWS),
        "exponential": random.exponential(1.0, N_ROWS),
        "rare counts": random.poisson(0.05, N_ROWS).astype(np.float64),
        "counts": random.poisson(4.0, N_ROWS).astype(np.float64),
        "sizes": random.gamma(0.5, 2.0, N_ROWS) + 1e-6,
        "labels": (random.random(N_ROWS) < 0.2).astype(np.float64),
    }
    return drawn[kind]


every_rate = pytest.mark.parametrize("rate", RATES)


@every_rate
@pytest.mark.parametrize("loss", ["squared_error", "huber", "log_cosh", "absolute_error"])
def test_a_centre_stays_in_the_middle_of_a_normal_distribution(loss: str, rate: float) -> None:
    scores = scores_on_the_way(loss, targets("normal"), rate)
    assert scores.mean() == pytest.approx(5.0, abs=0.2)


@every_rate
@pytest.mark.parametrize("kind", ["normal", "exponential"])
@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_a_quantile_covers_its_share(alpha: float, kind: str, rate: float) -> None:
    y = targets(kind)
    scores = scores_on_the_way("quantile", y, rate, alpha=alpha)
    covered = np.searchsorted(np.sort(y), scores, side="right") / len(y)
    assert covered.mean() == pytest.approx(alpha, abs=0.03)


@every_rate
@pytest.mark.parametrize(
    ("loss", "kind"),
    [
        ("poisson", "counts"),
        ("poisson", "rare counts"),
        ("gamma", "sizes"),
        ("tweedie", "counts"),
        ("tweedie", "rare counts"),
    ],
)
def test_a_mean_above_0_stays_where_it_is(loss: str, kind: str, rate: float) -> None:
    y = targets(kind)
    means = np.exp(scores_on_the_way(loss, y, rate))
    # At a rate of 1 the mean is that of the latest row.
    assert means.mean() == pytest.approx(y.mean(), rel=0.25)


@every_rate
@pytest.mark.parametrize(("loss", "times"), [("log_loss", 1.0), ("exponential", 2.0)])
def test_a_probability_stays_where_it_is(loss: str, times: float, rate: float) -> None:
    raw = times * scores_on_the_way(loss, targets("labels"), rate)
    assert (1 / (1 + np.exp(-raw))).mean() == pytest.approx(0.2, abs=0.08)


@every_rate
def test_focal_stays_where_its_gradients_are_in_balance(rate: float) -> None:
    y = targets("labels")
    best = scores_on_the_way("focal", y, 1e-9)[-1]
    scores = scores_on_the_way("focal", y, rate)
    assert scores.mean() == pytest.approx(best, abs=0.8)
