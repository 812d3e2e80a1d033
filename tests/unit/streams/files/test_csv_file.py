"""CSV files: dialects, and the inferred kinds of columns."""

import pytest

from sgtrees.streams import StreamError, open_stream
from sgtrees.streams.files import chunks
from tests.unit.streams.same_data import rows_of


def write(folder, values):
    path = folder / "a.csv"
    path.write_text("size,y\n" + "".join(f"{value},1\n" for value in values))
    return path


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


def test_csv_in_other_dialects(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeffgröße;name;t\r\n1,5;a;1\r\n".encode())
    stream = open_stream(path, "t")
    assert [column.name for column in stream.columns] == ["größe", "name"]
    path.write_bytes("name,t\ncafé,1\n".encode("latin-1"))
    assert rows_of(open_stream(path, "t", encoding="latin-1")) == [("café", 1.0)]
    path.write_text("1.5,a,1\n2.5,-,0\n")
    stream = open_stream(path, "x2", has_header=False, missing=["-"])
    assert rows_of(stream) == [(1.5, "a", 1.0), (2.5, None, 0.0)]


def test_a_word_among_numbers_is_a_mistake_and_makes_no_category(tmp_path):
    path = write(tmp_path, [*range(60), "oops", *range(60)])
    with pytest.raises(StreamError, match=r"line 62, column 'size': 'oops' is not a number"):
        list(open_stream(path, "y"))
    stream = open_stream(path, "y", on_error="skip")
    assert sum(len(block) for block in stream) == 120
    assert stream.skipped.rows == 1


@pytest.mark.parametrize(
    "values",
    [
        [*range(60), *["low"] * 20],  # every fourth
        ["1", "2", "low"],  # too few to tell
        ["2 m", "3 m"] * 50,
    ],
)
def test_a_column_of_words_stays_one(tmp_path, values):
    (size,) = open_stream(write(tmp_path, values), "y").columns
    assert size.nominal


def test_the_user_has_the_last_word(tmp_path):
    path = write(tmp_path, [*range(60), "oops"])
    assert sum(len(block) for block in open_stream(path, "y", nominal=["size"])) == 61


def test_columns_without_a_name_of_their_own_get_one_with_a_note(tmp_path, caplog):
    path = tmp_path / "a.csv"
    path.write_text("a,a,,a_2,t\n1,2,3,4,5\n")
    stream = open_stream(path, "t")
    assert [column.name for column in stream.columns] == ["a", "a_3", "column_3", "a_2"]
    assert rows_of(stream) == [(1.0, 2.0, 3.0, 4.0, 5.0)]
    assert "column 2, 'a', is called 'a_3' here" in caplog.text


GERMAN = 'name;preis;t\na;1.234,5;"7,25"\nb;-12;0,5\nc;;1e3\n'


def test_numbers_of_other_countries(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(GERMAN)
    stream = open_stream(path, "t", decimal=",", thousands=".")
    assert rows_of(stream) == [("a", 1234.5, 7.25), ("b", -12.0, 0.5), ("c", None, 1000.0)]
    assert open_stream(path, "t").target.nominal
    path.write_text("a;t\n1,5;2\n1.5;3\n")
    with pytest.raises(StreamError, match=r"line 3, column 'a': '1.5' is not a number"):
        list(open_stream(path, "t", decimal=",", numeric=["a"]))
    path.write_text('a,t\n"12,345",1\n"1,2345",1\n')
    with pytest.raises(StreamError, match=r"line 3, column 'a': '1,2345' is not a number"):
        list(open_stream(path, "t", thousands=",", numeric=["a"]))
    for options in ({"decimal": "ab"}, {"decimal": "1"}, {"decimal": ",", "thousands": ","}):
        with pytest.raises(StreamError, match="give"):
            open_stream(path, "t", **options)


def test_ten_thousand_columns(tmp_path):
    path = tmp_path / "a.csv"
    names = ",".join(f"c{place}" for place in range(10_000))
    path.write_text(f"{names}\n" + (",".join(["1"] * 10_000) + "\n") * 3)
    (block,) = open_stream(path, "c9999")
    assert block.X.shape == (3, 9_999)
    with path.open("a") as file:
        file.write("1,2\n")
    with pytest.raises(StreamError, match="line 5: 2 values instead of 10000"):
        list(open_stream(path, "c9999"))
