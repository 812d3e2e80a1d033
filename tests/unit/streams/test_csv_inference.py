"""What a CSV file's columns are taken for."""

import pytest

from sgtrees.streams import StreamError, open_stream


def write(folder, values):
    path = folder / "a.csv"
    path.write_text("size,y\n" + "".join(f"{value},1\n" for value in values))
    return path


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
