import numpy as np

from sgtrees.streams import (
    Hyperplane,
)


def test_a_hyperplane_that_turns_is_another_one_later():
    def error_of_first_plane(stream):
        rows = stream.take(200_000)
        first, last = slice(0, 2000), slice(198_000, None)
        X, is_above = rows.X - 0.5, rows.y == "above"
        plane, *_ = np.linalg.lstsq(X[first], 2.0 * is_above[first] - 1.0, rcond=None)
        return [np.mean((X[s] @ plane > 0) != is_above[s]) for s in (first, last)]

    still = error_of_first_plane(Hyperplane(noise=0.0))
    turning = error_of_first_plane(Hyperplane(n_drifting=10, speed=3e-6, noise=0.0))
    assert max(still) < 0.05
    assert turning[1] > turning[0] + 0.1
