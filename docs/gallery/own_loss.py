"""A loss of one's own in five lines: too few bicycles cost three times as much as too many."""

import inspect

import numpy as np
import pandas as pd
from look import BLUE, FAINT, GREY, ORANGE, name_lines, name_panel, new_figure, save, tidy
from matplotlib.axes import Axes
from options import Options, read_options
from sklearn.model_selection import train_test_split

from sgtrees import SGTRegressor, losses


def lopsided(y, raw):
    price = np.where(raw < y, 3.0, 1.0)
    gradient = price * (raw - y)
    hessian = price
    return gradient, hessian


def rentals(options: Options) -> tuple[pd.DataFrame, np.ndarray, str]:
    """Return hours of a bicycle rental, the bicycles rented in each, and what they are."""
    table = options.real("bike_sharing_hour")
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


def cost(y: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean of the loss of one's own."""
    price = np.where(predicted < y, 3.0, 1.0)
    return float(np.mean(price * (predicted - y) ** 2 / 2))


def main() -> None:
    """Check the loss, learn by it and by squared error, and draw."""
    options = read_options(__file__, __doc__)
    X, rented, source = rentals(options)
    report = losses.check(lopsided)
    if not report:
        raise SystemExit(str(report))
    learned, shown = train_test_split(np.arange(len(rented)), test_size=0.5, random_state=0)
    models = {
        name: SGTRegressor(loss=loss, random_state=0)
        .fit(X.iloc[learned], rented[learned])
        .predict(X.iloc[shown])
        for name, loss in (("squared_error", "squared_error"), ("lopsided", lopsided))
    }
    X, rented = X.iloc[shown], rented[shown]
    saved = 1 - cost(rented, models["lopsided"]) / cost(rented, models["squared_error"])
    figure = new_figure(
        "Too few cost three times as much as too many: five lines of NumPy",
        f"A bicycle rental ({source}): {len(learned):,} hours learned, as many others shown;"
        f" costs {100 * saved:.0f} % below squared_error's",
    )
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1.0), gridspec_kw={"wspace": 0.42})
    draw_day(left, X["hr"].to_numpy(), rented, models)
    draw_loss(right)
    save(figure, options.out)


def draw_day(
    axes: Axes, hour: np.ndarray, rented: np.ndarray, models: dict[str, np.ndarray]
) -> None:
    """Draw what is rented and predicted over the hours of the day."""
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
    axes.set_ylabel("bicycles an hour")
    name_panel(axes, "Rented (dots), and predicted on average")
    name_lines(axes, ends)
    tidy(axes)


def draw_loss(axes: Axes) -> None:
    """Draw the loss over the residual, and its five lines."""
    residual = np.linspace(-2, 2, 201)
    price = np.where(residual < 0, 3.0, 1.0)
    axes.plot(residual, residual**2 / 2, color=ORANGE, linewidth=2.2)
    axes.plot(residual, price * residual**2 / 2, color=BLUE, linewidth=2.2)
    axes.set_ylim(-0.1, 11.5)
    axes.set_yticks([0, 2, 4, 6])
    axes.set_xticks([-2, 0, 2], ["too low", "0", "too high"])
    axes.text(
        0.02,
        0.98,
        inspect.getsource(lopsided).strip(),
        transform=axes.transAxes,
        family="monospace",
        fontsize=8.6,
        va="top",
        linespacing=1.5,
        bbox={"facecolor": "#f6f6f6", "edgecolor": FAINT, "boxstyle": "round,pad=0.6"},
    )
    name_panel(axes, "The loss, and all there is to write")
    tidy(axes)


if __name__ == "__main__":
    main()
