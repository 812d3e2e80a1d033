import numpy as np
import pytest

from sgtrees.streams import (
    Sea,
)


@pytest.mark.parametrize(("concept", "threshold"), [(0, 8.0), (1, 9.0), (2, 7.0), (3, 9.5)])
def test_sea_uses_two_of_three_numbers(concept, threshold):
    block = Sea(concept, noise=0.0).take(2000)
    np.testing.assert_array_equal(block.y == "a", block.X[:, 0] + block.X[:, 1] <= threshold)
    noisy = Sea(concept, noise=0.1).take(20_000)
    wrong = np.mean((noisy.y == "a") != (noisy.X[:, 0] + noisy.X[:, 1] <= threshold))
    assert wrong == pytest.approx(0.1, abs=0.0064)
