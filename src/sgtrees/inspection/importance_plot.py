"""Importances as a figure of matplotlib (extra ``plot``)."""

from typing import TYPE_CHECKING

import numpy as np

from sgtrees.atomic_file import PathLike
from sgtrees.figure_style import COLOURS, new_figure, save_figure, tidy
from sgtrees.inspection.extraction import Estimator
from sgtrees.inspection.importances import Importances, gain_importances
from sgtrees.inspection.model_view import ModelView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONGEST_NAME = 32


def plot_importances(
    importances: Estimator | ModelView | Importances,
    *,
    top: int = 20,
    path: PathLike | None = None,
    title: str | None = None,
) -> "Figure":
    """Draw the importances of features as bars.

    Parameters
    ----------
    importances : Importances, or SGTClassifier, SGTRegressor, ... or ModelView
        The importances, of `gain_importances` or `permutation_importances`; of a model those by
        gain. Deviations, which those by permutation have, are drawn as lines.
    top : int, default=20
        The most features to draw; those of the greatest importance.
    path : path, optional
        A PNG file to write.
    title : str, optional
        The title; by default it says "Importance of features".

    Returns
    -------
    matplotlib.figure.Figure
        Horizontal bars, the most important feature on top.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If there are no features to draw.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.streams import Friedman
    >>> rows = Friedman().take(5_000)
    >>> figure = plot_importances(SGTRegressor().partial_fit(rows.X, rows.y), top=3)
    >>> len(figure.axes[0].patches)
    3
    """
    found = importances if isinstance(importances, Importances) else gain_importances(importances)
    if top < 1:
        raise ValueError(f"top == {top}, must be >= 1.")
    order = np.argsort(-found.values, kind="stable")[:top]
    if not len(order):
        raise ValueError("there are no features to draw")
    is_gain = found.spread is None
    left_out = len(found.values) - len(order)
    more = f" {left_out:,} features of less importance are left out." if left_out else ""
    caption = (
        f"Cumulative: share of the decrease of the loss by all splits of the present trees.{more}"
        if is_gain
        else f"Decrease of the score when a feature's values are permuted, on the rows given.{more}"
    )
    figure = new_figure(1.9 + 0.3 * len(order), title or "Importance of features", caption)
    axes = figure.subplots()
    figure.subplots_adjust(left=0.3, right=0.93)
    scale = 100.0 if is_gain else 1.0
    values = scale * found.values[order]
    places = -np.arange(len(order))
    lines = None if found.spread is None else scale * found.spread[order]
    axes.barh(places, values, xerr=lines, color=COLOURS[0], height=0.7, ecolor="#333333")
    for place, value in zip(places, values, strict=True):
        text = f"{value:.1f} %" if is_gain else f"{value:.3g}"
        beyond = 0.0 if lines is None else lines[-place]
        axes.annotate(text, (max(value, 0.0) + beyond, place), xytext=(5, 0),
                      textcoords="offset points", va="center")  # fmt: skip
    axes.set_yticks(places, [_short(str(found.feature_names[k])) for k in order], parse_math=False)
    axes.margins(x=0.12)
    axes.set_xlabel("importance in %" if is_gain else "decrease of the score")
    tidy(axes, grid="x")
    return save_figure(figure, path)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}\u2026"
