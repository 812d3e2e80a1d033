"""One stream from several files, and files that cannot be read."""

import pytest

from sgtrees.streams import StreamError, open_stream
from tests.unit.streams import same_data
from tests.unit.streams.same_data import read, rows_of


@pytest.fixture(scope="module")
def table():
    return same_data.table()


def test_files_of_several_formats_make_one_stream(tmp_path, table):
    first = same_data.write(table.slice(0, 1000), tmp_path, "csv")
    second = same_data.write(table.slice(1000), tmp_path, "parquet")
    whole = rows_of(open_stream(same_data.write(table, tmp_path, "feather"), "label"))
    assert rows_of(open_stream([first, second], "label")) == whole


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "", "is empty"),
        ("a.csv", " \n\n", "is empty"),
        ("a.csv", "a,t\n", "has a header, but no rows"),
        (
            "a.csv",
            b"a,t\n\0\1\2" * 100,
            "line 2: there is a NUL byte, which no text has; give the encoding",
        ),
        ("a.csv", b"PK\x03\x04nothing", "is not a complete ZIP archive"),
        ("a.xlsx", b"anything", "is an Excel file, which cannot be read; save the table as CSV"),
        ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an Excel file"),
        ("a.csv", b"SQLite format 3\0", "is a database"),
        ("a.ndjson", "", "is empty"),
        ("a.ndjson", '[{"a": 1}]\n', "one JSON list"),
        ("a.ndjson", "a,t\n1,2\n", "line 1: this is not a JSON object"),
        ("a.arff", "", "is empty"),
        ("a.arff", "@relation r\n@attribute a real\n", "has no @data"),
        ("a.arff", "@relation r\n@attribute a colour\n@data\n", "line 2: the type 'colour' of 'a'"),
        ("a.arff", "@relation r\n@attribute a {b,c\n@data\n", "closing brace"),
        ("a.arff", "a,b\n1,2\n", "line 1: 'a,b' is neither"),
        ("a.parquet", "no parquet at all", "not a complete Parquet file"),
        ("a.arrow", "no arrow at all", "not a complete Arrow file"),
    ],
)
def test_an_unreadable_file_raises_an_error_that_names_it(file, name, text, words):
    path = file(text, name)
    with pytest.raises(StreamError) as caught:
        list(open_stream(path, "t"))
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_text_with_the_extension_of_excel_is_read_in_the_format_that_is_declared(file):
    (block,) = open_stream(file("a,t\n1,2\n", "a.xls"), "t", file_format="csv")
    assert block.X["a"].to_pylist() == [1]
    with pytest.raises(StreamError, match="is an Excel file"):
        list(
            open_stream(file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "b.xls"), "t", file_format="csv")
        )


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
