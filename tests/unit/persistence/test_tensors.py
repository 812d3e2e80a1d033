"""The safetensors layout: what the library writes is read, what is written the library reads."""

import json

import numpy as np
import pytest
import safetensors.numpy

from sgtrees.persistence import ModelFileError
from sgtrees.persistence.tensors import (
    LENGTH_BYTES,
    header_length,
    in_file_order,
    pack_header,
    unpack_header,
    view_arrays,
)

ARRAYS = {
    "codes": np.arange(5, dtype=np.uint8),
    "none": np.empty(0),
    "numbers": np.array([[0.5, np.nan], [-0.0, np.inf], [1e300, 2.0]]),
    "integers": np.array([-1, 2**62], dtype=np.int64),
}


def pack(texts, arrays):
    header = pack_header(texts, arrays)
    return header + b"".join(arrays[name].tobytes() for name in in_file_order(arrays))


def unpack(file):
    end = LENGTH_BYTES + header_length(file, len(file))
    texts, described = unpack_header(file[LENGTH_BYTES:end])
    return texts, view_arrays(described, memoryview(file)[end:])


def with_header(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def array(dtype="F64", shape=(1,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def same(one, other):
    return (
        one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    )


def test_the_library_reads_what_is_written():
    found = safetensors.numpy.load(pack({"who": "wé"}, ARRAYS))
    assert found.keys() == ARRAYS.keys()
    assert all(same(found[name], ARRAYS[name]) for name in ARRAYS)


def test_what_the_library_writes_is_read():
    texts, found = unpack(safetensors.numpy.save(ARRAYS, {"who": "wé"}))
    assert texts == {"who": "wé"}
    assert found.keys() == ARRAYS.keys()
    assert all(same(found[name], ARRAYS[name]) for name in ARRAYS)


def test_arrays_are_aligned_views_of_the_file():
    file = pack({}, ARRAYS)
    _, found = unpack(file)
    for name, view in found.items():
        assert view.flags.aligned
        assert not view.size or np.shares_memory(view, np.frombuffer(file, np.uint8)), name


def test_arrays_that_are_not_aligned_are_copied():
    header = {"a": array("U8", (3,), (0, 3)), "b": array("F64", (1,), (3, 11))}
    _, found = unpack(with_header(header, b"abc" + np.float64(1.5).tobytes()))
    assert found["b"].tolist() == [1.5]
    assert found["b"].flags.aligned


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (b"", "cut off"),
        (b"\x05", "cut off"),
        (with_header({})[:-1], "cut off"),
        (b"\xff" * 8 + b"{}", "cut off"),
        (with_header(b"{]"), "not JSON"),
        (with_header(b"\xff{}"), "not JSON"),
        (with_header(b"[" * 30_000), "nested too deeply"),
        (with_header([1]), "not a JSON object"),
        (with_header({"__metadata__": {"a": 1}}), "must hold strings"),
        (with_header({"__metadata__": []}), "must hold strings"),
        (with_header({"a": 1}), "'a' must have"),
        (with_header({"a": {"dtype": "F64"}}), "'a' must have"),
        (with_header({"a": array("F32", (2,))}, bytes(8)), "type 'F32'"),
        (with_header({"a": array(shape=(-1,))}, bytes(8)), "wrong shape"),
        (with_header({"a": array(shape=(True,))}, bytes(8)), "wrong shape"),
        (with_header({"a": array(shape=(1.0,))}, bytes(8)), "wrong shape"),
        (with_header({"a": array(shape=(2**60,))}, bytes(8)), "wrong shape"),
        (with_header({"a": array(shape=(0, 2**48), offsets=(0, 0))}), "wrong shape"),
        (with_header({"a": array(shape=(2,))}, bytes(8)), "does not fill"),
        (with_header({"a": array(shape=(0,) + (2**40,) * 5, offsets=(0, 0))}), "wrong shape"),
        (with_header({"a": array(shape=(1,) * 99)}, bytes(8)), "wrong shape"),
        (with_header({"a": array(offsets=(0, 8, 8))}, bytes(8)), "'a' must have"),
        (with_header({"a": array(offsets=(8, 0))}, bytes(8)), "does not fill"),
        (with_header({"a": array()}, bytes(9)), "take 8 bytes, but 9"),
        (with_header({"a": array()}, bytes(7)), "take 8 bytes, but 7"),
        (with_header({"a": array(offsets=(8, 16))}, bytes(16)), "does not begin where"),
        (with_header({"a": array(), "b": array()}, bytes(8)), "'b' does not begin where"),
    ],
)
def test_a_damaged_layout_is_refused(file, reason):
    with pytest.raises(ModelFileError, match=reason):
        unpack(file)
