"""Arrays, data frames and iterables of blocks as streams."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from sgtrees import SGTClassifier
from sgtrees.streams import open_stream
from tests.unit.streams import same_data


def learned(stream):
    model = SGTClassifier(warm_up=100, grace_period=50, delta=1e-3)
    for block in stream:
        model.partial_fit(block.X, block.y)
    core = model._model.core
    return model, {name: array.tolist() for name, array in core.state().items()}


@pytest.fixture(scope="module")
def table():
    return same_data.table()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_data_frames_are_streams_too(table, library):
    frame = library(table.to_pydict())
    stream = open_stream(frame, "label", drop=["count"])
    assert [column.name for column in stream.columns] == ["size", "colour"]
    assert (stream.target.name, stream.target.nominal, stream.n_rows) == ("label", True, 3000)
    model, _ = learned(stream)
    assert model.n_features_in_ == 2


def test_arrays_are_streams_with_their_target_apart_or_among_the_columns():
    X = np.random.default_rng(0).normal(size=(150_000, 3))
    stream = open_stream(X, y=X[:, 0] > 0, nominal=["x2"])
    assert ([len(block) for block in stream], stream.nominal) == ([65536, 65536, 18928], [2])
    assert open_stream(X, -1).target.name == "x2"
    np.testing.assert_array_equal(next(iter(open_stream(X, -1))).y, X[:65536, 2])


def test_blocks_and_frames_of_an_iterator_are_handed_on():
    X, y = np.zeros((5, 2)), np.arange(5)
    assert [len(block) for block in open_stream(iter([(X, y), (X, y)]))] == [5, 5]
    frames = (pl.DataFrame({"a": [1.0, 2.0], "t": ["u", "v"]}) for _ in range(3))
    stream = open_stream(frames, "t")
    assert (stream.columns[0].name, stream.target.name) == ("a", "t")
    assert sum(len(block) for block in stream) == 6
