"""A learning curve as a picture (needs the extra ``plot``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgtrees.evaluation.learning_curve import LearningCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Told apart by those who see no red or green too, and by their lightness on grey paper.
_TREE, _MAJORITY, _BEST = "#1f5fa8", "#c2571a", "#4d4d4d"
_FAINT = "#d9d9d9"
# Fewer points than this are drawn as dots, which would else be hard to see.
_FEW = 30


def draw_learning_curve(curve: LearningCurve, path: Path, *, title: str) -> None:
    """Draw the error over the rows, and below it the growth of the tree; write it as a PNG.

    Parameters
    ----------
    curve : LearningCurve
        What to draw; a window at least.
    path : Path
        The file to write; replaced where it exists.
    title : str
        What the picture shows.

    Raises
    ------
    ImportError
        Where matplotlib is not installed.
    ValueError
        Where the curve is empty.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sgtrees.evaluation import CurvePoint
    >>> curve = LearningCurve((CurvePoint(1000, 1000, 0.2, 0.4, 0.1, 3, 0.1),))
    >>> with TemporaryDirectory() as folder:
    ...     draw_learning_curve(curve, Path(folder, "curve.png"), title="A curve")
    ...     Path(folder, "curve.png").exists()
    True
    """
    # Of the extra `plot`; a figure of its own leaves pyplot's state and its window system alone.
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator  # noqa: PLC0415

    if not curve.points:
        raise ValueError("the curve has no window yet; there is nothing to draw")
    figure = Figure(figsize=(9.0, 6.0))
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2.6, 1.0))
    figure.subplots_adjust(left=0.085, right=0.765, top=0.89, bottom=0.09, hspace=0.12)
    figure.suptitle(title, x=0.025, y=0.965, ha="left", fontsize=14, fontweight="bold")
    _draw_errors(upper, curve)
    _draw_leaves(lower, curve)
    # 1k, 2k, 5k, 10k, ...
    lower.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    lower.xaxis.set_major_formatter(EngFormatter(sep=""))
    lower.xaxis.minorticks_off()
    lower.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    lower.yaxis.set_major_formatter("{x:,.0f}")
    figure.align_ylabels()
    figure.savefig(path, format="png", dpi=150)


def _draw_errors(axes: "Axes", curve: LearningCurve) -> None:
    rows = [point.rows for point in curve.points]
    majority = [100.0 * point.majority_error for point in curve.points]
    tree = [100.0 * point.error for point in curve.points]
    best = 100.0 * curve.best_error
    axes.plot(rows, majority, color=_MAJORITY, linewidth=1.6, clip_on=False, **_marker(curve))
    axes.axhline(best, color=_BEST, linewidth=1.6, linestyle=(0, (4, 2)))
    axes.plot(rows, tree, color=_TREE, linewidth=2.4, clip_on=False, **_marker(curve))
    axes.fill_between(rows, best, tree, color=_TREE, alpha=0.08, linewidth=0)
    axes.set_ylim(0.0, 1.12 * max(1.0, *majority, *tree))
    axes.set_ylabel("error in %, test then train")
    axes.set_xscale("log")
    ends = [
        (majority[-1], _MAJORITY, "majority class"),
        (tree[-1], _TREE, "gradient tree"),
        (best, _BEST, "best possible"),
    ]
    _name_lines(axes, ends)
    _tidy(axes)


def _draw_leaves(axes: "Axes", curve: LearningCurve) -> None:
    rows = [point.rows for point in curve.points]
    leaves = [point.n_leaves for point in curve.points]
    axes.plot(rows, leaves, color=_TREE, linewidth=2.0, clip_on=False, **_marker(curve))
    axes.fill_between(rows, 0, leaves, color=_TREE, alpha=0.08, linewidth=0)
    axes.set_ylim(0, 1.12 * max(1, *leaves))
    axes.set_ylabel("leaves")
    axes.set_xlabel("rows so far; each point tells of the rows since the one before")
    _name_lines(axes, [(leaves[-1], _TREE, "leaves")], form="{:,.0f}")
    _tidy(axes)


def _marker(curve: LearningCurve) -> dict[str, Any]:
    return {"marker": "o" if len(curve.points) < _FEW else "", "markersize": 4}


def _name_lines(
    axes: "Axes", ends: Sequence[tuple[float, str, str]], form: str = "{:.1f} %"
) -> None:
    """Write each line's last value and name beside its end, one clear of the other."""
    least = 0.075 * axes.get_ylim()[1]
    free = -least
    for value, color, name in sorted(ends):
        place = max(value, free + least)
        free = place
        axes.annotate(
            f"{form.format(value)}  {name}",
            xy=(1.02, place),
            xycoords=("axes fraction", "data"),
            va="center",
            color=color,
            fontsize=10,
            fontweight="bold" if color == _TREE else "normal",
            annotation_clip=False,
        )


def _tidy(axes: "Axes") -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=_FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.margins(x=0.0)
