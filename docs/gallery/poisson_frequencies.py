"""Claim frequencies of policies: Poisson loss, with the exposure as the weight."""

import numpy as np
import pandas as pd
from figure_style import (
    BLUE,
    GREY,
    ORANGE,
    PALE_BLUE,
    new_figure,
    save,
    set_panel_title,
    style_axes,
)
from matplotlib.axes import Axes
from script_options import Options, read_options

from sgtrees import SGTRegressor

GROUPS = 10
# The loss of a policy is far below 1, so the penalty per branch is lower than the default.
SETTINGS = {"loss": "poisson", "gamma": 0.3, "delta": 1e-3}


def policies(options: Options) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, str]:
    """Return policies in random order, claims per year, years of exposure, and a name."""
    table = options.real_data("fremtpl2_freq")
    if table is not None:
        table = table.sample(frac=1.0, random_state=0, ignore_index=True)
        exposure = table.pop("Exposure").to_numpy(float)
        frequency = table.pop("target").to_numpy(float)
        return table, frequency, exposure, "freMTPL2"
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "DrivAge": rng.integers(18, 85, size=12_000),
            "BonusMalus": rng.integers(50, 120, size=12_000),
        }
    )
    exposure = rng.uniform(0.05, 1.0, size=len(X))
    mean = 0.1 * np.exp(1.2 * (X["DrivAge"] < 25) + 0.02 * (X["BonusMalus"] - 50))
    claims = rng.poisson(mean * np.sqrt(exposure))  # short policies have relatively more claims
    return X, claims / exposure, exposure, "generated"


def main() -> None:
    """Learn with the weight and without it, and draw."""
    options = read_options(__file__, __doc__)
    X, frequency, exposure, source = policies(options)
    weighted = SGTRegressor(**SETTINGS).learn_predict(X, frequency, sample_weight=exposure)
    unweighted = SGTRegressor(**SETTINGS).learn_predict(X, frequency)

    observed = np.average(frequency, weights=exposure)
    figure = new_figure(
        f"{observed:.3f} claims per year, by bonus-malus and by prediction",
        f"{len(X):,} policies ({source}), test-then-train:"
        " loss='poisson', y = claims / exposure, sample_weight = exposure",
    )
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1.0), gridspec_kw={"wspace": 0.22})
    draw_by_bonus(left, X["BonusMalus"].to_numpy(), frequency, exposure, weighted)
    draw_calibration(
        right, frequency, exposure, {"with the weight": weighted, "without the weight": unweighted}
    )
    save(figure, options.out)


def group_means(
    groups: np.ndarray, values: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weighted mean and the weight of each group, 0, 1, 2, ..."""
    weight = np.bincount(groups, weights)
    return np.bincount(groups, weights * values) / weight, weight


def draw_by_bonus(
    axes: Axes, bonus: np.ndarray, frequency: np.ndarray, exposure: np.ndarray, mean: np.ndarray
) -> None:
    """Draw frequencies by the bonus-malus: observed as dots, predicted as a line."""
    starts = np.array([50, 51, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 120])
    groups = np.digitize(bonus, starts[1:])
    middle, _ = group_means(groups, bonus, exposure)
    observed, years = group_means(groups, frequency, exposure)
    predicted, _ = group_means(groups, mean, exposure)
    axes.plot(middle, predicted, color=BLUE, linewidth=2.4, label="predicted")
    axes.scatter(
        middle,
        observed,
        s=20 + 260 * years / years.max(),
        color=ORANGE,
        alpha=0.75,
        linewidth=0,
        zorder=3,
        label="observed; larger dots have more exposure",
    )
    axes.set_ylim(0, 1.2 * max(observed.max(), predicted.max()))
    axes.set_xlabel("bonus-malus; it starts at 100, and 50 is best")
    axes.set_ylabel("claims per year")
    axes.legend(frameon=False, loc="upper left")
    set_panel_title(axes, "By bonus-malus, which reflects former claims")
    style_axes(axes)


def draw_calibration(
    axes: Axes, frequency: np.ndarray, exposure: np.ndarray, models: dict[str, np.ndarray]
) -> None:
    """Draw observed over predicted frequencies, in groups of equal exposure."""
    highest = 0.0
    for (name, mean), colour, marker in zip(models.items(), (BLUE, GREY), ("o", "s"), strict=True):
        order = np.argsort(mean, kind="stable")
        reached = np.cumsum(exposure[order]) / exposure.sum()
        groups = np.empty(len(mean), dtype=int)
        groups[order] = np.minimum((GROUPS * reached).astype(int), GROUPS - 1)
        predicted, _ = group_means(groups, mean, exposure)
        observed, _ = group_means(groups, frequency, exposure)
        axes.plot(predicted, observed, color=colour, linewidth=1.2, alpha=0.6)
        axes.scatter(predicted, observed, s=42, color=colour, marker=marker, zorder=3, label=name)
        highest = max(highest, predicted.max(), observed.max())
    axes.axline((0, 0), slope=1.0, color=PALE_BLUE, linewidth=5, zorder=0, alpha=0.7)
    axes.set_xlim(0, 1.08 * highest)
    axes.set_ylim(0, 1.08 * highest)
    axes.set_xlabel("predicted claims per year")
    axes.set_ylabel("observed")
    axes.legend(frameon=False, loc="upper left")
    set_panel_title(axes, "Calibration: deciles of exposure")
    style_axes(axes, grid="both")


if __name__ == "__main__":
    main()
