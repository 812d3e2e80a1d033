"""Losses on real data: `python -m benchmarks.losses_on_real_data` writes a page of docs/.

Test-then-train over all rows: every row is predicted before it is learned, the first ones by the
best constant so far. Each stream runs in the order of its file and shuffled with several seeds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets, machine
from benchmarks.isolation import ROOT
from benchmarks.peers import lightgbm_quantiles
from benchmarks.report import markdown_table
from sgtrees import SGTBoostingRegressor, SGTRegressor, losses
from sgtrees_experiments.absent import AbsentError

Floats = NDArray[np.float64]

PAGE = ROOT / "docs" / "losses_on_real_data.md"
SHUFFLES = (0, 1, 2, 3, 4)
# A deviance is unbounded near 0, where squared error may predict anything: the predictions of both
# losses are raised to this value.
FLOORS = {"fremtpl2_freq": 0.001, "bike_sharing_hour": 0.1}
COVERAGE, TOLERANCE = 0.8, 0.03
QUANTILE_TOLERANCE = 0.02
# For the bands: in all orders, and what else was tried in the order of time.
OPTIONS: list[dict[str, Any]] = [{}, {"gamma": 100}, {"gamma": 100, "reg_lambda": 0.01}]
TRIED: list[dict[str, Any]] = [
    {"grace_period": 1000},
    {"grace_period": 5000},
    {"delta": 1e-4},
    {"delta": 1e-20},
    {"reg_lambda": 0.01},
    {"reg_lambda": 1.0},
    {"binning": "quantile"},
    {"scale": 20},
    {"gamma": 20},
    {"gamma": 400},
]


@dataclass(frozen=True)
class Stream:
    """Rows in one order; weights are exposures."""

    name: str
    order: str
    X: Any
    y: Floats
    weights: Floats | None


@dataclass(frozen=True)
class Claim:
    """One line of a table: cells, and whether the expected result holds."""

    cells: tuple[str, ...]
    holds: bool


@dataclass(frozen=True)
class Run:
    """One model over one stream."""

    predictions: Floats
    nodes: int
    seconds: float


# ---- streams and runs ----------------------------------------------------------------------------


def streams(name: str, rows: int | None, seeds: Sequence[int]) -> Iterator[Stream]:
    """Yield a data set in the order of its file, then shuffled with each seed."""
    table = datasets.frame(name)
    weights = None
    if "Exposure" in table:
        weights = table.pop("Exposure").to_numpy(dtype=np.float64)
    y = table.pop("target").to_numpy(dtype=np.float64)
    for seed in (None, *seeds):
        order = (
            np.arange(len(y)) if seed is None else np.random.default_rng(seed).permutation(len(y))
        )
        order = order[:rows]
        yield Stream(
            name,
            "file" if seed is None else f"shuffled, seed {seed}",
            table.iloc[order].reset_index(drop=True),
            y[order],
            None if weights is None else weights[order],
        )


def learn(stream: Stream, loss: Any, **parameters: Any) -> Run:
    model = SGTRegressor(loss=loss, **parameters)
    began = time.process_time()
    predictions = model.learn_predict(stream.X, stream.y, sample_weight=stream.weights)
    seconds = time.process_time() - began
    print(
        f"  {stream.name}, {stream.order}: {loss} in {seconds:.1f} s", file=sys.stderr, flush=True
    )
    return Run(predictions, model.n_nodes_, seconds)


# ---- measures ------------------------------------------------------------------------------------


def mean_absolute_error(y: Floats, predictions: Floats) -> float:
    return float(np.mean(np.abs(predictions - y)))


def poisson_deviance(y: Floats, means: Floats, weights: Floats | None, floor: float) -> float:
    """Return the weighted mean deviance, with means of at least ``floor``."""
    means = np.maximum(means, floor)
    logs = y * np.log(np.where(y > 0, y, 1.0) / means)
    return float(np.average(2 * (logs - y + means), weights=weights))


def running_mean(y: Floats, weights: Floats | None) -> Floats:
    """Return the weighted mean of the rows before each; 1 before the first, as for raw = 0."""
    w = np.ones(len(y)) if weights is None else weights
    total, weight = (np.concatenate([[0.0], np.cumsum(v)[:-1]]) for v in (w * y, w))
    result: Floats = np.divide(total, weight, out=np.ones(len(y)), where=weight > 0)
    return result


def pinball(y: Floats, predictions: Floats, alpha: float) -> float:
    r = y - predictions
    return float(np.mean(np.maximum(alpha * r, (alpha - 1) * r)))


# ---- comparisons ---------------------------------------------------------------------------------


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
        f"{squared.seconds:.2f} / {absolute.seconds:.2f}",
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
        f"{squared.seconds:.2f} / {poisson.seconds:.2f}",
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
        f"{pinball(y, low.predictions, 0.1):.2f} / {pinball(y, high.predictions, 0.9):.2f}",
        f"{low.nodes:,} / {high.nodes:,}",
    )
    return Claim(cells, abs(covered - COVERAGE) <= TOLERANCE)


def quantile(stream: Stream, alpha: float, with_peers: bool) -> Claim:
    """Compare the share of rows at or below a quantile with what it says, and pinball losses."""
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
    shares = [float(np.mean(new_y <= predictions)) for predictions in fitted.values()]
    share = float(np.mean(y <= learned))
    cells = (
        stream.order,
        f"{alpha:g}",
        f"{100 * share:.1f} %",
        f"{pinball(y, learned, alpha):.2f}",
        " / ".join(f"{100 * value:.1f} %" for value in shares),
        " / ".join(f"{pinball(new_y, p, alpha):.2f}" for p in fitted.values()),
    )
    return Claim(cells, abs(share - alpha) <= QUANTILE_TOLERANCE)


# ---- the page ------------------------------------------------------------------------------------

MAE_HEADINGS = (
    "stream",
    "order",
    "rows",
    "squared_error",
    "absolute_error",
    "difference",
    "nodes",
    "CPU s",
)
DEVIANCE_HEADINGS = (
    "stream",
    "order",
    "rows",
    "running mean",
    "squared_error",
    "poisson",
    "nodes",
    "CPU s",
)
BAND_HEADINGS = (
    "order",
    "options",
    "covered",
    "below",
    "above",
    "mean width",
    "pinball loss 0.1 / 0.9",
    "nodes",
)

QUANTILE_HEADINGS = (
    "order",
    "alpha",
    "test-then-train: at or below",
    "its pinball loss",
    "fitted: at or below",
    "their pinball losses",
)

INTRODUCTION = """\
Test-then-train: each row is predicted just before it is learned, and all rows count, including the
warm-up. One pass, one thread, `SGTRegressor` with its default settings except for the loss and for
what a table says. *file* is the order of the file, which is the order of time for the flights, the
prices and the bicycles; *shuffled* is `numpy.random.default_rng(seed).permutation`. Two numbers in
a cell are those of the two losses, in the order of the table."""

MAE = """\
Mean absolute error. Delays in minutes (US flights, January to June 2001), prices in dollars (AWS
spot market, 2016). Delays and prices have long tails. Squared error predicts the mean, which a few
extreme values move; absolute error predicts the median."""

DEVIANCE = """\
Mean Poisson deviance. *fremtpl2_freq*: claims of car insurance policies; the target is claims /
exposure; the exposure is the weight, in learning and in the mean, and not a feature.
*bike_sharing_hour*: bicycles rented in an hour. All predictions are raised to the same floor,
{floors}; those under `poisson` are above 0 by themselves."""

DEVIANCE_NOTE = """\
On the claims squared error is ahead: most policies have no claim, and `poisson` with the default
settings grows larger trees, on noise. On the bicycles the two losses are close: 17,379 rows make
a small tree, and which splits it finds in time depends on the order. Over these orders the mean
deviance is {squared:.2f} under squared error and {poisson:.2f} under `poisson`."""

QUANTILES = """\
`Quantile(alpha)` on the bicycles, at the default settings: the share of rows at or below the
prediction, which should be alpha ± 2 points. *Test-then-train* is one pass; *fitted* is `fit` on
the first three quarters of the rows and a test on the rest, of `SGTRegressor`,
`SGTBoostingRegressor` and LightGBM (100 trees, its defaults), in this order."""

QUANTILES_NOTE = """\
A leaf takes the quantile of the rows that it keeps. After `fit` the shares of a single tree lie a
little further in than they should: its passes show the same rows again."""

BANDS = """\
`Quantile(alpha=0.1)` and `Quantile(alpha=0.9)` on the delays of flights from New York in 2013: a
band that should hold 80 % of the flights, ± 3 points. A flight on the edge is inside."""

BANDS_NOTE = """\
- The default settings reach the coverage in random order, and in the order of time too: leaves
  follow the latest rows, and trees are replaced when errors rise.
- A higher penalty per branch (`gamma=100`) keeps the trees small, which costs pinball loss.

Other options, in the order of time, one at a time:"""


def verdict(claim: Claim) -> tuple[str, ...]:
    return (*claim.cells, "yes" if claim.holds else "NO")


def table(headings: Sequence[str], question: str, claims: Sequence[Claim]) -> str:
    return markdown_table((*headings, question), [verdict(claim) for claim in claims])


def page(rows: int | None, seeds: Sequence[int], *, with_peers: bool) -> Iterator[str]:
    facts = machine.describe()
    yield "# Losses on real data"
    yield (
        "<!-- Generated by `python -m benchmarks.losses_on_real_data`; edits here are overwritten."
        " -->"
    )
    yield INTRODUCTION
    used = ("Date", "Processor", "System", "Python", "sgtrees", "numpy")
    yield markdown_table(("item", "value"), [(name, facts[name]) for name in used])
    if rows is not None:
        yield f"At most {rows:,} rows of each stream: a quick run, not a result."
    yield "## Absolute error against squared error"
    yield MAE
    claims = [
        absolute_against_squared(stream)
        for name in ("airline_vega_2001_3m", "aws_spot_us_east_1_2016")
        for stream in streams(name, rows, seeds[:1])
    ]
    yield table(MAE_HEADINGS, "absolute_error lower", claims)
    yield "## Poisson against squared error"
    yield DEVIANCE.format(
        floors=", ".join(f"{floor:g} for {name}" for name, floor in FLOORS.items())
    )
    claims = [
        poisson_against_squared(stream) for name in FLOORS for stream in streams(name, rows, seeds)
    ]
    yield table(DEVIANCE_HEADINGS, "poisson lowest", claims)
    yield DEVIANCE_NOTE.format(**bicycle_means(claims))
    yield "## Quantiles"
    yield QUANTILES
    bicycles = list(streams("bike_sharing_hour", rows, seeds[:3]))[1:]
    claims = [
        quantile(stream, alpha, with_peers) for stream in bicycles for alpha in (0.1, 0.5, 0.9)
    ]
    yield table(QUANTILE_HEADINGS, "alpha ± 2 points", claims)
    yield QUANTILES_NOTE
    yield "## Quantile bands"
    yield BANDS
    flights = list(streams("airline_nyc_2013", rows, seeds[:3]))
    claims = [band(stream, changed) for stream in flights for changed in OPTIONS]
    yield table(BAND_HEADINGS, "80 ± 3 %", claims)
    yield BANDS_NOTE
    yield table(BAND_HEADINGS, "80 ± 3 %", [band(flights[0], changed) for changed in TRIED])


def bicycle_means(claims: Sequence[Claim]) -> dict[str, float]:
    bicycles = [claim.cells for claim in claims if claim.cells[0] == "bike_sharing_hour"]
    columns = {name: DEVIANCE_HEADINGS.index(name) for name in ("squared_error", "poisson")}
    means = {
        name: float(np.mean([float(cells[column]) for cells in bicycles]))
        for name, column in columns.items()
    }
    return {"squared": means["squared_error"], "poisson": means["poisson"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, help="at most so many rows of each stream")
    parser.add_argument("--shuffles", type=int, default=len(SHUFFLES), help="seeds (default: 5)")
    parser.add_argument("--without-peers", action="store_true", help="leave LightGBM out")
    parser.add_argument("--markdown", type=Path, default=PAGE, help="where the page goes")
    options = parser.parse_args()
    try:
        peers = not options.without_peers
        parts = list(page(options.rows, range(options.shuffles), with_peers=peers))
    except AbsentError as absent:
        print(absent, file=sys.stderr)
        return 1
    text = "\n\n".join(part.strip() for part in parts) + "\n"
    options.markdown.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
