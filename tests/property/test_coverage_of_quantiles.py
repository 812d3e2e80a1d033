"""Quantiles cover what they say, on rows that come from one distribution."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sgtrees import SGTRegressor, losses

Floats = NDArray[np.float64]

N_ROWS = 12_000
ALPHAS = (0.05, 0.1, 0.5, 0.9)
KINDS = ("noise", "lognormal noise", "normal", "exponential", "skewed", "narrow and wide", "zeros")


def drawn(kind: str) -> tuple[Floats, Floats]:
    random = np.random.default_rng(3)
    X = random.uniform(size=(N_ROWS, 4))
    level = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 10 * X[:, 2]
    e = random.normal(size=N_ROWS)
    targets = {
        "noise": e,
        "lognormal noise": np.exp(1.5 * e),
        "normal": level + 3 * e,
        "exponential": level + random.exponential(3.0, N_ROWS),
        "skewed": np.exp(level / 8 + 0.5 * e),
        # Leaves of two widths, of which one is far below the spread of all targets.
        "narrow and wide": np.floor(4 * X[:, 0]) * 10 + np.where(X[:, 1] > 0.5, 0.1, 5.0) * e,
        # A part is constant.
        "zeros": np.where(
            random.random(N_ROWS) < 0.8 * X[:, 0], 0.0, random.exponential(5, N_ROWS)
        ),
    }
    return X, targets[kind]


def miss(y: Floats, predictions: Floats, alpha: float) -> float:
    """By how much the share below a quantile is off; a target on the edge is on both sides."""
    edge = 0.002 * np.mean(np.abs(y - np.median(y)))
    below, at_or_below = np.mean(y < predictions - edge), np.mean(y <= predictions + edge)
    return float(alpha - np.clip(alpha, below, at_or_below))


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_quantile_covers_its_share_of_the_rows_to_come(kind: str, alpha: float) -> None:
    X, y = drawn(kind)
    predictions = SGTRegressor(loss=losses.Quantile(alpha=alpha)).learn_predict(X, y)
    assert miss(y[500:], predictions[500:], alpha) == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("alpha", [0.1, 0.9])
@pytest.mark.parametrize("kind", KINDS)
def test_without_following_the_leaves_themselves_cover_it(kind: str, alpha: float) -> None:
    X, y = drawn(kind)
    model = SGTRegressor(loss=losses.Quantile(alpha=alpha), following_rates=(), on_drift="ignore")
    predictions = model.learn_predict(X, y)
    assert miss(y[500:], predictions[500:], alpha) == pytest.approx(0.0, abs=0.03)


@pytest.mark.parametrize("alpha", [0.1, 0.9])
@pytest.mark.parametrize("kind", KINDS)
def test_a_fitted_quantile_covers_its_share_of_new_rows(kind: str, alpha: float) -> None:
    X, y = drawn(kind)
    n = 3 * N_ROWS // 4
    model = SGTRegressor(loss=losses.Quantile(alpha=alpha), random_state=0).fit(X[:n], y[:n])
    assert miss(y[n:], model.predict(X[n:]), alpha) == pytest.approx(0.0, abs=0.035)
