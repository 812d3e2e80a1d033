"""From whatever holds rows to a stream of them."""

import importlib.util
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sgtrees.data.tables import is_frame
from sgtrees.streams.block import Block
from sgtrees.streams.blocks import BlockStream
from sgtrees.streams.errors import OnError, StreamError
from sgtrees.streams.files.settings import MISSING, TextSettings
from sgtrees.streams.files.sources import Source, find_sources
from sgtrees.streams.kinds import Said
from sgtrees.streams.memory import stream_of_array, stream_of_frame
from sgtrees.streams.stream import Stream


def open_stream(
    source: Any,
    target: str | int | None = None,
    *,
    y: Any = None,
    nominal: Sequence[str] = (),
    numeric: Sequence[str] = (),
    drop: Sequence[str] = (),
    only: Sequence[str] | None = None,
    weight: str | None = None,
    on_error: OnError = "raise",
    file_format: str | None = None,
    delimiter: str | None = None,
    has_names: bool = True,
    missing: Sequence[str] = MISSING,
    encoding: str = "utf-8",
    needs_target: bool = True,
) -> Stream:
    r"""Open a stream of rows.

    Files are read bit by bit, in constant memory. What the columns are is found out from the first
    block (8 MB of a text), unless it is said: numbers are numeric, text and booleans nominal.

    Parameters
    ----------
    source : path, "-", pattern, sequence of paths, array, data frame, or iterable
        - Files: CSV and TSV, NDJSON, ARFF (each of them also packed: .gz, .zst, .bz2), Parquet and
          Arrow. Several are read in their order; a folder and a pattern like ``"2013-*.csv"`` stand
          for their files in the order of their names. "-" is standard input.
        - A `Source`, as `find_sources` finds them.
        - A NumPy array, or a data frame of pandas, polars or pyarrow.
        - An iterable of rows (dictionaries, or pairs of a dictionary and a target, as river's data
          sets yield them) or of blocks (`Block`, pairs of X and y, or data frames).
    target : str or int, optional
        The column that is to be predicted, by its name or place; -1 is the last.
    y : array, optional
        The target, where ``source`` is an array or a data frame without it.
    nominal, numeric, drop : sequence of str
        Columns that are nominal, that are numeric, and that are not to be read; also patterns like
        ``"soil_*"``. The values of a file's column that is said to be nominal are text.
    only : sequence of str, optional
        All features, in the order in which they are wanted; other columns are left out.
    weight : str, optional
        The column of the rows' weights.
    on_error : {"raise", "skip"}, default="raise"
        "raise": a row that cannot be used ends the stream with a `StreamError`, after the rows
        before it have come. "skip": it is left out; `Stream.skipped` counts and lists them.
    file_format : {"csv", "tsv", "ndjson", "arff", "parquet", "arrow"}, optional
        The files' format; by default their names tell, or else their first bytes.
    delimiter : str, optional
        What stands between values in CSV. By default that one of comma, semicolon, tab and bar that
        is most frequent in the first line.
    has_names : bool, default=True
        Whether the first line of CSV holds the columns' names; else they are x0, x1, x2, ...
    missing : sequence of str
        What stands for a missing value in CSV.
    encoding : str, default="utf-8"
        The encoding of CSV.
    needs_target : bool, default=True
        Whether a source that has no column ``target`` is refused; False where rows are to be
        predicted only.

    Returns
    -------
    Stream
        The rows.

    Raises
    ------
    StreamError
        Where the source cannot be read; the message says why and what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.streams import open_stream
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.csv")
    ...     _ = path.write_text("size,colour,fruit\n7.5,green,apple\n1.5,red,cherry\n")
    ...     stream = open_stream(path, "fruit")
    ...     model = SGTClassifier()
    ...     for block in stream:
    ...         _ = model.partial_fit(block.X, block.y)
    >>> model.classes_.tolist(), [column.name for column in stream.columns if column.nominal]
    (['apple', 'cherry'], ['colour'])
    """
    said = Said(
        target,
        weight,
        tuple(nominal),
        tuple(numeric),
        tuple(drop),
        needs_target,
        None if only is None else tuple(only),
    )
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error == {on_error!r}, must be 'raise' or 'skip'.")
    if isinstance(source, Stream):
        return source
    if is_frame(source):
        return stream_of_frame(source, y, said)
    if isinstance(source, np.ndarray):
        return stream_of_array(source, y, said)
    if isinstance(source, str | Path | Source) or _are_paths(source):
        _need_pyarrow("to read files")
        from sgtrees.streams.files.file_stream import FileStream  # noqa: PLC0415

        settings = TextSettings(delimiter, has_names, tuple(missing), encoding)
        sources = [source] if isinstance(source, Source) else find_sources(source, file_format)
        return FileStream(sources, said, settings, on_error)
    if isinstance(source, Iterable):
        return _of_iterable(source, y, said, on_error)
    raise StreamError(f"{type(source).__name__} is nothing that holds rows")


def _are_paths(source: Any) -> bool:
    is_list = isinstance(source, list | tuple) and len(source) > 0
    return is_list and all(isinstance(path, str | Path) for path in source)


def _of_iterable(source: Iterable[Any], y: Any, said: Said, on_error: OnError) -> Stream:
    again = None if iter(source) is source else source
    iterator = iter(source)
    first = next(iterator, None)
    if first is None:
        raise StreamError("the iterator yields nothing")
    whole = itertools.chain([first], iterator) if again is None else again
    is_pair = isinstance(first, tuple) and len(first) == 2 and isinstance(first[0], Mapping)
    if isinstance(first, Mapping) or is_pair:
        _need_pyarrow("to make blocks of rows")
        from sgtrees.streams.rows import RowStream  # noqa: PLC0415

        return RowStream(whole, said, on_error)
    if isinstance(first, Block) or (isinstance(first, tuple) and len(first) in (2, 3)):
        return _of_blocks(whole, first)
    if is_frame(first):
        return _of_frames(whole, first, said)
    if isinstance(source, list | tuple):
        return stream_of_array(source, y, said)
    raise StreamError(
        f"an iterator of {type(first).__name__} is nothing that holds rows; "
        "give dictionaries, pairs of a dictionary and a target, blocks, or data frames"
    )


def _of_blocks(blocks: Iterable[Any], first: Any) -> Stream:
    block = first if isinstance(first, Block) else Block(*first)
    look = stream_of_frame if is_frame(block.X) else stream_of_array
    shape = look(block.X, block.y, Said())
    return BlockStream(blocks, shape.columns, shape.target)


def _of_frames(frames: Iterable[Any], first: Any, said: Said) -> Stream:
    shape = stream_of_frame(first, None, said)
    return BlockStream(
        _Repeatable(frames, lambda frame: stream_of_frame(frame, None, said).whole),
        shape.columns,
        shape.target,
    )


class _Repeatable:
    """The items of an iterable, each changed; iterated as often as the iterable can be."""

    def __init__(self, items: Iterable[Any], change: Callable[[Any], Block]) -> None:
        self._items = items
        self._change = change

    def __iter__(self) -> Iterator[Block]:
        return map(self._change, self._items)


def _need_pyarrow(what: str) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise ImportError(f"pyarrow is needed {what}: pip install 'sgtrees[cli]'")
