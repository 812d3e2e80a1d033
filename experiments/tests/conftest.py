"""Small streams and bags, and a cache of their own for tests that look into it."""

import numpy as np
import pytest

from sgtrees_experiments.datasets import Bags
from sgtrees_experiments.moa import NumericStream


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(0)
    X = rng.random((3000, 4))
    X[:, 3] = rng.integers(0, 3, 3000)
    y = ((X[:, 0] > 0.5) ^ (X[:, 3] == 1)).astype(float)
    return NumericStream(X, y, [0, 0, 0, 3], 2)


@pytest.fixture(scope="module")
def numbers(classes):
    return NumericStream(classes.X, 3.0 * classes.X[:, 0] + classes.y, [0, 0, 0, 3], 0)


@pytest.fixture(scope="module")
def bags():
    rng = np.random.default_rng(0)
    made = [rng.random((rng.integers(1, 6), 2)) for _ in range(40)]
    return Bags(made, np.array([int(bag[:, 0].max() > 0.7) for bag in made]))


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SGTREES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
