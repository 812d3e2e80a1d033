"""Whatever is wrong is told with file, line, column and what to do; rows before it are not lost."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from sgtrees.streams import StreamError, open_stream
from sgtrees.streams.files import chunks
from tests.unit.streams import same_data

ARFF = "@relation r\n@attribute a real\n@attribute c {u,v}\n@data\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def read(path, target="t", **options):
    """Read all rows, or as many as there are before the error, and the error."""
    rows, error = [], None
    stream = open_stream(path, target, **options)
    try:
        for block in stream:
            rows += block.X.to_pylist()
    except StreamError as caught:
        error = caught
    return rows, error, stream.skipped


# name, text, line, column, words in the message, good rows before, good rows in all
ROWS = [
    ("a.csv", "a,b,t\n1,2,0\n1,2\n3,4,1\n", 3, None, "2 values where 3 are due", 1, 2),
    ("a.csv", "a,b,t\n1,2,0\n1,2,3,4\n3,4,1\n", 3, None, "4 values where 3 are due", 1, 2),
    ("a.csv", "a,b,t\n1,2,0\n\n3,4,1\nx,4,1\n", 5, "a", "'x' is not a number", 2, 2),
    ("a.csv", "a,t\n1,0\n2,\n3,1\n", 3, "t", "target is missing", 1, 2),
    ("a.csv", "a,t\n1,0\ninf,0\n3,1\n", 3, "a", "infinite", 1, 2),
    ("a.csv", 'n,a,t\n"x\ny",1,0\n"x\n\ny",oh,0\nz,3,1\n', 4, "a", "'oh' is not a number", 1, 2),
    ("a.csv", b"n,a,t\nx,1,0\n\xff\xfe,2,1\n", 3, "n", "no UTF-8", 1, 1),
    ("a.ndjson", '{"a":1,"t":0}\n{"a":"x","t":0}\n{"a":3,"t":1}\n', 2, "a", "where a number", 1, 2),
    ("a.ndjson", '{"a":1,"t":0}\n{"a":1,\n\n{"a":3,"t":1}\n', 2, None, "no JSON object", 1, 2),
    ("a.ndjson", '{"a":1,"t":0}\n[1]\n{"a":3,"t":1}\n', 2, None, "no JSON object", 1, 2),
    ("a.ndjson", '{"a":1,"t":0}\n{"a":1}\n', 2, "t", "target is missing", 1, 1),
    ("a.arff", ARFF + "1,u\n2,w\n3,v\n", 6, "c", "'w' is not among the declared values", 1, 2),
    ("a.arff", ARFF + "1,u\n% so\n2\n3,v\n", 7, None, "1 value where 2 are due", 1, 2),
    ("a.arff", ARFF + "1,u\nx,v\n", 6, "a", "'x' is not a number", 1, 1),
    ("a.arff", ARFF + "1,u\n{0 1, 7 3}\n{0 2, 1 v}\n", 6, None, "attribute 7 where there", 1, 2),
    ("a.arff", ARFF + "1,u\n{0 1\n{0 2, 1 v}\n", 6, None, "closing brace", 1, 2),
    ("a.arff", ARFF + "1,u\n2,'v\n3,v\n", 6, None, "quote is not closed", 1, 2),
]


def target_of(name):
    return "c" if name.endswith("arff") else "t"


@pytest.mark.parametrize(("name", "text", "line", "column", "words", "before", "all_"), ROWS)
def test_a_bad_row_ends_the_stream_after_the_rows_before_it(
    file, name, text, line, column, words, before, all_
):
    path = file(text, name)
    # Two good rows at least decide what the columns are, so that the third is the odd one out.
    options = {} if name.endswith("arff") else {"numeric": ["a"]}
    rows, error, _ = read(path, target_of(name), **options)
    assert len(rows) == before
    assert (error.fault.file, error.fault.place, error.fault.column) == (str(path), line, column)
    for word in (str(path), f"line {line}", words, "--on-error skip"):
        assert word in str(error)


@pytest.mark.parametrize(("name", "text", "line", "column", "words", "before", "all_"), ROWS)
def test_bad_rows_can_be_skipped_and_are_counted_and_listed(
    file, name, text, line, column, words, before, all_
):
    options = {} if name.endswith("arff") else {"numeric": ["a"]}
    rows, error, skipped = read(file(text, name), target_of(name), on_error="skip", **options)
    assert error is None
    assert len(rows) == all_
    assert (skipped.rows, len(skipped.faults)) == (1, 1)
    assert skipped.faults[0].place == line
    assert words in str(skipped.faults[0])


def test_text_in_a_numeric_column_far_into_the_file_is_found_where_it_is(file, monkeypatch):
    lines = [f"{i},{i % 2}" for i in range(30_000)]
    lines[20_000] = "abc,1"
    path = file("a,t\n" + "\n".join(lines) + "\n")
    monkeypatch.setattr(chunks, "_CHUNK_BYTES", 5000)
    rows, error, _ = read(path)
    assert (len(rows), error.fault.place, error.fault.column) == (20_000, 20_002, "a")
    rows, _, skipped = read(path, on_error="skip")
    assert (len(rows), skipped.rows) == (29_999, 1)


def test_many_bad_rows_are_counted_but_not_all_listed(file):
    path = file("a,t\n" + "1,0\nx,0\n" * 500)
    rows, _, skipped = read(path, on_error="skip", numeric=["a"])
    assert (len(rows), skipped.rows, len(skipped.faults)) == (500, 500, 100)


def test_rows_of_columnar_files_are_told_by_their_number(tmp_path):
    path = tmp_path / "a.parquet"
    pa.parquet.write_table(pa.table({"a": [1.0, np.inf, 3.0], "t": [1, 2, None]}), path)
    rows, error, _ = read(path)
    assert len(rows) == 1
    assert str(error).startswith(f"{path}, row 2, column 'a': the value is infinite")
    rows, _, skipped = read(path, on_error="skip")
    assert (len(rows), [fault.place for fault in skipped.faults]) == (1, [2, 3])


def test_negative_weights_are_bad_rows(file):
    _, error, _ = read(file("a,w,t\n1,1,0\n2,-1,0\n"), weight="w")
    assert "line 3, column 'w': the weight is negative" in str(error)


# ---- whole files --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "", "is empty"),
        ("a.csv", " \n\n", "is empty"),
        ("a.csv", "a,t\n", "names of columns, but no rows"),
        ("a.csv", "a,a,t\n1,2,3\n", "two columns with the name 'a'"),
        ("a.csv", b"\0\1\2" * 100, "no text file"),
        ("a.ndjson", "", "is empty"),
        ("a.ndjson", '[{"a": 1}]\n', "one JSON list"),
        ("a.ndjson", "a,t\n1,2\n", "line 1: this is no JSON object"),
        ("a.arff", "", "is empty"),
        ("a.arff", "@relation r\n@attribute a real\n", "has no @data"),
        ("a.arff", "@relation r\n@attribute a colour\n@data\n", "line 2: the type 'colour' of 'a'"),
        ("a.arff", "@relation r\n@attribute a {b,c\n@data\n", "closing brace"),
        ("a.arff", "a,b\n1,2\n", "line 1: 'a,b' is neither"),
        ("a.parquet", "no parquet at all", "no whole Parquet file"),
        ("a.arrow", "no arrow at all", "no whole Arrow file"),
    ],
)
def test_a_file_that_is_none_is_refused_in_words(file, name, text, words):
    path = file(text, name)
    with pytest.raises(StreamError) as caught:
        list(open_stream(path, "t"))
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize("kind", ["csv", "ndjson", "arff"])
def test_a_packed_file_that_was_cut_off_says_so_after_its_rows(tmp_path, kind, monkeypatch):
    text = same_data.text_of(same_data.table(20_000), kind)
    path = tmp_path / f"a.{kind}.gz"
    packed = gzip.compress(text.encode())
    path.write_bytes(packed[: len(packed) // 2])
    monkeypatch.setattr(chunks, "_CHUNK_BYTES", 20_000)
    rows, error, _ = read(path, "label")
    assert len(rows) > 5000
    assert "ends too early" in str(error)


def test_a_target_that_does_not_exist_gets_the_nearest_name(file):
    path = file("distance,ArrDelay\n1,2\n")
    with pytest.raises(StreamError, match=r"no column 'arr_delay'.*did you mean 'ArrDelay'"):
        open_stream(path, "arr_delay")
    with pytest.raises(
        StreamError, match=r"no column 'zzz'.*its columns are 'distance', 'ArrDelay'"
    ):
        open_stream(path, "ArrDelay", nominal=["zzz"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"drop": ["t"]}, "among the columns to drop"),
        ({"drop": ["a", "b"]}, "no column to learn from"),
        ({"nominal": ["a"], "numeric": ["*"]}, "both nominal and numeric"),
    ],
)
def test_sayings_that_contradict_one_another_are_refused(file, options, words):
    with pytest.raises(StreamError, match=words):
        open_stream(file("a,b,t\n1,2,3\n"), "t", **options)


def test_dates_are_refused_unless_it_is_said_what_to_do_with_them(file):
    path = file("when,a,t\n2020-01-01,1,2\n")
    with pytest.raises(
        StreamError, match=r"column 'when' holds dates.*--drop when.*--numeric when"
    ):
        open_stream(path, "t")
    assert len(open_stream(path, "t", drop=["when"]).columns) == 1


def test_a_folder_with_mixed_columns_is_refused_where_they_differ(tmp_path):
    (tmp_path / "1.csv").write_text("a,b,t\n1,2,3\n")
    (tmp_path / "2.csv").write_text("b,a,t\n2,1,3\n")
    assert [row["a"] for row in read(tmp_path)[0]] == [1, 1]
    (tmp_path / "3.csv").write_text("a,B,t\n1,2,3\n")
    rows, error, _ = read(tmp_path)
    assert len(rows) == 2
    assert "3.csv has no column 'b', which" in str(error)
    assert "did you mean 'B'?" in str(error)
    (tmp_path / "3.csv").write_text("a,b,c,t\n1,2,3,4\n")
    assert "has the column 'c'" in str(read(tmp_path)[1])


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nowhere.csv", "there is no file"),
        ("nowhere-*.csv", "no file matches"),
        ([], "yields nothing"),
        (7, "nothing that holds rows"),
    ],
)
def test_sources_that_are_none_are_refused(source, words):
    with pytest.raises(StreamError, match=words):
        open_stream(source, "t")


def test_an_empty_folder_says_which_files_it_looks_for(tmp_path):
    with pytest.raises(StreamError, match=r"holds no file of a known kind \(\.csv"):
        open_stream(tmp_path, "t")


def test_rows_of_an_iterator_are_told_by_their_number():
    rows = [{"a": 1.0, "t": 0}] * 1500 + [{"a": "x", "t": 0}] + [{"a": 2.0, "t": 1}]
    read_rows, error, _ = read(rows)
    assert len(read_rows) == 1500
    assert "the iterator, row 1501" in str(error)
    assert len(read(rows, on_error="skip")[0]) == 1501
    rows = [{"a": 1.0, "t": 0}] * 1500 + [{"a": 1.0, "new": 1, "t": 0}]
    assert "the feature 'new' is new" in str(read(rows)[1])
