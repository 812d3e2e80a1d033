"""Several labels per row: one tree predicts whether a flight is early, late, and very late."""

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

from sgtrees import SGTClassifier

COLOURS = {"early": GREY, "late by 15 min": BLUE, "late by 1 h": ORANGE}
GROUPS = 10


def flights(options: Options) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Return flights in random order, the labels of each, and the name of the source."""
    table = options.real_data("airline_nyc_2013")
    source = "New York, 2013"
    if table is None:
        rng = np.random.default_rng(0)
        hour = rng.integers(5, 23, size=8000)
        delay = rng.gamma(1.2, 2.0 + 2.5 * (hour - 5)) - 15
        table, source = pd.DataFrame({"sched_dep_time": 100 * hour, "target": delay}), "generated"
    table = table.sample(frac=1.0, random_state=0, ignore_index=True)
    delay = table.pop("target")
    labels = {"early": delay < 0, "late by 15 min": delay >= 15, "late by 1 h": delay >= 60}
    return table, pd.DataFrame(labels).astype(int), source


def main() -> None:
    """Learn all labels with one tree, and draw."""
    options = read_options(__file__, __doc__)
    X, labels, source = flights(options)
    model = SGTClassifier()
    probability = model.learn_predict(X, labels, method="predict_proba")
    figure = new_figure(
        "One tree, three labels",
        f"{len(X):,} flights ({source}), test-then-train; y is an indicator matrix, each of"
        f" {model.n_leaves_} leaves predicts all labels",
    )
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1.0), gridspec_kw={"wspace": 0.62})
    figure.subplots_adjust(left=0.07, right=0.975)
    last = slice(len(X) // 2, None)
    hour = X["sched_dep_time"].to_numpy()[last] // 100
    draw_day(left, hour, labels.to_numpy()[last], probability[last])
    draw_calibration(right, labels.to_numpy()[last], probability[last])
    save(figure, options.out)


def draw_day(axes: Axes, hour: np.ndarray, labels: np.ndarray, probability: np.ndarray) -> None:
    """Draw how frequent each label is, over the hours of the day."""
    hours = np.array([h for h in np.unique(hour) if (hour == h).sum() >= 50])
    ends = []
    for place, (name, colour) in enumerate(COLOURS.items()):
        observed, predicted = (
            np.array([100 * values[hour == h, place].mean() for h in hours])
            for values in (labels, probability)
        )
        axes.plot(hours, predicted, color=colour, linewidth=2.6)
        axes.scatter(
            hours, observed, s=34, color=colour, edgecolor="white", zorder=3, clip_on=False
        )
        ends.append((predicted[-1], name, colour))
    axes.set_ylim(0, 100)
    axes.set_xlim(hours[0] - 0.4, hours[-1] + 0.4)
    axes.set_xticks(range(6, 24, 3), [f"{h}:00" for h in range(6, 24, 3)])
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.set_xlabel("scheduled departure")
    set_panel_title(axes, "Second half of the stream: observed (dots), predicted (lines)")
    label_lines(axes, ends)
    style_axes(axes)


def draw_calibration(axes: Axes, labels: np.ndarray, probability: np.ndarray) -> None:
    """Draw observed over predicted frequencies, in deciles of the prediction."""
    axes.axline((0, 0), slope=1.0, color=FAINT, linewidth=5, zorder=0)
    for place, colour in enumerate(COLOURS.values()):
        order = np.argsort(probability[:, place], kind="stable")
        deciles = np.array_split(order, GROUPS)
        predicted, observed = (
            [100 * values[rows, place].mean() for rows in deciles]
            for values in (probability, labels)
        )
        axes.plot(predicted, observed, color=colour, linewidth=1.2, alpha=0.6)
        axes.scatter(predicted, observed, s=40, color=colour, edgecolor="white", zorder=3)
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.xaxis.set_major_formatter("{x:.0f} %")
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.set_xlabel("predicted")
    axes.set_ylabel("observed")
    set_panel_title(axes, "Calibration: deciles of the prediction")
    style_axes(axes, grid="both")


if __name__ == "__main__":
    main()
