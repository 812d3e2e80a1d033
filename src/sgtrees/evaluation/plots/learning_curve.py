"""Learning curves: a metric over the rows, of windows and cumulative, and the number of leaves."""

import math
from typing import TYPE_CHECKING, Any

from sgtrees.atomic_file import PathLike
from sgtrees.evaluation.metrics.registry import metric_title
from sgtrees.figure_style import (
    COLOURS,
    GREY,
    name_lines,
    new_figure,
    save_figure,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sgtrees.evaluation.result import Evaluation

# Fewer points than this are also drawn as dots.
_FEW = 30


def plot_learning_curve(
    result: "Evaluation",
    metric: str | None = None,
    *,
    cumulative: bool = True,
    path: PathLike | None = None,
    title: str | None = None,
) -> "Figure":
    """Draw a metric over the rows, and below it the number of leaves.

    Solid lines are over the window of each point. Dashed lines are cumulative, over all rows so
    far: they end at `Evaluation.total`.

    Parameters
    ----------
    result : Evaluation
        The evaluation.
    metric : str, optional
        The metric's name; the first one by default.
    cumulative : bool, default=True
        Whether to draw the cumulative lines of models that are no baselines.
    path : path, optional
        A PNG file to write.
    title : str, optional
        The title; by default it says which metric it is and over how many rows.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; its second axes, the leaves, are there if a model has any.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If nothing has been measured yet.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.evaluation import prequential
    >>> from sgtrees.streams import Sea
    >>> figure = plot_learning_curve(prequential(Sea().head(5_000), SGTClassifier()))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['error in %, test then train', 'leaves']
    """
    if not result.points:
        raise ValueError("nothing has been measured yet; there is nothing to draw")
    name = result.metrics[0] if metric is None else metric
    grown = [model for model in result.names if result.last(model).n_leaves is not None]
    heading = title or f"{metric_title(name)} over {result.rows:,} rows".capitalize()
    totals = _cumulative(result, name) if cumulative else {}
    caption = _caption(result, is_cumulative=bool(totals))
    figure = new_figure(6.4 if grown else 4.9, heading, caption)
    axes = figure.subplots(
        2 if grown else 1, 1, sharex=True, height_ratios=(2.6, 1.0) if grown else (1.0,),
        squeeze=False, gridspec_kw={"hspace": 0.12},
    )[:, 0]  # fmt: skip
    colours = dict(zip(result.names, COLOURS * len(result.names), strict=False))
    _draw_metric(axes[0], result, name, colours, totals)
    if grown:
        _draw_leaves(axes[1], result, {model: colours[model] for model in grown})
    _scale_rows(axes[-1], result)
    figure.align_ylabels()
    return save_figure(figure, path)


def _cumulative(result: "Evaluation", metric: str) -> dict[str, list[float]]:
    """Return the cumulative values of the models that are no baselines, where there are any."""
    if result.kind == "holdout":
        return {}
    models = [model for model in result.names if model not in result.baselines] or result.names
    found = {
        model: [point.models[model].total.get(metric, math.nan) for point in result.points]
        for model in models
    }
    return {model: values for model, values in found.items() if not math.isnan(values[-1])}


def rows_of_point(result: "Evaluation") -> str:
    """Say over which rows each point of an evaluation is."""
    if result.kind == "holdout":
        return f"the same {result.points[0].window:,} test rows"
    window = result.settings.get("window")
    return "the rows since the point before" if window is None else f"the {window:,} rows before it"


def _caption(result: "Evaluation", *, is_cumulative: bool) -> str:
    solid = f"Solid: each point is over {rows_of_point(result)}."
    return f"{solid} Dashed: cumulative, over all rows so far." if is_cumulative else solid


def _scale_rows(axes: "Axes", result: "Evaluation") -> None:
    from matplotlib.ticker import EngFormatter, LogLocator  # noqa: PLC0415

    if len(result.points) > 1:
        axes.set_xlim(result.points[0].rows, result.rows)
    axes.set_xlabel("rows so far")
    # 1k, 2k, 5k, 10k, ...
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.xaxis.minorticks_off()


def _draw_metric(
    axes: "Axes",
    result: "Evaluation",
    metric: str,
    colours: dict[str, str],
    totals: dict[str, list[float]],
) -> None:
    is_share = metric in result.shares
    scale = 100.0 if is_share else 1.0
    form = "{:.1f} %" if is_share else "{:.4g}"
    rows = [point.rows for point in result.points]
    ends: list[tuple[float, str, str, bool]] = []

    def draw(values: list[float], colour: str, name: str, *, bold: bool, **style: Any) -> None:
        scaled = [scale * value for value in values]
        axes.plot(rows, scaled, color=colour, clip_on=False, **style)
        if not math.isnan(scaled[-1]):
            ends.append((scaled[-1], colour, f"{form.format(scaled[-1])}  {name}", bold))

    best = best_error(result) if metric == "error" else None
    if best is not None:
        axes.axhline(scale * best, color=GREY, linewidth=1.4, linestyle=(0, (1, 2)))
        text = f"{form.format(scale * best)}  best possible"
        ends.append((scale * best, GREY, text, False))
    # The first model is drawn last, over the others.
    for place, name in reversed(list(enumerate(result.names))):
        if name in totals:
            words = "cumulative" if len(totals) == 1 else f"{name}, cumulative"
            style: dict[str, Any] = {"linewidth": 1.3, "linestyle": "--"}
            draw(totals[name], colours[name], words, bold=False, **style)
        draw(
            result.curve(metric, name), colours[name],
            name,
            bold=place == 0, linewidth=2.4 if place == 0 else 1.6, **_marker(result),
        )  # fmt: skip
    if metric not in result.higher:
        axes.set_ylim(bottom=0.0)
        axes.set_ylim(top=1.12 * axes.get_ylim()[1] / 1.05)
    unit = " in %" if is_share else ""
    how = "test then train" if result.kind == "prequential" else "on test rows"
    axes.set_ylabel(f"{metric_title(metric)}{unit}, {how}", parse_math=False)
    axes.set_xscale("log")
    mark_replacements(axes, result, colours)
    name_lines(axes, ends, least=0.075)
    tidy(axes)
    axes.margins(x=0.0)


def mark_replacements(axes: "Axes", result: "Evaluation", colours: dict[str, str]) -> None:
    """Draw a line where the trees of a model were replaced."""
    for name, events in result.drifts.items():
        for event in events:
            if event.kind == "replaced":
                axes.axvline(
                    max(event.row, result.points[0].rows),
                    color=colours[name],
                    linewidth=0.9,
                    linestyle=":",
                    zorder=0.5,
                )


def best_error(result: "Evaluation") -> float | None:
    """Return the best possible error over all rows, if it is known."""
    known = [(point.rows, point.best_error) for point in result.points]
    if any(error is None for _, error in known):
        return None
    total, before = 0.0, 0
    for rows, error in known:
        assert error is not None
        total += (rows - before) * error
        before = rows
    return total / before


def _draw_leaves(axes: "Axes", result: "Evaluation", colours: dict[str, str]) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    rows = [point.rows for point in result.points]
    ends: list[tuple[float, str, str, bool]] = []
    for place, (name, colour) in enumerate(colours.items()):
        leaves = [point.models[name].n_leaves or 0 for point in result.points]
        axes.plot(rows, leaves, color=colour, linewidth=2.0, clip_on=False, **_marker(result))
        axes.fill_between(rows, 0, leaves, color=colour, alpha=0.08, linewidth=0)
        text = f"{leaves[-1]:,}  {'leaves' if len(colours) == 1 else name}"
        ends.append((leaves[-1], colour, text, place == 0))
    axes.set_ylim(0, max(1.0, 1.07 * axes.get_ylim()[1]))
    axes.set_ylabel("leaves")
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    name_lines(axes, ends, least=0.19)
    tidy(axes)
    axes.margins(x=0.0)


def _marker(result: "Evaluation") -> dict[str, Any]:
    return {"marker": "o" if len(result.points) < _FEW else "", "markersize": 4}
