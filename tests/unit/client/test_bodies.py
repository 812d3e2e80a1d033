"""Rows of every kind are the same rows."""

import builtins
import datetime as dt
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sgtrees.client.bodies import ARROW, JSON, body_of

EVENTS = [
    {"size": 3.5, "colour": "red", "@id": "a"},
    {"size": None, "colour": "green", "@id": "b"},
]
COLUMNS = {"size": [3.5, None], "colour": ["red", "green"]}


def read(body):
    if body.media == JSON:
        return json.loads(body.content)
    assert body.media == ARROW
    return pa.ipc.open_stream(body.content).read_all().to_pylist()


@pytest.mark.parametrize(
    "rows",
    [
        [{"size": 3.5, "colour": "red"}, {"size": float("nan"), "colour": "green"}],
        [{"size": np.float32(3.5), "colour": "red"}, {"size": np.nan, "colour": "green"}],
        pd.DataFrame(COLUMNS, index=[7, 9]),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
    ],
    ids=["list", "numpy", "pandas", "polars", "arrow"],
)
@pytest.mark.parametrize("has_arrow", [True, False])
def test_rows_of_every_kind_are_the_same(rows, has_arrow, monkeypatch):
    if isinstance(rows, pa.Table) and not has_arrow:
        return  # there are no such tables without it
    real = builtins.__import__

    def missing(name, *arguments):
        if name == "pyarrow" and not has_arrow:
            raise ModuleNotFoundError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", missing)
    body = body_of(rows, ["a", "b"])
    monkeypatch.undo()
    assert body.rows == 2
    assert body.media == (JSON if isinstance(rows, list) or not has_arrow else ARROW)
    assert read(body) == EVENTS


def test_times_are_written_as_the_server_reads_them():
    day = dt.date(2026, 1, 2)
    row = {"day": day, "at": np.datetime64("2026-01-02T03:04"), "no": np.datetime64("NaT")}
    assert read(body_of(row)) == [{"day": "2026-01-02", "at": "2026-01-02T03:04", "no": None}]


@pytest.mark.parametrize(
    ("rows", "error", "text"),
    [
        ([], ValueError, "no rows"),
        ([3], TypeError, "a row is a dictionary"),
        ("text", TypeError, "a dictionary, a list of them"),
        ({"a": object()}, TypeError, "a value is a number"),
    ],
)
def test_what_are_no_rows_is_named(rows, error, text):
    with pytest.raises(error, match=text):
        body_of(rows)
    with pytest.raises(ValueError, match="1 ids of 2 rows"):
        body_of([{"a": 1}, {"a": 2}], ["x"])
