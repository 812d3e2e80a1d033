"""Moments of change: a metric over windows, and below it what happened to the models when."""

import math
from typing import TYPE_CHECKING

from sgtrees.atomic_file import PathLike
from sgtrees.evaluation.metrics.registry import metric_title
from sgtrees.evaluation.plots.learning_curve import rows_of_point
from sgtrees.figure_style import COLOURS, name_lines, new_figure, save_figure, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sgtrees.evaluation.result import Evaluation

# The kinds of moments from top to bottom: what they are called, and how they are drawn.
_LANES = {
    "alarm": ("errors rose", "v", "#b3261e"),
    "replaced": ("trees replaced", "D", COLOURS[0]),
    "given up": ("new trees given up", "x", "#6b6b6b"),
    "new bins": ("new bins", "|", COLOURS[2]),
}


def plot_drift(
    result: "Evaluation",
    metric: str | None = None,
    *,
    model: str | None = None,
    path: PathLike | None = None,
    title: str | None = None,
) -> "Figure":
    """Draw when a model found that the stream had changed, and what it did.

    Above: a metric over the window of each point. Below: the rows at which errors rose, fresh trees
    took over or were given up, and numeric features got new bins.

    Parameters
    ----------
    result : Evaluation
        The evaluation. A point every 1,000 rows (``every``) or so shows changes well.
    metric : str, optional
        The metric's name; the first one by default.
    model : str, optional
        The model whose moments are drawn; the first one by default.
    path : path, optional
        A PNG file to write.
    title : str, optional
        The title; by default it says which metric and which model are drawn.

    Returns
    -------
    matplotlib.figure.Figure
        Two axes above each other, with the rows in common.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If nothing has been measured yet, or there is no such model.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.evaluation import prequential
    >>> from sgtrees.streams import Agrawal, Drift
    >>> stream = Drift(Agrawal(1), Agrawal(5, seed=1), at=10_000).head(20_000)
    >>> figure = plot_drift(prequential(stream, SGTClassifier(), every=1_000))
    >>> figure.axes[1].get_xlabel()
    'rows'
    """
    if not result.points:
        raise ValueError("nothing has been measured yet; there is nothing to draw")
    name = result.names[0] if model is None else model
    result.last(name)  # refuses a model that there is not
    measure = result.metrics[0] if metric is None else metric
    moments = _moments(result, name)
    counted = sum(map(len, moments.values()))
    heading = title or f"{metric_title(measure)} and moments of change of {name}"
    each = rows_of_point(result)
    caption = f"Windowed: each point is over {each}. {counted:,} moments of {name}."
    figure = new_figure(5.6, heading[0].upper() + heading[1:], caption)
    above, below = figure.subplots(
        2, 1, sharex=True, height_ratios=(2.4, 1.0), gridspec_kw={"hspace": 0.1}
    )
    _draw_metric(above, result, measure)
    _draw_moments(below, moments)
    for kind in ("alarm", "replaced"):
        for row in moments[kind]:
            above.axvline(row, color=_LANES[kind][2], linewidth=0.9, linestyle=":", zorder=0.5)
    below.set_xlim(0, result.rows)
    below.xaxis.set_major_formatter("{x:,.0f}")
    below.set_xlabel("rows")
    return save_figure(figure, path)


def _moments(result: "Evaluation", model: str) -> dict[str, list[int]]:
    """Return the rows of each kind of moments."""
    moments: dict[str, list[int]] = {kind: [] for kind in _LANES}
    for event in result.drifts.get(model, ()):
        moments[event.kind].append(event.row)
    moments["new bins"] = [update.row for update in result.range_updates.get(model, ())]
    return moments


def _draw_metric(axes: "Axes", result: "Evaluation", metric: str) -> None:
    is_share = metric in result.shares
    scale = 100.0 if is_share else 1.0
    rows = [point.rows for point in result.points]
    ends = []
    for place, (name, colour) in enumerate(
        zip(result.names, COLOURS * len(result.names), strict=False)
    ):
        values = [scale * value for value in result.curve(metric, name)]
        axes.plot(rows, values, color=colour, linewidth=2.2 if place == 0 else 1.4)
        if not math.isnan(values[-1]):
            last = f"{values[-1]:.1f} %" if is_share else f"{values[-1]:.4g}"
            ends.append((values[-1], colour, f"{last}  {name}", place == 0))
    if metric not in result.higher:
        axes.set_ylim(bottom=0.0)
    axes.set_ylabel(f"{metric_title(metric)}{' in %' if is_share else ''}", parse_math=False)
    name_lines(axes, ends, least=0.085)
    tidy(axes)


def _draw_moments(axes: "Axes", moments: dict[str, list[int]]) -> None:
    for lane, (kind, (words, marker, colour)) in enumerate(_LANES.items()):
        rows = moments[kind]
        axes.plot(
            rows, [-lane] * len(rows), marker, color=colour, markersize=7, linestyle="none",
            clip_on=False,
        )  # fmt: skip
        axes.annotate(
            f"{len(rows):,}  {words}",
            xy=(1.02, -lane),
            xycoords=("axes fraction", "data"),
            va="center",
            color=colour,
            annotation_clip=False,
        )
    axes.set_ylim(0.6 - len(_LANES), 0.6)
    axes.set_yticks(range(0, -len(_LANES), -1), [""] * len(_LANES))
    axes.tick_params(axis="y", length=0)
    tidy(axes)
    axes.spines["left"].set_visible(False)
