"""Two losses, or a quantile and what it says, on one stream: each is one line of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.losses_on_real_data.measures import (
    mean_absolute_error,
    pinball,
    poisson_deviance,
    running_mean,
    share_below,
)
from benchmarks.losses_on_real_data.streams import Stream, learn
from benchmarks.peers import lightgbm_quantiles
from sgtrees import SGTBoostingRegressor, SGTRegressor, losses

# A deviance is unbounded near 0, where squared error may predict anything: the predictions of both
# losses are raised to this value.
FLOORS = {"fremtpl2_freq": 0.001, "bike_sharing_hour": 0.1}
COVERAGE, TOLERANCE = 0.8, 0.03
QUANTILE_TOLERANCE = 0.02


@dataclass(frozen=True)
class Claim:
    """One line of a table: cells, and whether the expected result holds."""

    cells: tuple[str, ...]
    holds: bool


def absolute_against_squared(stream: Stream) -> Claim:
    squared, absolute = (learn(stream, loss) for loss in ("squared_error", "absolute_error"))
    of_squared, of_absolute = (
        mean_absolute_error(stream.y, run.predictions) for run in (squared, absolute)
    )
    cells = (
        stream.name,
        stream.order,
        f"{len(stream.y):,}",
        f"{of_squared:.4g}",
        f"{of_absolute:.4g}",
        f"{100 * (of_absolute / of_squared - 1):+.1f} %",
        f"{squared.nodes:,} / {absolute.nodes:,}",
    )
    return Claim(cells, of_absolute < of_squared)


def poisson_against_squared(stream: Stream) -> Claim:
    y, weights, floor = stream.y, stream.weights, FLOORS[stream.name]
    constant = poisson_deviance(y, running_mean(y, weights), weights, floor)
    squared, poisson = (learn(stream, loss) for loss in ("squared_error", "poisson"))
    of_squared, of_poisson = (
        poisson_deviance(y, run.predictions, weights, floor) for run in (squared, poisson)
    )
    cells = (
        stream.name,
        stream.order,
        f"{len(y):,}",
        f"{constant:.4f}",
        f"{of_squared:.4f}",
        f"{of_poisson:.4f}",
        f"{squared.nodes:,} / {poisson.nodes:,}",
    )
    return Claim(cells, of_poisson < min(of_squared, constant))


def band(stream: Stream, changed: dict[str, Any]) -> Claim:
    parameters = dict(changed)
    scale = parameters.pop("scale", None)
    low, high = (
        learn(stream, losses.Quantile(alpha=alpha, scale=scale), **parameters)
        for alpha in (0.1, 0.9)
    )
    y = stream.y
    below, above = float(np.mean(y < low.predictions)), float(np.mean(y > high.predictions))
    covered = 1 - below - above
    cells = (
        stream.order,
        ", ".join(f"{name}={value}" for name, value in changed.items()) or "defaults",
        f"{100 * covered:.1f} %",
        f"{100 * below:.1f} %",
        f"{100 * above:.1f} %",
        f"{np.mean(high.predictions - low.predictions):.0f} min",
        f"{pinball(y, low.predictions, 0.1):.3g} / {pinball(y, high.predictions, 0.9):.3g}",
        f"{low.nodes:,} / {high.nodes:,}",
    )
    return Claim(cells, abs(covered - COVERAGE) <= TOLERANCE)


def quantile(stream: Stream, alpha: float, with_peers: bool) -> Claim:
    """Compare the share of rows below a quantile with what it says, and pinball losses."""
    y, loss = stream.y, losses.Quantile(alpha=alpha)
    learned = learn(stream, loss).predictions
    n_fitted = 3 * len(y) // 4
    X, new_X, new_y = stream.X[:n_fitted], stream.X[n_fitted:], y[n_fitted:]
    fitted = {
        "tree": SGTRegressor(loss=loss, random_state=0).fit(X, y[:n_fitted]).predict(new_X),
        "boosting": SGTBoostingRegressor(loss=loss, random_state=0)
        .fit(X, y[:n_fitted])
        .predict(new_X),
    }
    if with_peers:
        fitted["LightGBM"] = lightgbm_quantiles.predict(X, y[:n_fitted], new_X, alpha)
    shares = [share_below(new_y, predictions, alpha) for predictions in fitted.values()]
    share = share_below(y, learned, alpha)
    cells = (
        stream.name,
        stream.order,
        f"{alpha:g}",
        f"{100 * share:.1f} %",
        f"{pinball(y, learned, alpha):.3g}",
        " / ".join(f"{100 * value:.1f} %" for value in shares),
        " / ".join(f"{pinball(new_y, p, alpha):.3g}" for p in fitted.values()),
    )
    of_tree = (share, shares[0])
    return Claim(cells, all(abs(found - alpha) <= QUANTILE_TOLERANCE for found in of_tree))
