"""Learning curves as a figure of matplotlib (extra ``plot``)."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sgtrees.evaluation.metrics.registry import metric_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sgtrees.evaluation.result import Evaluation

# Distinct in colour blindness too, and by their lightness in greyscale.
_COLOURS = ("#1f5fa8", "#c2571a", "#1b7f5f", "#8a3b8f", "#8c6d1f", "#4a4a9c")
_BEST = "#4d4d4d"
_FAINT = "#d9d9d9"
# Fewer points than this are also drawn as dots.
_FEW = 30


def draw_evaluation(result: "Evaluation", metric: str, *, title: str | None = None) -> "Figure":
    """Draw a metric over the rows, and below it the number of leaves; see `Evaluation.plot`."""
    # Of the extra `plot`; a separate figure does not change the state of pyplot.
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator  # noqa: PLC0415

    if not result.points:
        raise ValueError("nothing has been measured yet; there is nothing to draw")
    grown = [name for name in result.names if result.last(name).n_leaves is not None]
    figure = Figure(figsize=(9.0, 6.0 if grown else 4.5))
    rows = 2 if grown else 1
    ratios = (2.6, 1.0)[:rows]
    axes = figure.subplots(rows, 1, sharex=True, height_ratios=ratios, squeeze=False)[:, 0]
    top, bottom = 0.89, 0.09 if grown else 0.12
    figure.subplots_adjust(left=0.085, right=0.745, top=top, bottom=bottom, hspace=0.12)
    figure.suptitle(
        title or f"{metric_title(metric)} over {result.rows:,} rows".capitalize(),
        x=0.025,
        y=0.965,
        ha="left",
        fontsize=14,
        fontweight="bold",
        parse_math=False,
    )
    colours = dict(zip(result.names, _COLOURS * len(result.names), strict=False))
    _draw_metric(axes[0], result, metric, colours)
    if grown:
        _draw_leaves(axes[1], result, {name: colours[name] for name in grown})
        axes[1].yaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes[1].yaxis.set_major_formatter("{x:,.0f}")
    window = result.settings.get("window")
    each = "the rows since the point before" if window is None else f"the {window:,} rows before"
    if result.kind == "holdout":
        each = f"the same {result.points[0].window:,} test rows"
    axes[-1].set_xlabel(f"rows so far; each point is over {each}")
    # 1k, 2k, 5k, 10k, ...
    axes[-1].xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes[-1].xaxis.set_major_formatter(EngFormatter(sep=""))
    axes[-1].xaxis.minorticks_off()
    figure.align_ylabels()
    return figure


def _draw_metric(axes: "Axes", result: "Evaluation", metric: str, colours: dict[str, str]) -> None:
    is_share = metric in result.shares
    scale = 100.0 if is_share else 1.0
    form = "{:.1f} %" if is_share else "{:.4g}"
    rows = [point.rows for point in result.points]
    ends: list[tuple[float, str, str]] = []
    best = _best_error(result) if metric == "error" else None
    if best is not None:
        axes.axhline(scale * best, color=_BEST, linewidth=1.6, linestyle=(0, (4, 2)))
        ends.append((scale * best, _BEST, "best possible"))
    # The first model is drawn last, over the others.
    for place, name in reversed(list(enumerate(result.names))):
        values = [scale * value for value in result.curve(metric, name)]
        width = 2.4 if place == 0 else 1.6
        axes.plot(
            rows, values, color=colours[name], linewidth=width, clip_on=False, **_marker(result)
        )
        if not math.isnan(values[-1]):
            ends.append((values[-1], colours[name], name))
    if metric not in result.higher:
        axes.set_ylim(bottom=0.0)
        axes.set_ylim(top=1.12 * axes.get_ylim()[1] / 1.05)
    if best is not None:
        tree = [scale * value for value in result.curve(metric)]
        axes.fill_between(rows, scale * best, tree, color=_COLOURS[0], alpha=0.08, linewidth=0)
    unit = " in %" if is_share else ""
    how = "test then train" if result.kind == "prequential" else "on test rows"
    axes.set_ylabel(f"{metric_title(metric)}{unit}, {how}", parse_math=False)
    axes.set_xscale("log")
    _mark_drifts(axes, result, colours)
    _name_lines(axes, ends, form)
    _tidy(axes)


def _mark_drifts(axes: "Axes", result: "Evaluation", colours: dict[str, str]) -> None:
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


def _best_error(result: "Evaluation") -> float | None:
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
    rows = [point.rows for point in result.points]
    ends: list[tuple[float, str, str]] = []
    for name, colour in colours.items():
        leaves = [point.models[name].n_leaves or 0 for point in result.points]
        axes.plot(rows, leaves, color=colour, linewidth=2.0, clip_on=False, **_marker(result))
        axes.fill_between(rows, 0, leaves, color=colour, alpha=0.08, linewidth=0)
        ends.append((leaves[-1], colour, "leaves" if len(colours) == 1 else name))
    axes.set_ylim(0, max(1.0, 1.07 * axes.get_ylim()[1]))
    axes.set_ylabel("leaves")
    _name_lines(axes, ends, form="{:,.0f}")
    _tidy(axes)


def _marker(result: "Evaluation") -> dict[str, Any]:
    return {"marker": "o" if len(result.points) < _FEW else "", "markersize": 4}


def _name_lines(axes: "Axes", ends: Sequence[tuple[float, str, str]], form: str) -> None:
    """Write each line's last value and name beside its end, without overlaps."""
    low, high = axes.get_ylim()
    least = 0.075 * (high - low) * (6.0 / 2.6 if axes.get_ylabel() == "leaves" else 1.0)
    free = -math.inf
    for value, colour, name in sorted(ends):
        place = max(value, free + least)
        free = place
        axes.annotate(
            f"{form.format(value)}  {name}",
            xy=(1.02, place),
            xycoords=("axes fraction", "data"),
            va="center",
            color=colour,
            fontsize=10,
            fontweight="bold" if colour == _COLOURS[0] else "normal",
            annotation_clip=False,
            parse_math=False,
        )


def _tidy(axes: "Axes") -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=_FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.margins(x=0.0)
