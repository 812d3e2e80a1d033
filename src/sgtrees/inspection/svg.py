"""Trees as self-contained SVG, without external fonts, scripts or files."""

from collections.abc import Hashable, Sequence
from html import escape

from sgtrees.inspection.boxes import Box, choose_boxes
from sgtrees.inspection.characters import shown
from sgtrees.inspection.extraction import Estimator, as_trees
from sgtrees.inspection.layout import Layout, Place, arrange
from sgtrees.inspection.model_view import ModelView
from sgtrees.inspection.predictions import tree_title
from sgtrees.inspection.tree_view import TreeView

_FONT_SIZE, _LINE = 12.0, 16.0
_PADDING, _MARGIN = 9.0, 16.0
_TITLE_HEIGHT = 26.0
_GAP, _LEVEL_GAP = 10.0, 46.0
_EDGE, _FRAME = "#b4b4b0", "#7d7d79"
# Widths of letters in a wide sans serif font, relative to its size; all others have the usual
# width. The viewer's font is not known here; a narrower one leaves some space.
_NARROW, _WIDE, _USUAL = 0.36, 0.97, 0.62
_WIDTHS = dict.fromkeys("iljtf.,:;|!'()[] ", _NARROW) | dict.fromkeys("mwMW%@", _WIDE)


def to_svg(
    model: Estimator | ModelView | TreeView,
    *,
    max_depth: int | None = None,
    max_boxes: int | None = 40,
    max_branches: int | None = 6,
    label: Hashable = None,
) -> str:
    """Draw a model's trees as SVG, from left to right, one below the other.

    The text is self-contained: it may be saved as a file, or put into an HTML page as it is. Each
    box has its condition, the mean prediction and the share of rows; its colour is the prediction,
    the width of the line to it the share. A tooltip has the whole rule.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier, ModelView or TreeView
        The model or tree.
    max_depth : int, optional
        The depth of the deepest boxes.
    max_boxes : int, optional
        The approximate number of boxes for a tree; the parts with the most rows are drawn.
    max_branches : int, optional
        The most boxes below a split; the branches of the fewest rows share one.
    label : str, bool, int or other name, optional
        The label or target of interest: the tree's own by default, or all if it has several.

    Returns
    -------
    str
        The SVG.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 200, [10.0, 10.0, 20.0, 20.0] * 200
    >>> svg = to_svg(SGTRegressor(warm_up=50, epochs=1).fit(X, y))
    >>> svg.startswith("<svg"), svg.count("<rect")
    (True, 4)
    """
    trees = as_trees(model)
    pictures = []
    width, top = 0.0, _MARGIN
    for tree in trees:
        root = choose_boxes(
            tree,
            max_depth=max_depth,
            max_boxes=max_boxes,
            max_branches=max_branches,
            label=label,
        )
        layout = arrange(root, _size, gap=_GAP, level_gap=_LEVEL_GAP)
        heading = tree_title(tree) if len(trees) > 1 else None
        pictures.append(_tree(layout, top, heading))
        width = max(width, layout.height)
        top += layout.length + _MARGIN + (_TITLE_HEIGHT if heading else 0.0)
    width += 2.0 * _MARGIN
    extent = f'width="{width:.0f}" height="{top:.0f}"'
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {extent} viewBox="0 0 {width:.0f} {top:.0f}" '
        f'font-size="{_FONT_SIZE:.0f}" font-family="Helvetica, Arial, sans-serif">'
    )
    background = f'<rect {extent} fill="#ffffff"/>'
    return "\n".join([start, background, *pictures, "</svg>", ""])


def _size(box: Box) -> tuple[float, float]:
    """Return the height of a box, which is its extent along a level here, and its width."""
    lines = _written(box)
    width = max(_width(line, is_bold=place == 0) for place, line in enumerate(lines))
    return len(lines) * _LINE + _PADDING, width + 2.0 * _PADDING


def _written(box: Box) -> Sequence[str]:
    """Return the lines of a box: prediction and rows share one."""
    where, prediction, rows, *more = box.lines
    return [where, f"{prediction}, {rows}", *more]


def _width(text: str, *, is_bold: bool) -> float:
    plain = _FONT_SIZE * sum(_WIDTHS.get(letter, _USUAL) for letter in text)
    return 1.11 * plain if is_bold else plain


def _tree(layout: Layout, top: float, heading: str | None) -> str:
    lines = []
    if heading is not None:
        lines.append(
            f'<text x="{_MARGIN:.0f}" y="{top + 12.0:.0f}" font-size="14" font-weight="bold" '
            f'fill="#1b1b1b">{_escape(heading)}</text>'
        )
        top += _TITLE_HEIGHT
    lines.append(f'<g transform="translate({_MARGIN:.1f} {top:.1f})">')
    lines += [_edge(place) for place in layout.places if place.parent is not None]
    lines += [_box(place) for place in layout.places]
    return "\n".join([*lines, "</g>"])


def _edge(place: Place) -> str:
    parent = place.parent
    assert parent is not None
    x0, y0 = parent.down + parent.height, parent.along
    x1, y1 = place.down, place.along
    # Straight on to the end of the level, so as to pass under no other box.
    end = parent.level_end
    bend = (x1 - end) / 2.0
    return (
        f'<path d="M{x0:.1f} {y0:.1f}H{end:.1f}C{end + bend:.1f} {y0:.1f} {x1 - bend:.1f} {y1:.1f} '
        f'{x1:.1f} {y1:.1f}" fill="none" stroke="{_EDGE}" '
        f'stroke-width="{1.0 + 11.0 * place.box.share:.1f}"/>'
    )


def _box(place: Place) -> str:
    box = place.box
    left, top = place.down, place.along - place.length / 2.0
    dash = "" if box.is_leaf or box.children else ' stroke-dasharray="4 3"'
    extent = f'x="{left:.1f}" y="{top:.1f}" width="{place.height:.1f}" height="{place.length:.1f}"'
    lines = [
        "<g>",
        f"<title>{_escape(box.details)}</title>",
        f'<rect {extent} rx="6" fill="{box.fill}" stroke="{_FRAME}"{dash}/>',
    ]
    for number, line in enumerate(_written(box)):
        weight = ' font-weight="bold"' if number == 0 else ""
        baseline = top + _PADDING / 2.0 + (number + 0.75) * _LINE
        lines.append(
            f'<text x="{left + _PADDING:.1f}" y="{baseline:.1f}" fill="{box.ink}"{weight}>'
            f"{_escape(line)}</text>"
        )
    return "\n".join([*lines, "</g>"])


def _escape(text: str) -> str:
    return escape(shown(text, keep="\n"))
