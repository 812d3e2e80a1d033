"""Which columns are read, and how."""

import datetime as dt

import pytest

from sgtrees import SGTRegressor
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


def test_a_name_with_a_comma_is_suggested_as_it_must_be_written(file):
    path = file('"size, m2",t\n1,2\n')
    with pytest.raises(StreamError, match="""'size, m2' \\(on the command line '"size, m2"'\\)"""):
        open_stream(path, "t", drop=["size"])


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


def test_dates_are_features_by_their_parts_or_numbers_if_declared(file):
    path = file("when,a,t\n2020-01-01,1,2\n,2,3\n")
    (block,) = open_stream(path, "t")
    assert block.X["when"].to_pylist() == [dt.date(2020, 1, 1), None]
    names = SGTRegressor().partial_fit(block.X, block.y).feature_names_in_.tolist()
    assert names == ["when.seconds", "when.month", "when.day", "when.weekday", "a"]
    assert len(open_stream(path, "t", drop=["when"]).columns) == 1
    (block,) = open_stream(path, "t", numeric=["when"])
    assert block.X["when"].to_pylist() == [1577836800.0, None]
    with pytest.raises(StreamError, match=r"target 'when' holds dates or times.*--numeric when"):
        open_stream(path, "when")


def test_other_ways_to_write_times_are_declared(file):
    path = file("when,since,t\n31.12.2020 14:30,0,1\n01.01.2021 00:00,86400,1\n")
    assert open_stream(path, "t").columns[0].nominal
    stream = open_stream(path, "t", time=["when", "since"], time_format="%d.%m.%Y %H:%M")
    (block,) = stream
    assert block.X["when"].to_pylist()[0] == dt.datetime(2020, 12, 31, 14, 30)
    assert block.X["since"].to_pylist()[1] == dt.datetime(1970, 1, 2)
    with pytest.raises(StreamError, match=r"line 2, column 'when': '31.12.2020 14:30' is not a da"):
        list(open_stream(path, "t", time=["when"]))


def test_kept_columns_pass_as_they_are(file):
    path = file("id,a,t\n0012345678901234567,1,2\n")
    (block,) = open_stream(path, "t", only=["a"], keep=["id"])
    assert block.X.to_pylist() == [{"a": 1.0, "id": "0012345678901234567"}]


def test_features_that_may_be_absent(file):
    path = file("a,t\n1,2\n")
    with pytest.raises(StreamError, match="has no column 'b'"):
        open_stream(path, "t", only=["a", "b"])
    stream = open_stream(path, "t", only=["a", "b"], nominal=["b"], may_lack=["b"])
    assert [column.name for column in stream.columns] == ["a"]


def test_a_column_whose_name_is_a_number_is_found_by_it(file):
    path = file("2012,2013\n1,2\n")
    assert open_stream(path, "2013").target.name == "2013"
    assert open_stream(path, "-1").target.name == "2013"


def test_only_some_columns_in_another_order(tmp_path):
    for name, text in (("1.csv", "a,b,c,t\n1,2,3,0\n"), ("2.csv", "b,x,a,c,t\n5,y,4,6,0\n")):
        (tmp_path / name).write_text(text)
    stream = open_stream(tmp_path, "t", only=["c", "a"])
    assert [column.name for column in stream.columns] == ["c", "a"]
    assert [block.X.to_pylist()[0] for block in stream] == [{"c": 3, "a": 1}, {"c": 6, "a": 4}]
    with pytest.raises(StreamError, match="has no column 'z'"):
        open_stream(tmp_path, "t", only=["z"])
