"""Errors name file, line and column, and say what to do; the rows before are not lost."""

import pytest

from sgtrees.streams.files import chunks
from tests.unit.streams.same_data import read

ARFF = "@relation r\n@attribute a real\n@attribute c {u,v}\n@data\n"


# name, text, line, column, words in the message, good rows before, good rows in all
ROWS = [
    ("a.csv", "a,b,t\n1,2,0\n1,2\n3,4,1\n", 3, None, "2 values instead of 3", 1, 2),
    ("a.csv", "a,b,t\n1,2,0\n1,2,3,4\n3,4,1\n", 3, None, "4 values instead of 3", 1, 2),
    ("a.csv", "a,b,t\n1,2,0\n\n3,4,1\nx,4,1\n", 5, "a", "'x' is not a number", 2, 2),
    ("a.csv", "a,t\n1,0\n2,\n3,1\n", 3, "t", "target is missing", 1, 2),
    ("a.csv", "a,t\n1,0\ninf,0\n3,1\n", 3, "a", "infinite", 1, 2),
    ("a.csv", 'n,a,t\n"x\ny",1,0\n"x\n\ny",oh,0\nz,3,1\n', 4, "a", "'oh' is not a number", 1, 2),
    ("a.csv", b"n,a,t\nx,1,0\n\xff\xfe,2,1\n", 3, "n", "not UTF-8", 1, 1),
    (
        "a.ndjson",
        '{"a":1,"t":0}\n{"a":"x","t":0}\n{"a":3,"t":1}\n',
        2,
        "a",
        "instead of a number",
        1,
        2,
    ),
    ("a.ndjson", '{"a":1,"t":0}\n{"a":1,\n\n{"a":3,"t":1}\n', 2, None, "not a JSON object", 1, 2),
    ("a.ndjson", '{"a":1,"t":0}\n[1]\n{"a":3,"t":1}\n', 2, None, "not a JSON object", 1, 2),
    ("a.ndjson", '{"a":1,"t":0}\n{"a":1}\n', 2, "t", "target is missing", 1, 1),
    ("a.arff", ARFF + "1,u\n2,w\n3,v\n", 6, "c", "'w' is not among the declared values", 1, 2),
    ("a.arff", ARFF + "1,u\n% so\n2\n3,v\n", 7, None, "1 value instead of 2", 1, 2),
    ("a.arff", ARFF + "1,u\nx,v\n", 6, "a", "'x' is not a number", 1, 1),
    ("a.arff", ARFF + "1,u\n{0 1, 7 3}\n{0 2, 1 v}\n", 6, None, "attribute 7, but there", 1, 2),
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


def test_negative_weights_are_bad_rows(file):
    _, error, _ = read(file("a,w,t\n1,1,0\n2,-1,0\n"), weight="w")
    assert "line 3, column 'w': the weight is negative" in str(error)
