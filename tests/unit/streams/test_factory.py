"""The same rows from every format, and sources that are refused."""

import pytest

from sgtrees import SGTClassifier
from sgtrees.streams import StreamError, open_stream
from tests.unit.streams import same_data
from tests.unit.streams.same_data import rows_of


def learned(stream):
    model = SGTClassifier(warm_up=100, grace_period=50, delta=1e-3)
    for block in stream:
        model.partial_fit(block.X, block.y)
    core = model._model.core
    return model, {name: array.tolist() for name, array in core.state().items()}


@pytest.fixture(scope="module")
def table():
    return same_data.table()


@pytest.mark.parametrize("kind", same_data.FORMATS)
def test_every_format_gives_the_same_rows_and_the_same_model(tmp_path, table, kind):
    stream = open_stream(same_data.write(table, tmp_path, kind), "label")
    assert [column.name for column in stream.columns if column.nominal] == ["colour"]
    expected = [
        tuple(float(v) if isinstance(v, int) else v for v in row.values())
        for row in table.to_pylist()
    ]
    # A second time too.
    assert rows_of(stream) == expected
    assert rows_of(stream) == expected
    model, state = learned(stream)
    _, reference = learned(open_stream(table, "label"))
    assert model.n_leaves_ > 1
    assert repr(state) == repr(reference)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nowhere.csv", "there is no file"),
        ("nowhere-*.csv", "no file matches"),
        ([], "yields nothing"),
        (7, "cannot be opened from int"),
    ],
)
def test_unknown_sources_are_refused(source, words):
    with pytest.raises(StreamError, match=words):
        open_stream(source, "t")
