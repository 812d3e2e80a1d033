import numpy as np

from sgtrees.streams import (
    Led,
)


def test_a_display_without_faults_shows_the_digits():
    block = Led(noise=0.0).take(2000)
    shown = {digit: block.X[block.y == digit, :7] for digit in "0123456789"}
    assert all((rows == rows[0]).all() for rows in shown.values())
    assert len({tuple(rows[0]) for rows in shown.values()}) == 10
    assert shown["8"][0].tolist() == [1.0] * 7
    assert shown["1"][0].sum() == 2
    moved = Led(noise=0.0, n_swapped=2).take(2000)
    np.testing.assert_array_equal(moved.X[:, [7, 8, *range(2, 7)]], block.X[:, :7])
