"""Columns of pyarrow, read without narwhals, which takes longer for each of them."""

import secrets
from typing import Any

import numpy as np

from sgtrees import _core
from sgtrees.data.columns import Coded, Floats, Integers, coded_by_library

# Nobody who sends strings knows it, and so which of them would be slow to tell apart.
_SEED = secrets.randbits(64)
# Types of pyarrow by their names.
_INTEGERS = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_FLOATS = ("double", "float")
_STRINGS: dict[str, type[np.integer[Any]]] = {"string": np.int32, "large_string": np.int64}
_DICTIONARIES = ("dictionary<values=string,", "dictionary<values=large_string,")


def read_usual(column: Any, where: str) -> Floats | Coded | None:
    """Read a column of numbers or strings; None if it holds anything else.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The column.
    where : str
        What it is, for error messages: "column 'a'".

    Examples
    --------
    >>> import pyarrow as pa
    >>> read_usual(pa.chunked_array([[1, None]]), "it")
    array([ 1., nan])
    """
    kind = str(column.type)
    if kind in _INTEGERS:
        column = column.cast("double")
    elif kind not in _FLOATS:
        return read_strings(column, where)
    numbers: Floats = column.to_numpy()
    return numbers


def read_strings(column: Any, where: str) -> Coded | None:
    """Read a column of strings or of a dictionary of strings; None if it is none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> coded = read_strings(pa.chunked_array([["b", "a"], ["b"]]), "it")
    >>> coded.codes.tolist(), coded.values
    ([0, 1, 0], ['b', 'a'])
    """
    kind = str(column.type)
    if kind not in _STRINGS and not kind.startswith(_DICTIONARIES):
        return None
    return coded_by_library(*arrow_codes(column), where)


def arrow_codes(column: Any) -> tuple[Integers, list[Any]]:
    """Return the code of each row of a column of strings, -1 for none, and the values."""
    kind = str(column.type)
    if kind in _STRINGS and column.null_count == 0 and len(column) > 0:
        array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        if hasattr(array, "buffers"):  # a very long column stays in chunks
            return _codes_of_strings(array, _STRINGS[kind])
    if not kind.startswith("dictionary"):
        column = column.dictionary_encode()
    array = column.unify_dictionaries().combine_chunks()
    codes = array.indices
    if codes.null_count:
        codes = codes.cast("int64").fill_null(-1)
    return codes.to_numpy(zero_copy_only=False), array.dictionary.to_pylist()


def _codes_of_strings(array: Any, place: type[np.integer[Any]]) -> tuple[Integers, list[Any]]:
    _, places, text = array.buffers()
    first = array.offset
    ends = np.frombuffer(places, dtype=place)[first : first + len(array) + 1]
    # NumPy takes no buffer of no bytes.
    characters = np.frombuffer(text if text is not None and text.size else b"\0", dtype=np.uint8)
    return _core.code_strings(ends, characters, _SEED)
