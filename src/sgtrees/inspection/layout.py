"""The positions of a tree's boxes: parents over the middle of their children, no overlaps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sgtrees.inspection.boxes import Box


@dataclass(frozen=True, slots=True)
class Place:
    """A box and its position.

    Levels follow one another in the direction "down", the boxes of a level lie "along" it; either
    direction may be from left to right in a picture.

    Attributes
    ----------
    box : Box
        The box.
    parent : Place or None
        The parent.
    along : float
        The middle of the box along its level.
    down, level_end : float
        Where its level begins and ends.
    length, height : float
        The extent of the box along its level, and down the levels.
    """

    box: Box
    parent: "Place | None"
    along: float
    down: float
    level_end: float
    length: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """All places, parents before their children, and the extent of the whole."""

    places: Sequence[Place]
    length: float
    height: float


# The extent of a box: along its level, and down the levels.
Size = Callable[[Box], tuple[float, float]]


def arrange(root: Box, size: Size, *, gap: float, level_gap: float) -> Layout:
    """Find a position for each box.

    Each level is as high as its highest box. Subtrees are moved together until, on some level, the
    gap between two of them is as small as it may be.

    Parameters
    ----------
    root : Box
        The root.
    size : callable
        The extent of a box along its level, and down the levels.
    gap : float
        The least space between two boxes of a level.
    level_gap : float
        The space between two levels.

    Returns
    -------
    Layout
        The places.

    Examples
    --------
    >>> root = Box(["root"], "", "", "", "", 1.0, False)
    >>> root.children = [Box([name], "", "", "", "", 0.5, True) for name in "ab"]
    >>> layout = arrange(root, lambda box: (10.0, 4.0), gap=2.0, level_gap=3.0)
    >>> [(place.box.lines[0], place.along, place.down) for place in layout.places]
    [('root', 11.0, 0.0), ('a', 5.0, 7.0), ('b', 17.0, 7.0)]
    """
    subtree = _together(root, size, gap)
    left = min(low for low, _ in subtree.outline)
    length = max(high for _, high in subtree.outline) - left
    heights: list[float] = []
    _note_heights(root, size, 0, heights)
    levels: list[tuple[float, float]] = []
    for height in heights:
        start = levels[-1][1] + level_gap if levels else 0.0
        levels.append((start, start + height))
    places: list[Place] = []
    _put(root, subtree, -left, 0, None, levels, size, places)
    return Layout(places, length, levels[-1][1])


@dataclass(frozen=True, slots=True)
class _Subtree:
    """A box at 0 with what is below it: the children's offsets, and the extent of each level."""

    children: Sequence[tuple["_Subtree", float]]
    outline: Sequence[tuple[float, float]]


def _together(box: Box, size: Size, gap: float) -> _Subtree:
    length, _ = size(box)
    own = (-length / 2.0, length / 2.0)
    if not box.children:
        return _Subtree((), (own,))
    subtrees = [_together(child, size, gap) for child in box.children]
    offsets = [0.0]
    outline = list(subtrees[0].outline)
    for subtree in subtrees[1:]:
        # As near to the subtrees on its left as the tightest level allows.
        offset = max(
            there[1] + gap - new[0] for there, new in zip(outline, subtree.outline, strict=False)
        )
        offsets.append(offset)
        for level, (low, high) in enumerate(subtree.outline):
            if level < len(outline):
                outline[level] = (outline[level][0], high + offset)
            else:
                outline.append((low + offset, high + offset))
    middle = (offsets[0] + offsets[-1]) / 2.0
    return _Subtree(
        [(subtree, offset - middle) for subtree, offset in zip(subtrees, offsets, strict=True)],
        [own, *((low - middle, high - middle) for low, high in outline)],
    )


def _note_heights(box: Box, size: Size, level: int, heights: list[float]) -> None:
    if level == len(heights):
        heights.append(0.0)
    heights[level] = max(heights[level], size(box)[1])
    for child in box.children:
        _note_heights(child, size, level + 1, heights)


def _put(
    box: Box,
    subtree: _Subtree,
    along: float,
    level: int,
    parent: Place | None,
    levels: Sequence[tuple[float, float]],
    size: Size,
    places: list[Place],
) -> None:
    place = Place(box, parent, along, *levels[level], *size(box))
    places.append(place)
    for child, (below, offset) in zip(box.children, subtree.children, strict=True):
        _put(child, below, along + offset, level + 1, place, levels, size, places)
