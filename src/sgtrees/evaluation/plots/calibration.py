"""Calibration: how often predictions of a given probability are right."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.atomic_file import PathLike
from sgtrees.figure_style import COLOURS, GREY, new_figure, save_figure, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


def plot_calibration(
    y: Any,
    probabilities: Any,
    *,
    classes: Sequence[Any] | None = None,
    n_bins: int = 10,
    path: PathLike | None = None,
    title: str | None = None,
) -> "Figure":
    """Draw how often predictions of a given probability are right, and how many there are.

    A calibrated model lies on the diagonal. The rows are those that are given: each of those of
    ``learn_predict(X, y, method="predict_proba")`` was predicted before it was learned, and the
    figure is cumulative; with ``predict_proba`` the model is as it is now.

    Parameters
    ----------
    y : array of shape (n_rows,)
        The true labels.
    probabilities : array of shape (n_rows,) or (n_rows, n_classes)
        The probability of the second of two classes, or of all classes. With two classes the curve
        is that of the second one, with more that of the most probable one of each row.
    classes : sequence, optional
        The labels of the columns, like ``classes_`` of an estimator; by default those of ``y``,
        sorted.
    n_bins : int, default=10
        The number of bins, of equal width.
    path : path, optional
        A PNG file to write.
    title : str, optional
        The title; by default it says which label the probabilities are of.

    Returns
    -------
    matplotlib.figure.Figure
        The curve, and below it how many rows each bin has.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If shapes or labels do not fit, or there are no rows.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.streams import Sea
    >>> rows = Sea().take(5_000)
    >>> model = SGTClassifier()
    >>> p = model.learn_predict(rows.X, rows.y, method="predict_proba")
    >>> figure = plot_calibration(rows.y, p, classes=model.classes_)
    >>> figure.axes[0].get_ylabel().startswith("share of rows")
    True
    """
    labels = np.asarray(y)
    names = list(np.unique(labels) if classes is None else classes)
    predicted, is_right, what = _predicted(labels, np.asarray(probabilities, np.float64), names)
    if n_bins < 1:
        raise ValueError(f"n_bins == {n_bins}, must be >= 1.")
    known = ~np.isnan(predicted)
    if not known.any():
        raise ValueError("there are no probabilities to draw")
    predicted, is_right = predicted[known], is_right[known]
    place = np.minimum((predicted * n_bins).astype(np.intp), n_bins - 1)
    counts = np.bincount(place, minlength=n_bins)
    used = counts > 0
    mean = np.bincount(place, predicted, minlength=n_bins)[used] / counts[used]
    right = np.bincount(place, is_right, minlength=n_bins)[used] / counts[used]
    gap = float(np.abs(mean - right) @ counts[used] / counts.sum())
    caption = (
        f"Over all {len(predicted):,} rows that were given, in {n_bins} bins; "
        f"mean distance from the diagonal {100.0 * gap:.1f} points."
    )
    figure = new_figure(6.0, title or f"Calibration of {what}", caption)
    above, below = figure.subplots(
        2, 1, sharex=True, height_ratios=(3.0, 1.0), gridspec_kw={"hspace": 0.12}
    )
    above.plot([0, 100], [0, 100], color=GREY, linewidth=1.4, linestyle=(0, (4, 2)))
    above.plot(100.0 * mean, 100.0 * right, color=COLOURS[0], linewidth=2.2, marker="o")
    above.annotate("calibrated", xy=(100, 100), xytext=(6, 0), textcoords="offset points",
                   va="center", color=GREY, annotation_clip=False)  # fmt: skip
    above.set_ylabel(f"share of rows that are {'right' if len(names) > 2 else names[-1]}, in %",
                     parse_math=False)  # fmt: skip
    above.set_ylim(-2, 102)
    edges = 100.0 * (np.arange(n_bins) + 0.5) / n_bins
    below.bar(edges, counts, width=92.0 / n_bins, color=COLOURS[0], alpha=0.35)
    below.set_ylabel("rows")
    below.yaxis.set_major_formatter("{x:,.0f}")
    below.set_xlabel("predicted probability in %")
    below.set_xlim(0, 100)
    figure.subplots_adjust(left=0.11)
    for axes in (above, below):
        tidy(axes)
    figure.align_ylabels()
    return save_figure(figure, path)


def _predicted(
    labels: NDArray[Any], probabilities: Floats, names: list[Any]
) -> tuple[Floats, NDArray[np.bool_], str]:
    """Return the probability of each row, whether it was right, and of what it is."""
    if len(probabilities) != len(labels):
        raise ValueError(f"there are {len(labels)} labels, but {len(probabilities)} probabilities")
    if probabilities.ndim == 2 and probabilities.shape[1] != len(names):
        raise ValueError(
            f"probabilities have {probabilities.shape[1]} columns, but there are {len(names)} "
            f"classes: {names}; give the classes of the columns as `classes`"
        )
    if probabilities.ndim == 2 and len(names) > 2:
        best = probabilities.argmax(axis=1)
        is_right = np.array(names)[best] == labels
        return probabilities.max(axis=1), is_right, "the most probable label"
    if len(names) != 2:
        raise ValueError(f"one probability for each row needs two classes, not {len(names)}")
    second = probabilities[:, 1] if probabilities.ndim == 2 else probabilities
    return second, labels == names[1], f"the probability of {names[1]}"
