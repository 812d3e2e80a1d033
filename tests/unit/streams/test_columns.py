"""Which columns are read, and how."""

import pytest

from sgtrees.streams import StreamError, open_stream
from tests.unit.streams.same_data import rows_of


def test_kinds_can_be_declared_by_patterns_too(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("zip_1,zip_2,code,when,t\n01234,7,250,2020-01-01,1\n1234,8,V58,2020-01-02,0\n")
    stream = open_stream(path, "t", nominal=["zip_*"], numeric=["when"])
    assert [c.nominal for c in stream.columns] == [True, True, True, False]
    assert rows_of(stream)[0] == ("01234", "7", "250", 1577836800.0, 1.0)


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
def test_contradicting_options_are_refused(file, options, words):
    with pytest.raises(StreamError, match=words):
        open_stream(file("a,b,t\n1,2,3\n"), "t", **options)


def test_dates_are_refused_unless_an_option_covers_them(file):
    path = file("when,a,t\n2020-01-01,1,2\n")
    with pytest.raises(
        StreamError, match=r"column 'when' holds dates.*--drop when.*--numeric when"
    ):
        open_stream(path, "t")
    assert len(open_stream(path, "t", drop=["when"]).columns) == 1


def test_only_some_columns_in_another_order(tmp_path):
    for name, text in (("1.csv", "a,b,c,t\n1,2,3,0\n"), ("2.csv", "b,x,a,c,t\n5,y,4,6,0\n")):
        (tmp_path / name).write_text(text)
    stream = open_stream(tmp_path, "t", only=["c", "a"])
    assert [column.name for column in stream.columns] == ["c", "a"]
    assert [block.X.to_pylist()[0] for block in stream] == [{"c": 3, "a": 1}, {"c": 6, "a": 4}]
    with pytest.raises(StreamError, match="has no column 'z'"):
        open_stream(tmp_path, "t", only=["z"])
