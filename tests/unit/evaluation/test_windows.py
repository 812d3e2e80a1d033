from itertools import islice

import numpy as np
import pytest

from sgtrees.evaluation import window_ends


@pytest.mark.parametrize("n_rows", [1, 999, 1000, 12_345, 1_000_000, 3_000_001])
def test_windows_cover_all_rows_and_are_bounded(n_rows):
    ends = [0, *window_ends(n_rows)]
    sizes = np.diff(ends)
    assert ends[-1] == n_rows
    assert (sizes > 0).all()
    assert (sizes <= 50_000).all()


def test_windows_end_at_round_numbers_also_if_the_number_of_rows_is_unknown():
    ends = set(islice(window_ends(), 200))
    assert ends >= {1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000}
