"""Figures 1 and 2 of the paper: the learning curves of all learners on a data set, in one plot."""

from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator

from sgtrees.atomic_file import atomic_file
from sgtrees_experiments.datasets import Found, Task
from sgtrees_experiments.learners.catalogue import Engine, Role
from sgtrees_experiments.report.summaries import StreamSummary, Summaries

# Colours that colour-blind readers can distinguish. Ours are blue, with thick lines.
_COLORS = {
    "sgt": "#0b4f9e",
    "sgt-mae": "#0b4f9e",
    "sgt-tuned": "#2f7fd0",
    "sgt-squared": "#4a90d9",
    "sgt-paper": "#4a90d9",
    "sgt-paper-squared": "#7fc4d6",
    "sgt-vector": "#7fc4d6",
    "vfdt": "#e0a100",
    "fimtdd": "#e0a100",
    "vfdt-nba": "#c2571a",
    "orto": "#c2571a",
    "efdt": "#4d4d4d",
    "moa-sgt": "#8a4fa3",
    "river-sgt": "#2f7d5b",
}
_OTHER = "#a0a0a0"
_DASHES = {Engine.SGTREES: "-", Engine.MOA: "-", Engine.RIVER: (0, (4, 2))}
_FAINT = "#d9d9d9"
_LABEL_HEIGHT = 0.055


def figure_of(summaries: Summaries, found: Found) -> Figure | None:
    """Draw the learning curves on a data set; None if there are none."""
    shown = [
        summary
        for (name, _), summary in summaries.streams.items()
        if name == found.version.name
        and summary.learner.role is not Role.ABLATION
        and summary.curve is not None
    ]
    if not shown:
        return None
    figure = Figure(figsize=(9.0, 4.8))
    axes = figure.subplots()
    figure.subplots_adjust(left=0.085, right=0.68, top=0.88, bottom=0.13)
    title = f"{found.of.title}: {found.version.name} ({found.version.status.value})"
    figure.suptitle(title, x=0.02, y=0.96, ha="left", fontsize=13, fontweight="bold")
    _draw(axes, shown)
    what = "error in %" if found.of.task is Task.CLASSIFICATION else "mean absolute error"
    axes.set_ylabel(f"{what}, test then train")
    axes.set_xlabel("rows so far; each point is the mean over the rows since the previous one")
    return figure


def _draw(axes: Axes, shown: Sequence[StreamSummary]) -> None:
    ends = []
    for summary in shown:
        curve = summary.curve
        assert curve is not None
        bold = summary.learner.engine is Engine.SGTREES
        color = _COLORS.get(summary.learner.name, _OTHER)
        axes.plot(
            curve.rows,
            curve.losses,
            color=color,
            linewidth=2.4 if bold else 1.4,
            linestyle=_DASHES[summary.learner.engine],
            zorder=3 if bold else 2,
        )
        label = f"{curve.losses[-1]:.3g}  {summary.learner.title}"
        ends.append((curve.losses[-1], color, label, bold))
    _scale(axes, shown)
    _name_lines(axes, ends)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=_FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.margins(x=0.0)


def _scale(axes: Axes, shown: Sequence[StreamSummary]) -> None:
    """Scale the axes: rows by their logarithm, losses so that the ends of the curves differ."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.xaxis.minorticks_off()
    losses = [loss for summary in shown for loss in (summary.curve.losses if summary.curve else [])]
    lowest, highest = min(losses), max(losses)
    if lowest > 0.0 and highest / lowest > 30.0:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        return
    last = max(summary.curve.losses[-1] for summary in shown if summary.curve)
    # A learner with a high loss at its start must not compress all other curves.
    axes.set_ylim(0.0, min(1.08 * highest, 3.0 * last))


def _name_lines(axes: Axes, ends: Sequence[tuple[float, str, str, bool]]) -> None:
    """Write each learner's name and last figure beside its curve's end, without overlaps."""
    to_axes = axes.transData + axes.transAxes.inverted()
    right = axes.get_xlim()[1]
    places = [(float(to_axes.transform((right, end[0]))[1]), end) for end in ends]
    places.sort(key=lambda place: place[0])
    heights = _spread([min(max(height, 0.0), 1.0) for height, _ in places])
    for height, (_, (_, color, label, bold)) in zip(heights, places, strict=True):
        axes.annotate(
            label,
            xy=(1.02, height),
            xycoords="axes fraction",
            va="center",
            color=color,
            fontsize=9.5,
            fontweight="bold" if bold else "normal",
            annotation_clip=False,
        )


def _spread(heights: list[float]) -> list[float]:
    """Move labels apart, from the lowest up, and down again where they would leave at the top.

    Examples
    --------
    >>> [round(height, 3) for height in _spread([0.5, 0.51, 0.99])]
    [0.5, 0.555, 0.99]
    """
    spread: list[float] = []
    for height in heights:
        spread.append(max(height, spread[-1] + _LABEL_HEIGHT) if spread else height)
    ceiling = 1.0
    for place in reversed(range(len(spread))):
        spread[place] = min(spread[place], ceiling)
        ceiling = spread[place] - _LABEL_HEIGHT
    return spread


def save(figure: Figure, path: Path) -> None:
    """Write a figure; the same one gives the same bytes."""
    with _steady(), atomic_file(path) as file:
        figure.savefig(
            file, format=path.suffix.lstrip("."), dpi=110, metadata=_metadata(path.suffix)
        )


def as_svg(figure: Figure) -> str:
    """Return a figure as SVG, to be put into a page."""
    text = StringIO()
    with _steady():
        figure.savefig(text, format="svg", metadata=_metadata(".svg"))
    svg = text.getvalue()
    return svg[svg.index("<svg") :]


def _steady() -> Any:
    return rc_context({"svg.hashsalt": "sgtrees", "svg.fonttype": "none"})


def _metadata(suffix: str) -> dict[str, Any] | None:
    return {"Date": None} if suffix == ".svg" else None
