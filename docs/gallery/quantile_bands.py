"""A band for 80 % of the flights: two quantiles of the delay, learned from a stream."""

import numpy as np
import pandas as pd
from figure_style import (
    BLUE,
    GREY,
    ORANGE,
    PALE_BLUE,
    label_lines,
    new_figure,
    save,
    set_panel_title,
    style_axes,
)
from matplotlib.axes import Axes
from script_options import Options, read_options

from sgtrees import SGTRegressor
from sgtrees.losses import Quantile

# gamma and reg_lambda in the unit of the loss, minutes; see docs/losses_on_real_data.md.
SETTINGS = {"penalty_units": "loss", "gamma": 100.0, "reg_lambda": 0.01}


def flights(options: Options) -> tuple[pd.DataFrame, np.ndarray, str]:
    """Return flights in the order of time, their delays in minutes, and the name of the source."""
    table = options.real_data("airline_nyc_2013")
    if table is not None:
        return table.drop(columns="target"), table["target"].to_numpy(float), "New York, 2013"
    rng = np.random.default_rng(0)
    hour = rng.integers(5, 23, size=8000)
    X = pd.DataFrame(
        {
            "sched_dep_time": 100 * hour + rng.integers(0, 60, size=hour.size),
            "carrier": pd.Categorical(rng.choice(["AA", "B6", "UA"], size=hour.size)),
        }
    )
    delay = rng.gamma(1.2, 2.0 + 1.6 * (hour - 5), size=hour.size) - 15 + 0.1 * rng.normal()
    return X, delay, "generated"


def main() -> None:
    """Learn, measure, draw."""
    options = read_options(__file__, __doc__)
    X, delay, source = flights(options)
    low, high = (
        SGTRegressor(loss=Quantile(alpha=alpha), **SETTINGS).learn_predict(X, delay)
        for alpha in (0.1, 0.9)
    )
    inside = (low <= delay) & (delay <= high)

    figure = new_figure(
        f"{100 * inside.mean():.0f} % of the delays are inside a band for 80 %",
        f"{len(delay):,} flights ({source}), test-then-train, one pass:"
        " Quantile(alpha=0.1) and Quantile(alpha=0.9)",
    )
    left, right = figure.subplots(1, 2, width_ratios=(1.5, 1.0), gridspec_kw={"wspace": 0.28})
    draw_band(left, X["sched_dep_time"].to_numpy(), delay, low, high)
    draw_coverage(right, inside)
    save(figure, options.out)


def draw_band(
    axes: Axes, clock: np.ndarray, delay: np.ndarray, low: np.ndarray, high: np.ndarray
) -> None:
    """Draw the last tenth of the stream over the time of day."""
    last = slice(len(delay) * 9 // 10, None)
    hour = (clock // 100 + clock % 100 / 60)[last]
    delay, low, high = delay[last], low[last], high[last]
    step = np.floor(hour)
    hours = np.array([h for h in np.unique(step) if (step == h).sum() >= 20])
    edges = [np.array([edge[step == h].mean() for h in hours]) for edge in (low, high)]
    inside = (low <= delay) & (delay <= high)
    rng = np.random.default_rng(0)
    shown = rng.permutation(len(delay))[:4000]
    axes.fill_between(hours + 0.5, *edges, color=PALE_BLUE, alpha=0.6, linewidth=0)
    for which, colour in ((inside, GREY), (~inside, ORANGE)):
        some = shown[which[shown]]
        axes.scatter(hour[some], delay[some], s=6, color=colour, alpha=0.45, linewidth=0)
    axes.set_ylim(*np.quantile(delay, [0.0005, 0.985]) * (1.2, 1.15))
    axes.set_xlim(hours[0], hours[-1] + 1)
    for edge in edges:
        axes.plot(hours + 0.5, edge, color=BLUE, linewidth=2.4)
    label_lines(axes, [(edges[0][-1], "10 %", BLUE), (edges[1][-1], "90 %", BLUE)])
    axes.set_xticks(range(6, 24, 3), [f"{h}:00" for h in range(6, 24, 3)])
    axes.set_xlabel("scheduled departure")
    axes.set_ylabel("delay at arrival, minutes")
    set_panel_title(axes, "Last tenth of the stream: mean band, flights inside and outside")
    style_axes(axes)


def draw_coverage(axes: Axes, inside: np.ndarray) -> None:
    """Draw the share of the flights inside the band, window by window."""
    window = len(inside) // 30
    parts = 100 * inside[: window * 30].reshape(30, window).mean(axis=1)
    rows = window * np.arange(1, 31)
    axes.axhspan(77, 83, color=PALE_BLUE, alpha=0.45, linewidth=0)
    axes.axhline(80, color=BLUE, linewidth=1.0)
    axes.plot(rows, parts, color=GREY, linewidth=1.6, marker="o", markersize=3.5, clip_on=False)
    axes.set_ylim(50, 100)
    axes.set_xlim(0, len(inside))
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.locator_params(axis="x", nbins=4)
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.set_xlabel("flights so far")
    set_panel_title(axes, f"Share inside the band, per {window:,} flights")
    style_axes(axes)


if __name__ == "__main__":
    main()
