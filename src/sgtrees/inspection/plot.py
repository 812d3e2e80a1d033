"""Trees drawn by matplotlib (needs the extra ``plot``)."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from sgtrees.extras import install_command
from sgtrees.inspection.boxes import Box, choose_boxes
from sgtrees.inspection.extraction import Estimator, as_trees, view_model
from sgtrees.inspection.layout import Layout, Place, arrange
from sgtrees.inspection.model_view import ModelView
from sgtrees.inspection.predictions import tree_title
from sgtrees.inspection.tree_view import TreeView

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

# In points, for text of this size.
_FONT_SIZE, _LINE = 9.0, 12.5
_PADDING, _MARGIN, _GAP, _LEVEL_GAP = 7.0, 4.0, 9.0, 30.0
# Longer conditions are written on two lines.
_LONG = 16
# The numbers of boxes that are tried until the text is large enough to be read.
_FEWER_BOXES, _READABLE = (31, 25, 19, 15, 11, 7, 3), 6.0
_EDGE, _FRAME = "#b4b4b0", "#7d7d79"
_POINTS = 72.0
# The widest figure that is made automatically, in inches: beyond it the text becomes smaller.
_WIDEST = 40.0
_TITLE = 0.3


def plot_tree(
    model: Estimator | ModelView | TreeView,
    *,
    tree: int = 0,
    max_depth: int | None = None,
    max_boxes: int | Literal["auto"] | None = "auto",
    max_branches: int | None = 5,
    feature_names: Sequence[str] | None = None,
    label: Hashable = None,
    fontsize: float | None = None,
    ax: "Axes | None" = None,
) -> list["Text"]:
    """Draw a tree with matplotlib, similar to `sklearn.tree.plot_tree`.

    Each box has its condition, the mean prediction and the share of rows; its colour is the
    prediction, the width of the line to it the share. Boxes with a dashed frame have nodes below
    them that are not drawn.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier, ModelView or TreeView
        The model or tree.
    tree : int, default=0
        The number of the tree, if the model has several.
    max_depth : int, optional
        The depth of the deepest boxes.
    max_boxes : int, "auto" or None, default="auto"
        The approximate number of boxes; the parts with the most rows are drawn. "auto": 31, or
        fewer if the text would be too small in the axes given; all down to ``max_depth`` if
        that is given. None for all.
    max_branches : int, optional
        The most boxes below a split; the branches of the fewest rows share one.
    feature_names : sequence of str, optional
        Names for all features, if the data had none.
    label : str, bool, int or other name, optional
        The label or target of interest: the tree's own by default, or all if it has several.
    fontsize : float, optional
        The size of the text; by default as large as fits into the axes, and 9 without any.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure that is as large as the tree needs.

    Returns
    -------
    list of matplotlib.text.Text
        The lines of text in all boxes.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If there is no such tree.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 200, [10.0, 10.0, 20.0, 20.0] * 200
    >>> model = SGTRegressor(warm_up=50, epochs=1).fit(X, y)
    >>> texts = plot_tree(model, feature_names=["size"], ax=Figure().subplots())
    >>> texts[0].get_text()
    'all rows'
    """
    view = _tree_of(model, tree, feature_names)
    for limit in _limits(max_boxes, max_depth):
        root = choose_boxes(
            view, max_depth=max_depth, max_boxes=limit, max_branches=max_branches, label=label
        )
        layout = arrange(root, _size, gap=_GAP, level_gap=_LEVEL_GAP)
        if ax is None or _scale(layout, ax) * _FONT_SIZE >= _READABLE:
            break
    axes = _new_axes(layout, fontsize or _FONT_SIZE) if ax is None else ax
    if len(as_trees(model)) > 1:
        axes.set_title(tree_title(view), loc="left", fontsize=1.2 * _FONT_SIZE, parse_math=False)
    return _draw(axes, layout, _scale(layout, axes) if fontsize is None else fontsize / _FONT_SIZE)


def _tree_of(
    model: Estimator | ModelView | TreeView, number: int, feature_names: Sequence[str] | None
) -> TreeView:
    if isinstance(model, TreeView):
        return model
    view = model
    if not isinstance(view, ModelView):
        view = view_model(view, feature_names=feature_names)
    if not 0 <= number < len(view.trees):
        have = "no tree yet" if not view.trees else f"trees 0 to {len(view.trees) - 1}"
        raise ValueError(f"tree == {number}, but the model has {have}")
    return view.trees[number]


def _limits(max_boxes: int | Literal["auto"] | None, max_depth: int | None) -> Sequence[int | None]:
    if max_boxes != "auto":
        return (max_boxes,)
    return _FEWER_BOXES if max_depth is None else (None,)


def _new_axes(layout: Layout, fontsize: float) -> "Axes":
    plt = _pyplot()
    scale = fontsize / _FONT_SIZE / _POINTS
    width, height = ((extent + 4.0 * _MARGIN) * scale for extent in (layout.length, layout.height))
    shrink = min(1.0, _WIDEST / width)
    figure = plt.figure(figsize=(width * shrink, (height + _TITLE) * shrink))
    top = height / (height + _TITLE)
    axes: Axes = figure.add_axes((0.0, 0.0, 1.0, top))
    return axes


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot as plt  # noqa: PLC0415 - of the extra `plot`
    except ImportError as error:
        raise ImportError(f"plot_tree needs matplotlib: {install_command('plot')}") from error
    return plt


def _scale(layout: Layout, ax: "Axes") -> float:
    """Return the factor by which everything shrinks or grows to fill the axes."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    extent = ax.get_window_extent()
    length, height = (size + 2.0 * _MARGIN for size in (layout.length, layout.height))
    return min(extent.width / length, extent.height / height) * _POINTS / figure.dpi


def _written(box: Box) -> list[tuple[str, bool]]:
    """Return the lines of a box, and whether they are bold."""
    if box.feature and len(box.lines[0]) > _LONG:
        where = [box.feature, box.lines[0].removeprefix(box.feature).strip(": ")]
    else:
        where = box.lines[:1]
    return [*((line, True) for line in where), *((line, False) for line in box.lines[1:])]


def _size(box: Box) -> tuple[float, float]:
    """Return the extent of a box along its level, its width, and its height."""
    lines = _written(box)
    width = max(_width(line, is_bold) for line, is_bold in lines)
    return width + 2.0 * _PADDING, len(lines) * _LINE + _PADDING


def _width(text: str, is_bold: bool) -> float:
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415
    from matplotlib.textpath import text_to_path  # noqa: PLC0415

    font = FontProperties(size=_FONT_SIZE, weight="bold" if is_bold else "normal")
    # Without mathematics: a dollar sign in a name does not start a formula.
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    # On a screen letters are slightly wider than their outlines.
    return 1.03 * float(width)


def _draw(ax: "Axes", layout: Layout, scale: float) -> list["Text"]:
    ax.set_axis_off()
    ax.set_xlim(-_MARGIN, layout.length + _MARGIN)
    ax.set_ylim(layout.height + _MARGIN, -_MARGIN)
    ax.set_aspect("equal")
    for place in layout.places:
        _draw_edge(ax, place, scale)
    return [text for place in layout.places for text in _draw_box(ax, place, scale)]


def _draw_edge(ax: "Axes", place: Place, scale: float) -> None:
    parent = place.parent
    if parent is None:
        return
    # Straight down to the end of the level, so as to pass under no other box.
    ax.plot(
        [parent.along, parent.along, place.along],
        [parent.down + parent.height, parent.level_end, place.down],
        color=_EDGE,
        linewidth=scale * (0.8 + 7.0 * place.box.share),
        solid_capstyle="round",
        zorder=1,
    )


def _draw_box(ax: "Axes", place: Place, scale: float) -> list["Text"]:
    from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415

    box = place.box
    is_whole = box.is_leaf or bool(box.children)
    rounding = 4.0
    ax.add_patch(
        FancyBboxPatch(
            (place.along - place.length / 2.0 + rounding, place.down + rounding),
            place.length - 2.0 * rounding,
            place.height - 2.0 * rounding,
            boxstyle=f"round,pad={rounding},rounding_size={rounding}",
            facecolor=box.fill,
            edgecolor=_FRAME,
            linewidth=0.8 * scale,
            linestyle="-" if is_whole else (0, (4, 3)),
            zorder=2,
        )
    )
    style: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 3, "parse_math": False}
    return [
        ax.text(
            place.along,
            place.down + _PADDING / 2.0 + (number + 0.5) * _LINE,
            line,
            color=box.ink,
            fontsize=_FONT_SIZE * scale,
            fontweight="bold" if is_bold else "normal",
            **style,
        )
        for number, (line, is_bold) in enumerate(_written(box))
    ]
