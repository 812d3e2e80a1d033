"""Mean absolute error of trees that minimise absolute and squared error."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from figure_style import (
    BLUE,
    FAINT,
    ORANGE,
    label_lines,
    new_figure,
    save,
    set_panel_title,
    style_axes,
)
from matplotlib.axes import Axes
from script_options import Options, read_options

from sgtrees import SGTRegressor

WINDOWS = 40


@dataclass(frozen=True)
class Stream:
    """Rows in the order of time, with a name and a unit."""

    X: pd.DataFrame
    y: np.ndarray
    name: str
    unit: str


def real_stream(options: Options, file: str, name: str, unit: str) -> Stream | None:
    """Return a stream of real data, if it is available."""
    table = options.real_data(file)
    if table is None:
        return None
    return Stream(table.drop(columns="target"), table["target"].to_numpy(float), name, unit)


def generated_stream(seed: int, tail: float) -> Stream:
    """Return targets with a long tail: most are small, a few are very large."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((8000, 3)), columns=["a", "b", "c"])
    level = 10 + 20 * (X["a"] > 0.5) + 10 * (X["b"] > 0.3)
    factor = np.exp(tail * np.abs(rng.standard_normal(len(X))))
    return Stream(X, (level * factor).to_numpy(), f"Generated, tail {tail:g}", "units")


def streams(options: Options) -> list[Stream]:
    """Return the two streams of the picture."""
    real = [
        real_stream(options, "airline_vega_2001_3m", "Delays of US flights, 2001", "minutes"),
        real_stream(options, "aws_spot_us_east_1_2016", "Prices of AWS spot instances", "dollars"),
    ]
    return [
        stream or generated_stream(seed, tail)
        for seed, (stream, tail) in enumerate(zip(real, (1.0, 1.5), strict=True))
    ]


def main() -> None:
    """Learn both streams under both losses, and draw."""
    options = read_options(__file__, __doc__)
    figure = new_figure(
        "Minimise absolute error to get a low mean absolute error",
        "Test-then-train, in the order of time; 40 points per stream, the mean over all rows at"
        " the right",
    )
    panels = figure.subplots(1, 2, gridspec_kw={"wspace": 0.72})
    figure.subplots_adjust(left=0.07, right=0.86)
    for axes, stream in zip(panels, streams(options), strict=True):
        draw(axes, stream)
    save(figure, options.out)


def draw(axes: Axes, stream: Stream) -> None:
    """Draw the mean absolute error of both losses, window by window."""
    ends = []
    parts = np.array_split(np.arange(len(stream.y)), WINDOWS)
    rows = np.array([part[-1] + 1 for part in parts])
    curves = {}
    for loss, colour in (("squared_error", ORANGE), ("absolute_error", BLUE)):
        predicted = SGTRegressor(loss=loss).learn_predict(stream.X, stream.y)
        errors = np.abs(predicted - stream.y)
        curves[loss] = np.array([errors[part].mean() for part in parts])
        axes.plot(rows, curves[loss], color=colour, linewidth=2.2, clip_on=False)
        ends.append((curves[loss][-1], f"{loss}\n{errors.mean():#.3g}", colour))
    axes.fill_between(rows, *curves.values(), color=FAINT, alpha=0.5, linewidth=0)
    axes.set_ylim(0, 1.12 * max(curve.max() for curve in curves.values()))
    axes.set_xlim(0, len(stream.y))
    axes.locator_params(axis="x", nbins=4)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.set_xlabel("rows so far")
    axes.set_ylabel(f"mean absolute error, {stream.unit}")
    set_panel_title(axes, stream.name)
    label_lines(axes, ends, gap=0.13)
    style_axes(axes)


if __name__ == "__main__":
    main()
