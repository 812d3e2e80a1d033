"""The files that folders and patterns name."""

import pytest

from sgtrees.streams import StreamError, open_stream
from tests.unit.streams.same_data import rows_of


def test_files_come_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 9, 1):
        (tmp_path / f"part-{number}.csv").write_text(f"a,t\n{number},0\n")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.md").write_text("nothing")
    for source in (tmp_path, str(tmp_path / "part-*.csv")):
        assert [row[0] for row in rows_of(open_stream(source, "t"))] == [1, 9, 10]
    explicit = [tmp_path / "part-10.csv", tmp_path / "part-1.csv"]
    assert [row[0] for row in rows_of(open_stream(explicit, "t"))] == [10, 1]


def test_the_error_of_an_empty_folder_names_the_known_extensions(tmp_path):
    with pytest.raises(StreamError, match=r"holds no file with a known extension \(\.csv"):
        open_stream(tmp_path, "t")
