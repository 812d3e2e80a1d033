"""A small stream, and its files."""

import numpy as np
import pytest

from sgtrees_experiments.moa import NumericStream, StreamFiles


@pytest.fixture
def stream(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((5000, 3))
    X[:, 2] = rng.integers(0, 4, 5000)
    return NumericStream(X, (X[:, 0] > X[:, 1]).astype(float), [0, 0, 4], 2)


@pytest.fixture
def files(stream, tmp_path):
    return StreamFiles.write(stream, tmp_path)
