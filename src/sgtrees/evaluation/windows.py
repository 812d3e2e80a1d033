"""The windows of a learning curve, and the blocks of a stream cut at their ends."""

import itertools
from collections.abc import Iterable, Iterator

from sgtrees.streams import Block

# Errors over fewer rows are mostly noise; more rows take memory, and delay the next point.
_LEAST_ROWS = 1000
_MOST_ROWS = 50_000


def window_ends(n_rows: int | None = None) -> Iterator[int]:
    """Yield the ends of windows that grow with the stream, up to a tenth of the rows so far.

    On a logarithmic axis they are about equally wide. None is longer than 50,000 rows, to bound
    memory.

    Parameters
    ----------
    n_rows : int, optional
        The number of rows in total; endless by default.

    Yields
    ------
    int
        The number of rows at the end of each window.

    Examples
    --------
    >>> list(window_ends(24_500))[-5:]
    [19000, 20000, 22000, 24000, 24500]
    """
    end = 0
    while n_rows is None or end < n_rows:
        end += _window(end)
        yield end if n_rows is None else min(end, n_rows)


def _window(rows: int) -> int:
    """Return the largest of 1000, 2000, 5000, ..., 50,000 that is at most a tenth of the rows."""
    window = _LEAST_ROWS
    for factor in itertools.cycle((2.0, 2.5, 2.0)):
        longer = int(window * factor)
        if 10 * longer > rows or longer > _MOST_ROWS:
            break
        window = longer
    return window


def cut_at_points(blocks: Iterable[Block], every: int | None) -> Iterator[tuple[Block, int, bool]]:
    """Cut blocks at the ends of windows.

    Parameters
    ----------
    blocks : iterable of Block
        The rows.
    every : int or None
        The number of rows in a window; None for windows that grow.

    Yields
    ------
    part : Block
        Rows of one window.
    rows : int
        The number of rows so far, these included.
    is_end : bool
        Whether the window ends here.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = [Block(np.zeros((n, 1))) for n in (3, 4)]
    >>> [(len(part), rows, is_end) for part, rows, is_end in cut_at_points(blocks, 2)]
    [(2, 2, True), (1, 3, False), (1, 4, True), (2, 6, True), (1, 7, False)]
    """
    ends = window_ends() if every is None else itertools.count(every, every)
    end = next(ends)
    rows = 0
    for block in blocks:
        start = 0
        while start < len(block):
            stop = min(start + end - rows, len(block))
            rows += stop - start
            yield block.slice(start, stop), rows, rows == end
            start = stop
            if rows == end:
                end = next(ends)
