import numpy as np
import pytest

from sgtrees.streams import (
    Friedman,
)


def test_friedman_is_as_in_the_paper():
    block = Friedman(2, noise=0.0).take(1000)
    a, b, c, d, e = block.X[:, 2:7].T
    expected = 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e
    np.testing.assert_allclose(block.y, expected, rtol=1e-12)
    assert np.std(Friedman(2).take(50_000).y - Friedman(2, noise=0.0).take(50_000).y) == (
        pytest.approx(1.0, abs=0.02)
    )
