"""Blocks that travel between workers: renumbered, cut and joined."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sgtrees import _core
from sgtrees.dask.blocks import for_core, joined, renumbered, rows_of


@given(
    numbers=st.lists(st.integers(0, 5), min_size=1, max_size=30),
    table=st.permutations([0, 3, 7, 254, 255, 70_000]),
    largest=st.sampled_from([254, 255, 70_000]),
)
def test_codes_get_other_numbers_as_numbers_do(numbers, table, largest) -> None:
    model = _core.LossLearner(
        _core.Options(warm_up=1), [True, False], np.array([[np.nan, np.nan], [0.0, 1.0]])
    )
    X = np.column_stack([numbers, np.linspace(0, 1, len(numbers))])
    X[::4, 0] = np.nan
    tables = {0: np.minimum(np.array(table, dtype=np.float64), largest)}
    codes = renumbered(model.encode(X), tables)
    expected = model.encode(renumbered(X, tables))
    assert np.array_equal(codes, expected)
    assert isinstance(for_core(codes), _core.Codes)


def test_codes_are_cut_and_joined() -> None:
    codes = np.arange(12, dtype=np.uint8).reshape(4, 3)
    wide = rows_of(codes, slice(2, 4))
    assert isinstance(wide, np.ndarray)
    together = joined([rows_of(codes, slice(0, 2)), wide.astype(np.uint16)])
    assert isinstance(together, np.ndarray)
    assert together.dtype == np.uint16
    assert np.array_equal(together, codes)
