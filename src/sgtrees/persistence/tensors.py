"""The safetensors layout: named arrays and metadata in one sequence of bytes.

Eight bytes with the header's length, the header in JSON, then the arrays, one after the other. The
whole layout is checked before any array is used, and arrays are views of the bytes that were read;
`docs/decisions/0005-model-files.md` explains why the safetensors library is not used for this.
"""

import json
from collections.abc import Mapping
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees.persistence import ModelFileError
from sgtrees.persistence.json_text import parse_json

Array: TypeAlias = NDArray[np.generic]
Buffer: TypeAlias = bytes | bytearray | memoryview

LENGTH_BYTES = 8
# The limit of the safetensors library.
_LONGEST_HEADER = 100_000_000
_ALIGNMENT = 8
_TEXTS = "__metadata__"
_DTYPES: dict[str, np.dtype[Any]] = {
    "U8": np.dtype("u1"),
    "I64": np.dtype("<i8"),
    "F64": np.dtype("<f8"),
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def pack_header(texts: Mapping[str, str], arrays: Mapping[str, Array]) -> bytes:
    """Return the length and the header; the arrays follow in the order of `in_file_order`."""
    header: dict[str, Any] = {_TEXTS: dict(texts)}
    begin = 0
    for name in in_file_order(arrays):
        array = arrays[name]
        end = begin + array.nbytes
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
        begin = end
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % _ALIGNMENT)
    if len(text) > _LONGEST_HEADER:
        raise ModelFileError(
            f"its names, categories and labels take {len(text):,} bytes; the limit is "
            f"{_LONGEST_HEADER:,} (max_memory limits the categories)"
        )
    return len(text).to_bytes(LENGTH_BYTES, "little") + text


def in_file_order(arrays: Mapping[str, Array]) -> list[str]:
    """Return the arrays' names, largest items first, so that every array is aligned."""
    return sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))


def header_length(beginning: Buffer, size: int) -> int:
    """Return the length of the header of a file of this size, given its first eight bytes."""
    length = int.from_bytes(beginning[:LENGTH_BYTES], "little")
    if len(beginning) < LENGTH_BYTES or not 2 <= length <= min(
        size - LENGTH_BYTES, _LONGEST_HEADER
    ):
        raise ModelFileError("it is cut off, or not a safetensors file")
    return length


def unpack_header(text: Buffer) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the metadata and the descriptions of the arrays."""
    try:
        written = bytes(text).decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(f"its header is not JSON ({error})") from None
    header = parse_json(written, "header")
    if not isinstance(header, dict):
        raise ModelFileError("its header is not a JSON object")
    texts = header.pop(_TEXTS, {})
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ModelFileError(f"its header's {_TEXTS} must hold strings")
    return texts, header


def view_arrays(described: Mapping[str, Any], data: Buffer) -> dict[str, Array]:
    """Return the arrays as views of the bytes after the header, which they must fill exactly."""
    spans = [_Span(name, description) for name, description in described.items()]
    spans.sort(key=lambda span: (span.begin, span.end))
    end = 0
    for span in spans:
        if span.begin != end:
            raise ModelFileError(f"array {span.name!r} does not begin where the previous one ends")
        end = span.end
    if end != len(data):
        raise ModelFileError(f"its arrays take {end} bytes, but {len(data)} follow the header")
    return {span.name: span.view(data) for span in spans}


class _Span:
    """The position, type and shape of an array."""

    def __init__(self, name: str, description: Any) -> None:
        self.name = name
        match description:
            case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [begin, end]}:
                pass
            case _:
                raise ModelFileError(f"array {name!r} must have dtype, shape and data_offsets")
        if dtype not in _DTYPES:
            raise ModelFileError(
                f"array {name!r} has the type {dtype!r}; models have {', '.join(_DTYPES)}"
            )
        for size in (begin, end, *shape):
            # The exact type, as True and False are integers too. No array is as large as 2**48.
            if type(size) is not int or not 0 <= size < 1 << 48:
                raise ModelFileError(f"array {name!r} has a wrong shape or data_offsets")
        self.dtype = _DTYPES[dtype]
        self.shape, self.begin, self.end = shape, begin, end
        if end - begin != prod(shape) * self.dtype.itemsize:
            raise ModelFileError(f"array {name!r} does not fill its data_offsets")

    def view(self, data: Buffer) -> Array:
        try:
            array: Array = np.ndarray(self.shape, self.dtype, data, self.begin)
        except ValueError as error:  # an empty array whose dimensions NumPy does not accept
            raise ModelFileError(f"array {self.name!r} has a wrong shape ({error})") from None
        return array if array.flags.aligned else array.copy()
