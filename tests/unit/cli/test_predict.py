import datetime as dt
import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from sgtrees.streams import open_stream
from tests.unit.cli.commands import run, train
from tests.unit.streams import same_data


@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet", "arrow"])
def test_predictions_are_written_in_every_format(folder, kind):
    train()
    result = run(
        "predict", "data.csv", "-m", "m.sgt", "-o", f"out.{kind}", "--keep", "colour,count"
    )
    assert result.exit_code == 0, result.stderr
    (block,) = open_stream(f"out.{kind}", nominal=["prediction"])
    assert block.X.column_names == ["colour", "count", "prediction"]
    assert len(block) == 3000
    assert set(block.X["prediction"].to_pylist()) <= {"big", "small"}


def test_columns_may_come_in_any_order_and_others_are_passed_over(folder):
    train()
    expected = run("predict", "data.csv", "-m", "m.sgt").stdout
    table = same_data.table(3000, seed=3)
    turned = table.select(["colour", "label", "count", "size"]).append_column(
        "when", [["2020-01-01"] * 3000]
    )
    same_data.write(turned, folder, "csv")
    assert run("predict", "data.csv", "-m", "m.sgt").stdout == expected
    used = run("inspect", "m.sgt", "--json").stdout
    needed = [name for name in ("size", "count", "colour") if f'"{name}"' in used]
    absent = next(name for name in needed)
    same_data.write(table.drop_columns([absent]), folder, "csv")
    result = run("predict", "data.csv", "-m", "m.sgt")
    assert result.exit_code == 3
    assert f"has no column '{absent}' (feature)" in result.stderr


def test_columns_that_no_split_uses_may_be_absent(folder):
    train("--max-depth", 0)
    expected = run("predict", "data.csv", "-m", "m.sgt").stdout
    table = same_data.table(3000, seed=3)
    same_data.write(table.select(["colour", "label"]), folder, "csv")
    assert run("predict", "data.csv", "-m", "m.sgt").stdout == expected


def test_a_regressor_has_no_probabilities(folder):
    run("train", "data.csv", "-t", "count", "-m", "m.sgt", "--task", "regression")
    result = run("predict", "data.csv", "-m", "m.sgt", "--proba")
    assert result.exit_code == 2
    assert "predicts numbers" in result.stderr


def test_dates_times_and_durations_may_be_kept(folder):
    train()
    table = same_data.table(3000, seed=3)
    times = {
        "day": dt.date(2013, 1, 2),
        "at": dt.datetime(2013, 1, 2, 6, 30),
        "of_day": dt.time(6, 30),
        "took": dt.timedelta(seconds=90),
    }
    for name, value in times.items():
        table = table.append_column(name, pa.array([value] * 3000))
    pa.parquet.write_table(table, "times.parquet")
    predict = ["predict", "times.parquet", "-m", "m.sgt", "--keep", ",".join(times)]
    line = run(*predict, "--output-format", "ndjson").stdout.splitlines()[0]
    texts = ["2013-01-02", "2013-01-02T06:30:00", "06:30:00"]
    assert list(json.loads(line).values())[:4] == [*texts, 90.0]
    line = run(*predict).stdout.splitlines()[1]
    assert line.startswith("2013-01-02,2013-01-02 06:30:00.000000,06:30:00.000000,90,")
    assert run(*predict, "-o", "p.parquet").exit_code == 0
    kept = pa.parquet.read_table("p.parquet").to_pylist()[0]
    assert [kept[name] for name in times] == list(times.values())
