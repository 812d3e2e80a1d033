"""Your own loss in five lines: too few bicycles cost three times as much as too many."""

import inspect

import numpy as np
import pandas as pd
from figure_style import (
    BLUE,
    FAINT,
    GREY,
    ORANGE,
    label_lines,
    new_figure,
    save,
    set_panel_title,
    style_axes,
)
from matplotlib.axes import Axes
from script_options import Options, read_options
from sklearn.model_selection import train_test_split

from sgtrees import SGTRegressor, losses


def asymmetric(y, raw):
    cost = np.where(raw < y, 3.0, 1.0)
    gradient = cost * (raw - y)
    hessian = cost
    return gradient, hessian


def rentals(options: Options) -> tuple[pd.DataFrame, np.ndarray, str]:
    """Return hours of a bicycle rental, the bicycles rented in each, and the name of the source."""
    table = options.real_data("bike_sharing_hour")
    if table is not None:
        return table.drop(columns="target"), table["target"].to_numpy(float), "Washington, 2011-12"
    rng = np.random.default_rng(0)
    hour = np.arange(6000) % 24
    level = 30 + 250 * np.exp(-(((hour - 8) / 2) ** 2)) + 350 * np.exp(-(((hour - 17.5) / 3) ** 2))
    rented = rng.poisson(level * rng.gamma(4.0, 0.25, size=hour.size))
    return (
        pd.DataFrame({"hr": hour, "temp": rng.random(hour.size)}),
        rented.astype(float),
        "generated",
    )


def mean_loss(y: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean of the asymmetric loss."""
    cost = np.where(predicted < y, 3.0, 1.0)
    return float(np.mean(cost * (predicted - y) ** 2 / 2))


def main() -> None:
    """Check the loss, minimise it and squared error, and draw."""
    options = read_options(__file__, __doc__)
    X, rented, source = rentals(options)
    report = losses.check(asymmetric)
    if not report:
        raise SystemExit(str(report))
    learned, shown = train_test_split(np.arange(len(rented)), test_size=0.5, random_state=0)
    models = {
        name: SGTRegressor(loss=loss, random_state=0)
        .fit(X.iloc[learned], rented[learned])
        .predict(X.iloc[shown])
        for name, loss in (("squared_error", "squared_error"), ("asymmetric", asymmetric))
    }
    X, rented = X.iloc[shown], rented[shown]
    means = {name: mean_loss(rented, predicted) for name, predicted in models.items()}
    saved = 1 - means["asymmetric"] / means["squared_error"]
    figure = new_figure(
        "Too few cost three times as much as too many: five lines of NumPy",
        f"A bicycle rental ({source}): {len(learned):,} hours learned, as many others shown;"
        f" mean cost {100 * saved:.0f} % lower than with squared_error",
    )
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1.0), gridspec_kw={"wspace": 0.42})
    draw_day(left, X["hr"].to_numpy(), rented, models)
    draw_loss(right)
    save(figure, options.out)


def draw_day(
    axes: Axes, hour: np.ndarray, rented: np.ndarray, models: dict[str, np.ndarray]
) -> None:
    """Draw rented and predicted bicycles over the hours of the day."""
    jitter = np.random.default_rng(0).uniform(-0.35, 0.35, size=len(hour))
    axes.scatter(hour + jitter, rented, s=4, color=GREY, alpha=0.22, linewidth=0)
    ends = []
    for (name, predicted), colour in zip(models.items(), (ORANGE, BLUE), strict=True):
        line = [predicted[hour == h].mean() for h in range(24)]
        axes.plot(range(24), line, color=colour, linewidth=2.6)
        ends.append((line[-1], name, colour))
    axes.set_xlim(-0.6, 23.4)
    axes.set_ylim(0, np.quantile(rented, 0.998))
    axes.set_xticks(range(0, 24, 6), [f"{h}:00" for h in range(0, 24, 6)])
    axes.set_ylabel("bicycles per hour")
    set_panel_title(axes, "Rented (dots), mean prediction (lines)")
    label_lines(axes, ends)
    style_axes(axes)


def draw_loss(axes: Axes) -> None:
    """Draw the loss over the residual, and its five lines."""
    residual = np.linspace(-2, 2, 201)
    cost = np.where(residual < 0, 3.0, 1.0)
    axes.plot(residual, residual**2 / 2, color=ORANGE, linewidth=2.2)
    axes.plot(residual, cost * residual**2 / 2, color=BLUE, linewidth=2.2)
    axes.set_ylim(-0.1, 11.5)
    axes.set_yticks([0, 2, 4, 6])
    axes.set_xticks([-2, 0, 2], ["too low", "0", "too high"])
    axes.text(
        0.02,
        0.98,
        inspect.getsource(asymmetric).strip(),
        transform=axes.transAxes,
        family="monospace",
        fontsize=8.6,
        va="top",
        linespacing=1.5,
        bbox={"facecolor": "#f6f6f6", "edgecolor": FAINT, "boxstyle": "round,pad=0.6"},
    )
    set_panel_title(axes, "The loss, and its whole code")
    style_axes(axes)


if __name__ == "__main__":
    main()
