"""`open_stream`: a stream from files, arrays, data frames and iterables."""

import importlib.util
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sgtrees.data.tables import is_frame
from sgtrees.extras import install_command
from sgtrees.streams.block import Block
from sgtrees.streams.brokers.addresses import Address, is_address, read_address
from sgtrees.streams.brokers.broker import Start
from sgtrees.streams.columns import ColumnOptions
from sgtrees.streams.errors import OnError, StreamError
from sgtrees.streams.files.csv_options import MISSING_VALUES, CsvOptions
from sgtrees.streams.files.sources import Source, find_sources
from sgtrees.streams.memory import BlockStream, stream_of_array, stream_of_frame
from sgtrees.streams.stream import Stream


def open_stream(
    source: Any,
    target: str | int | None = None,
    *,
    y: Any = None,
    nominal: Sequence[str] = (),
    numeric: Sequence[str] = (),
    time: Sequence[str] = (),
    drop: Sequence[str] = (),
    only: Sequence[str] | None = None,
    may_lack: Sequence[str] = (),
    keep: Sequence[str] = (),
    weight: str | None = None,
    on_error: OnError = "raise",
    file_format: str | None = None,
    delimiter: str | None = None,
    has_header: bool = True,
    missing: Sequence[str] = MISSING_VALUES,
    encoding: str = "utf-8",
    decimal: str = ".",
    thousands: str = "",
    time_format: str | None = None,
    needs_target: bool = True,
    start: Start | Mapping[str, Any] = "earliest",
    idle_seconds: float | None = None,
    schema: Any = None,
    broker_options: Mapping[str, Any] | None = None,
) -> Stream:
    r"""Open a stream of rows.

    Files are read block by block, in constant memory. The kinds of columns are inferred from the
    first block (8 MB of a text file), unless they are given: numbers are numeric, text and booleans
    nominal.

    Parameters
    ----------
    source : path, "-", pattern, sequence of paths, address, array, data frame, or iterable
        - Files: CSV and TSV, NDJSON, ARFF (also compressed: .gz, .zst, .bz2, .xz, or a ZIP archive
          of one file), Parquet and Arrow. Several are read in their order; a folder and a pattern
          like ``"2013-*.csv"`` stand for their files, sorted by name. "-" is standard input.
        - A topic or stream of a broker: ``"kafka://HOST/TOPIC"``, ``"redis://HOST/STREAM"``.
        - A `Source`, as `find_sources` finds them.
        - A NumPy array, or a data frame of pandas, polars or pyarrow.
        - An iterable of rows (dictionaries, or pairs of a dictionary and a target, as river's data
          sets yield them) or of blocks (`Block`, pairs of X and y, or data frames).
    target : str or int, optional
        The column to predict, by its name or position; -1 is the last.
    y : array, optional
        The target, if ``source`` is an array or a data frame without it.
    nominal, numeric, time, drop : sequence of str
        Columns to read as nominal, as numeric, as dates and times, and not to read; also patterns
        like ``"soil_*"``. The values of a nominal column of a file are text. Dates and times
        become features by their parts; as numbers they are seconds since 1970.
    only : sequence of str, optional
        All features, in the order in which to read them; other columns are ignored.
    may_lack : sequence of str
        Features of ``only`` that a source may lack.
    keep : sequence of str
        Columns that blocks have too, as they are, although they are no features.
    weight : str, optional
        The column of the rows' weights.
    on_error : {"raise", "skip"}, default="raise"
        "raise": an invalid row ends the stream with a `StreamError`, after the rows before it.
        "skip": it is left out; `Stream.skipped` counts and lists such rows.
    file_format : {"csv", "tsv", "ndjson", "arff", "parquet", "arrow"}, optional
        The files' format; by default it follows from their names, or else from their first bytes.
        That of messages is "json", "avro", "confluent-avro" or "arrow".
    delimiter : str, optional
        The character between values in CSV. By default the one of comma, semicolon, tab and bar
        that is most frequent in the first line.
    has_header : bool, default=True
        Whether the first line of CSV holds the columns' names; otherwise they are x0, x1, x2, ...
    missing : sequence of str
        Values of CSV that mean "missing".
    encoding : str, default="utf-8"
        The encoding of text files.
    decimal, thousands : str
        The character before decimals, and the one between groups of three digits, in CSV.
    time_format : str, optional
        How dates and times are written in CSV, as in ``strptime``, if not as ISO 8601 says.
    needs_target : bool, default=True
        Whether a source without the column ``target`` is an error; False to read rows that are
        only predicted.
    start : {"earliest", "latest"} or mapping, default="earliest"
        Of a broker: the first message; or ``block.places.position``, to continue after a block.
    idle_seconds : float, optional
        Of a broker: the stream ends when no message has come for so long. By default it does not
        end.
    schema : dict, path, or pyarrow.Schema, optional
        Of a broker: the columns and their types, as an Avro schema, its file, or a schema of Arrow.
        By default they are found in the first messages.
    broker_options : mapping, optional
        Options of librdkafka, or of ``redis.Redis``: passwords, certificates, time limits.

    Returns
    -------
    Stream
        The rows.

    Raises
    ------
    StreamError
        If the source cannot be read; the message has the reason and what to do.

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
    options = ColumnOptions(
        target,
        weight,
        tuple(nominal),
        tuple(numeric),
        tuple(drop),
        needs_target,
        None if only is None else tuple(only),
        tuple(time),
        tuple(keep),
        tuple(may_lack),
    )
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error == {on_error!r}, must be 'raise' or 'skip'.")
    if isinstance(source, Stream):
        return source
    if is_frame(source):
        return stream_of_frame(source, y, options)
    if isinstance(source, np.ndarray):
        return stream_of_array(source, y, options)
    address = _address(source)
    if address is not None:
        _need_pyarrow("to read messages")
        from sgtrees.streams.brokers.broker_stream import (  # noqa: PLC0415
            BrokerOptions,
            BrokerStream,
        )

        reading = BrokerOptions(start, file_format, schema, idle_seconds, broker_options or {})
        return BrokerStream(address, options, reading, on_error)
    if isinstance(source, str | Path | Source) or _are_paths(source):
        _need_pyarrow("to read files")
        from sgtrees.streams.files.file_stream import FileStream  # noqa: PLC0415

        csv_options = CsvOptions(
            delimiter, has_header, tuple(missing), encoding, decimal, thousands, time_format
        )
        sources = [source] if isinstance(source, Source) else find_sources(source, file_format)
        return FileStream(sources, options, csv_options, on_error)
    if isinstance(source, Iterable):
        return _of_iterable(source, y, options, on_error)
    raise StreamError(f"a stream of rows cannot be opened from {type(source).__name__}")


def _address(source: Any) -> Address | None:
    """Return the topic or stream that is to be read; None for any other source."""
    sources = source if _are_paths(source) else [source]
    if not any(is_address(one) for one in sources):
        return None
    if len(sources) > 1:
        raise StreamError("a topic or stream is read alone; give one address and no files")
    return read_address(sources[0])


def _are_paths(source: Any) -> bool:
    is_list = isinstance(source, list | tuple) and len(source) > 0
    return is_list and all(isinstance(path, str | Path) for path in source)


def _of_iterable(
    source: Iterable[Any], y: Any, options: ColumnOptions, on_error: OnError
) -> Stream:
    again = None if iter(source) is source else source
    iterator = iter(source)
    first = next(iterator, None)
    if first is None:
        raise StreamError("the iterator yields nothing")
    whole = itertools.chain([first], iterator) if again is None else again
    is_pair = isinstance(first, tuple) and len(first) == 2 and isinstance(first[0], Mapping)
    if isinstance(first, Mapping) or is_pair:
        _need_pyarrow("to make blocks of rows")
        from sgtrees.streams.row_stream import RowStream  # noqa: PLC0415

        return RowStream(whole, options, on_error)
    if isinstance(first, Block) or (isinstance(first, tuple) and len(first) in (2, 3)):
        return _of_blocks(whole, first)
    if is_frame(first):
        return _of_frames(whole, first, options)
    if isinstance(source, list | tuple):
        return stream_of_array(source, y, options)
    raise StreamError(
        f"a stream of rows cannot be opened from an iterator of {type(first).__name__}; "
        "give dictionaries, pairs of a dictionary and a target, blocks, or data frames"
    )


def _of_blocks(blocks: Iterable[Any], first: Any) -> Stream:
    block = first if isinstance(first, Block) else Block(*first)
    stream_of = stream_of_frame if is_frame(block.X) else stream_of_array
    one = stream_of(block.X, block.y, ColumnOptions())
    return BlockStream(blocks, one.columns, one.target)


def _of_frames(frames: Iterable[Any], first: Any, options: ColumnOptions) -> Stream:
    one = stream_of_frame(first, None, options)
    blocks = _Mapped(frames, lambda frame: stream_of_frame(frame, None, options).whole)
    return BlockStream(blocks, one.columns, one.target)


class _Mapped:
    """A function applied to the items of an iterable, which may be iterated several times."""

    def __init__(self, items: Iterable[Any], function: Callable[[Any], Block]) -> None:
        self._items = items
        self._function = function

    def __iter__(self) -> Iterator[Block]:
        return map(self._function, self._items)


def _need_pyarrow(what: str) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise ImportError(f"pyarrow is needed {what}: {install_command('cli')}")
