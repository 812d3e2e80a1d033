"""The same rows through every format, and every format's own ways."""

import io
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import datasets

from sgtrees import SGTClassifier
from sgtrees.streams import StreamError, open_stream
from sgtrees.streams.files import chunks
from tests.unit.streams import same_data


def rows_of(stream):
    """All rows of a stream as Python values, in its own column names."""
    names = [column.name for column in stream.columns]
    rows = []
    for block in stream:
        y = block.y.to_pylist() if hasattr(block.y, "to_pylist") else np.asarray(block.y).tolist()
        assert block.X.column_names == names
        features = [block.X[name].to_pylist() for name in names]
        rows += list(zip(*features, y, strict=True))
    return rows


def learned(stream):
    model = SGTClassifier(warm_up=100, grace_period=50, delta=1e-3)
    for block in stream:
        model.partial_fit(block.X, block.y)
    core = model._model.core
    return model, {name: array.tolist() for name, array in core.state().items()}


@pytest.fixture(scope="module")
def table():
    return same_data.table()


@pytest.mark.parametrize("kind", same_data.FORMATS)
def test_every_format_gives_the_same_rows_and_the_same_model(tmp_path, table, kind):
    stream = open_stream(same_data.write(table, tmp_path, kind), "label")
    assert [column.name for column in stream.columns if column.nominal] == ["colour"]
    expected = [
        tuple(float(v) if isinstance(v, int) else v for v in row.values())
        for row in table.to_pylist()
    ]
    # A second time too.
    assert rows_of(stream) == expected
    assert rows_of(stream) == expected
    model, state = learned(stream)
    _, reference = learned(open_stream(table, "label"))
    assert model.n_leaves_ > 1
    assert repr(state) == repr(reference)


@pytest.mark.parametrize("chunk_bytes", [64, 1000, 3000])
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "ndjson", "arff"])
def test_where_a_text_is_cut_means_nothing(tmp_path, table, kind, chunk_bytes, monkeypatch):
    path = same_data.write(table.slice(0, 200), tmp_path, kind)
    whole = rows_of(open_stream(path, "label", nominal=["colour"]))
    monkeypatch.setattr(chunks, "_CHUNK_BYTES", chunk_bytes)
    stream = open_stream(path, "label", nominal=["colour"])
    assert sum(1 for _ in stream) > 1
    assert rows_of(stream) == whole


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_data_frames_are_streams_too(table, library):
    frame = library(table.to_pydict())
    stream = open_stream(frame, "label", drop=["count"])
    assert [column.name for column in stream.columns] == ["size", "colour"]
    assert (stream.target.name, stream.target.nominal, stream.n_rows) == ("label", True, 3000)
    model, _ = learned(stream)
    assert model.n_features_in_ == 2


def test_arrays_are_streams_with_their_target_apart_or_among_the_columns():
    X = np.random.default_rng(0).normal(size=(150_000, 3))
    stream = open_stream(X, y=X[:, 0] > 0, nominal=["x2"])
    assert ([len(block) for block in stream], stream.nominal) == ([65536, 65536, 18928], [2])
    assert open_stream(X, -1).target.name == "x2"
    np.testing.assert_array_equal(next(iter(open_stream(X, -1))).y, X[:65536, 2])


def test_rows_of_an_iterator_become_blocks():
    rows = [{"a": i, "b": "x" if i % 2 else "y", "t": i % 3 == 0} for i in range(3000)]
    for source in (rows, (row for row in rows)):
        stream = open_stream(source, "t")
        assert [(c.name, c.nominal) for c in stream.columns] == [("a", False), ("b", True)]
        assert [len(block) for block in stream] == [1024, 1024, 952]
    with pytest.raises(StreamError, match="only once"):
        list(stream)


def test_pairs_as_river_yields_them_are_rows():
    stream = open_stream(datasets.Phishing())
    assert len(stream.columns) == 9
    assert sum(len(block) for block in stream) == 1250
    assert stream.target.nominal  # booleans


def test_blocks_and_frames_of_an_iterator_are_handed_on():
    X, y = np.zeros((5, 2)), np.arange(5)
    assert [len(block) for block in open_stream(iter([(X, y), (X, y)]))] == [5, 5]
    frames = (pl.DataFrame({"a": [1.0, 2.0], "t": ["u", "v"]}) for _ in range(3))
    stream = open_stream(frames, "t")
    assert (stream.columns[0].name, stream.target.name) == ("a", "t")
    assert sum(len(block) for block in stream) == 6


def test_files_come_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 9, 1):
        (tmp_path / f"part-{number}.csv").write_text(f"a,t\n{number},0\n")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.md").write_text("nothing")
    for source in (tmp_path, str(tmp_path / "part-*.csv")):
        assert [row[0] for row in rows_of(open_stream(source, "t"))] == [1, 9, 10]
    explicit = [tmp_path / "part-10.csv", tmp_path / "part-1.csv"]
    assert [row[0] for row in rows_of(open_stream(explicit, "t"))] == [10, 1]


def test_files_of_several_formats_make_one_stream(tmp_path, table):
    first = same_data.write(table.slice(0, 1000), tmp_path, "csv")
    second = same_data.write(table.slice(1000), tmp_path, "parquet")
    whole = rows_of(open_stream(same_data.write(table, tmp_path, "feather"), "label"))
    assert rows_of(open_stream([first, second], "label")) == whole


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "ndjson", "arff", "arrows"])
def test_standard_input_tells_its_format_by_its_first_bytes(tmp_path, table, kind, monkeypatch):
    path = same_data.write(table, tmp_path, kind)
    expected = rows_of(open_stream(path, "label"))
    standard_input = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    monkeypatch.setattr(sys, "stdin", standard_input)
    stream = open_stream("-", "label")
    assert rows_of(stream) == expected
    with pytest.raises(StreamError, match="only once"):
        list(stream)


# ---- kinds --------------------------------------------------------------------------------------


def test_kinds_can_be_said_also_by_patterns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("zip_1,zip_2,code,when,t\n01234,7,250,2020-01-01,1\n1234,8,V58,2020-01-02,0\n")
    stream = open_stream(path, "t", nominal=["zip_*"], numeric=["when"])
    assert [c.nominal for c in stream.columns] == [True, True, True, False]
    assert rows_of(stream)[0] == ("01234", "7", "250", 1577836800.0, 1.0)


def test_a_column_that_is_nominal_takes_any_text_at_any_time(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("code,t\n" + "250,1\n" * 100 + "V58,0\n")
    monkeypatch.setattr(chunks, "_CHUNK_BYTES", 64)
    assert rows_of(open_stream(path, "t", nominal=["code"]))[-1] == ("V58", 0.0)


def test_whole_numbers_may_turn_into_others_later(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a,t\n" + "1,1\n" * 100 + "2.5,0.5\n")
    monkeypatch.setattr(chunks, "_CHUNK_BYTES", 64)
    assert rows_of(open_stream(path, "t"))[-1] == (2.5, 0.5)


def test_numbers_in_parquet_said_to_be_nominal_are_text_without_a_point(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pa.table({"a": pa.array([1, 2], pa.int8()), "b": [1.0, 2.0], "t": [0, 1]})
    pa.parquet.write_table(frame, path)
    assert rows_of(open_stream(path, "t", nominal=["a", "b"])) == [("1", "1", 0), ("2", "2", 1)]


def test_csv_in_other_dialects(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeffgröße;name;t\r\n1,5;a;1\r\n".encode())
    stream = open_stream(path, "t")
    assert [column.name for column in stream.columns] == ["größe", "name"]
    path.write_bytes("name,t\ncafé,1\n".encode("latin-1"))
    assert rows_of(open_stream(path, "t", encoding="latin-1")) == [("café", 1.0)]
    path.write_text("1.5,a,1\n2.5,-,0\n")
    stream = open_stream(path, "x2", has_names=False, missing=["-"])
    assert rows_of(stream) == [(1.5, "a", 1.0), (2.5, None, 0.0)]


def test_a_quoted_value_may_hold_ends_of_lines_even_where_a_chunk_ends(tmp_path, monkeypatch):
    text = 'note,size,t\n"one\ntwo ""2""",1,0\n5" pipe,2,1\n"a\n\nb",3,0\n' * 1
    path = tmp_path / "a.csv"
    path.write_text(text)
    expected = [('one\ntwo "2"', 1.0, 0.0), ('5" pipe', 2.0, 1.0), ("a\n\nb", 3.0, 0.0)]
    for chunk_bytes in range(8, 70):
        monkeypatch.setattr(chunks, "_CHUNK_BYTES", chunk_bytes)
        stream = open_stream(path, "t", nominal=["note"])
        assert rows_of(stream) == expected


# ---- ARFF ---------------------------------------------------------------------------------------

ARFF = """% Title
@relation 'odd things'
@attribute 'the size' numeric
@attribute "kind of" {'light red', blue, "dark, grey"}
@attribute note string
@attribute class {yes,no}

@data
% a comment among the rows
1.5, 'light red', 'it\\'s', yes
?,?,?,no
{0 2.5, 3 no}
{1 "dark, grey", 2 '?'}
"""


def test_arff_with_all_its_ways_of_writing(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(ARFF)
    stream = open_stream(path, "class")
    assert stream.target.categories == ("yes", "no")
    assert [(c.name, c.nominal) for c in stream.columns] == [
        ("the size", False), ("kind of", True), ("note", True)]  # fmt: skip
    assert rows_of(stream) == [
        (1.5, "light red", "it's", "yes"),
        (None, None, None, "no"),
        # What a sparse row does not say is 0 or the first of the declared values.
        (2.5, "light red", "0", "no"),
        (0.0, "dark, grey", "?", "yes"),
    ]


def test_a_plain_arff_is_read_like_csv(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text("@relation r\n@attribute a real\n@attribute c {u,v}\n@data\n1,u\n2,v\n?,u\n")
    assert rows_of(open_stream(path, -1)) == [(1.0, "u"), (2.0, "v"), (None, "u")]
