"""Columns of pyarrow are read as their values are, whatever the strings and however they lie."""

import numpy as np
import pyarrow as pa
import pytest

from sgtrees import _core
from sgtrees.data.arrow_columns import read_strings, read_usual
from sgtrees.data.tables import read_frame

KINDS = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string()),
         pa.dictionary(pa.int32(), pa.large_string())]  # fmt: skip


def decoded(coded):
    return [None if code < 0 else coded.values[code] for code in coded.codes.tolist()]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("longest", [0, 3, 4, 7, 8, 9, 16, 17, 60])
def test_strings_of_any_length_are_told_apart(kind, longest):
    random = np.random.default_rng(longest)
    # Few characters and common ends: many strings differ in one place only.
    pool = ["ab"[random.integers(2)] * random.integers(longest + 1) for _ in range(20)]
    pool += ["".join(random.choice(list("aé\0☃"), random.integers(longest + 1))) for _ in range(80)]
    values = [str(value) for value in random.choice(np.array(pool, dtype=object), 3000)]
    column = pa.chunked_array([pa.array(values[:100], kind), pa.array(values[100:], kind)])
    for part in (column, column.slice(90, 500), column.slice(150), column.slice(7, 0)):
        assert decoded(read_strings(part, "it")) == part.to_pylist()


def test_many_strings_are_coded_in_order_of_first_appearance():
    values = [f"{n % 5000}-{'x' * (n % 30)}" for n in range(0, 60_000, 7)]
    coded = read_strings(pa.chunked_array([values]), "it")
    assert coded.values == list(dict.fromkeys(values))
    assert decoded(coded) == values


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_strings_that_are_missing_have_no_code(kind):
    values = [None, "b", None, "a", "b"]
    column = pa.chunked_array([pa.array(values, kind)])
    assert decoded(read_strings(column, "it")) == values
    assert decoded(read_strings(column.slice(3), "it")) == values[3:]


def test_strings_that_are_no_text_are_refused():
    places = pa.py_buffer(np.array([0, 2], dtype=np.int32))
    column = pa.chunked_array([pa.StringArray.from_buffers(1, places, pa.py_buffer(b"\xff\xfe"))])
    with pytest.raises(UnicodeDecodeError):
        read_strings(column, "it")


@pytest.mark.parametrize("places", [[0, 3], [2, 1], [-1, 1], [0, 2, 1, 2], []])
def test_places_beyond_the_text_are_refused(places):
    text = np.frombuffer(b"ab", dtype=np.uint8)
    for kind in (np.int32, np.int64):
        with pytest.raises(ValueError, match=r"places|within"):
            _core.code_strings(np.array(places, dtype=kind), text, 0)


def test_other_types_are_left_to_others():
    assert read_usual(pa.chunked_array([[True, False]]), "it") is None
    numbers = read_usual(pa.chunked_array([pa.array([1, None], pa.int8())]), "it")
    np.testing.assert_array_equal(numbers, [1.0, np.nan])
    names, columns, _ = read_frame(pa.table({"a": ["x", None], "b": [True, None]}))
    assert names == ["a", "b"]
    assert [decoded(column) for column in columns] == [["x", None], [True, None]]
