"""Rows are read or refused by name; no body raises anything else."""

import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtrees.serve.errors import RequestError
from sgtrees.serve.rows import read_rows

VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(
    VALUES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)


def refusal_of(read):
    """Return the refusal that a function raises; None if there is none. All else is an error."""
    try:
        read()
    except RequestError as error:
        return error
    return None


@settings(max_examples=80, deadline=None)
@given(body=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
@pytest.mark.parametrize("kind", ["json", "ndjson", "arrow"])
def test_a_body_is_read_or_refused(body, kind):
    refused = refusal_of(lambda: read_rows(body, kind, 10))
    if refused is not None:
        assert refused.status in (400, 413, 415, 422)
        return
    rows = read_rows(body, kind, 10)
    assert 0 < len(rows) <= 10
    refused = refusal_of(rows.table)
    assert refused is None or refused.name == "bad_rows"


def test_columns_in_which_nothing_is_known_are_left_out():
    rows = read_rows(b'[{"a": 1, "b": null}, {"a": 2.5, "c": null}]', "json")
    assert rows.table().to_pydict() == {"a": [1.0, 2.5]}
    table = pa.table({"a": [1], "b": pa.nulls(1)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert read_rows(sink.getvalue().to_pybytes(), "arrow").table().column_names == ["a"]


def test_large_whole_numbers_among_others_are_numbers():
    rows = read_rows(b'[{"a": 18446744073709551615}, {"a": -1}, {"a": null}]', "json")
    assert rows.table()["a"].to_pylist() == [2.0**64, -1.0, None]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16", "utf-32-be"])
@pytest.mark.parametrize("text", ['{"a": "é"}', ' {"a": "é"} ', '{"a": "é"}\r\n', '[{"a": "é"}]'])
def test_a_body_may_have_any_encoding_of_json_and_space_around_it(text, encoding):
    assert read_rows(text.encode(encoding), "json").events() == [{"a": "é"}]


@pytest.mark.parametrize(
    "body", [b'{"a": 1}}', b'{"a": 1} {"a": 2}', b'{"a": 1', b"{", b'{"a\xff": 1}']
)
def test_an_object_that_does_not_end_with_the_body_is_refused(body):
    assert refusal_of(lambda: read_rows(body, "json")).name == "bad_json"
