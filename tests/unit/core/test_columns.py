"""Blocks of the core that have an array for each column."""

import numpy as np
import pytest

from sgtrees import _core


def test_rows_are_chosen_as_numpy_chooses_them():
    columns = _core.Columns([np.arange(5.0), np.arange(5.0, 10.0)])
    assert (len(columns), columns.shape) == (5, (5, 2))
    for rows in (slice(1, 3), np.array([4, 0, 0]), np.array([True, False, False, True, False])):
        taken = columns[rows]
        assert [a.tolist() for a in taken.arrays] == [a[rows].tolist() for a in columns.arrays]


def test_the_arrays_live_as_long_as_the_columns():
    columns = _core.Columns([np.full(100_000, float(i)) for i in range(3)])
    assert [array[-1] for array in columns.arrays] == [0.0, 1.0, 2.0]
    assert _core.find_infinite(columns) is None


def test_arrays_that_cannot_be_written_to_are_columns_too():
    column = np.arange(3.0)
    column.flags.writeable = False
    assert _core.Columns([column]).shape == (3, 1)


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ([], ValueError, "at least one column"),
        ([np.ones(2), np.ones(3)], ValueError, "of one length"),
        ([np.ones(2), np.ones(2, dtype=np.float32)], ValueError, "of one type"),
        ([np.ones(2, dtype=np.int64)], TypeError, "of float32 or float64"),
        ([np.ones((2, 2))], TypeError, "contiguous array of one dimension"),
        ([np.ones(4)[::2]], TypeError, "contiguous array of one dimension"),
        ([[1.0, 2.0]], TypeError, "contiguous array of one dimension"),
    ],
)
def test_what_is_no_column_is_refused(arrays, error, message):
    with pytest.raises(error, match=message):
        _core.Columns(arrays)


def test_nothing_is_no_block():
    with pytest.raises(TypeError):
        _core.find_infinite(None)


def test_a_block_of_columns_is_learned_and_explained_like_one_of_rows():
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 3)), rng.random(3000)
    y += 5.0 * (X[:, 1] > 0.4)
    columns = _core.Columns([np.ascontiguousarray(column) for column in X.T])
    models = [_core.LossLearner(_core.Options(), [False] * 3) for _ in range(2)]
    before = [model.learn_predict(x, y) for model, x in zip(models, (X, columns), strict=True)]
    np.testing.assert_array_equal(*before)
    assert models[0].n_splits > 0
    for x in (X, columns):
        np.testing.assert_array_equal(models[1].predict(x), models[0].predict(X))
        np.testing.assert_array_equal(
            _core.Explainer(models[1]).shap_values(x), _core.Explainer(models[0]).shap_values(X)
        )


def test_columns_of_another_number_are_refused():
    model = _core.LossLearner(_core.Options(), [False] * 3)
    with pytest.raises(ValueError, match="wrong number of columns"):
        model.learn(_core.Columns([np.ones(2)] * 2), np.ones(2))
