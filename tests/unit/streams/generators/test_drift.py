import numpy as np
import pytest

from sgtrees.streams import (
    Drift,
    Led,
    Sea,
)


def test_an_abrupt_drift_changes_at_its_row():
    before, after = Sea(0, seed=1), Sea(3, seed=2)
    block = Drift(before, after, at=600).take(1000)
    np.testing.assert_array_equal(block.X[:600], before.take(600).X)
    np.testing.assert_array_equal(block.X[600:], after.take(1000).X[600:])


def test_a_gradual_drift_is_half_way_at_its_row():
    class_of = Drift(Sea(0, noise=0.0, seed=1), Sea(0, noise=1.0, seed=1), at=10_000, width=4000)
    block = class_of.take(20_000)
    is_later = (block.y == "a") != (block.X[:, 0] + block.X[:, 1] <= 8.0)
    shares = [part.mean() for part in np.array_split(is_later, 10)]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert is_later[9500:10_500].mean() == pytest.approx(0.5, abs=0.05)
    # A logistic curve: 1 / (1 + exp(-4 d / width)).
    assert is_later[10_950:11_050].mean() == pytest.approx(1 / (1 + np.exp(-1)), abs=0.15)


def test_the_best_error_of_a_drift_is_that_of_its_rows():
    drift = Drift(Sea(0, noise=0.1), Sea(1, noise=0.3), at=50)
    assert drift.take(100).best_error == pytest.approx(0.2)
    assert Drift(Led(), Led(n_swapped=1), at=50).take(100).best_error is None


def test_streams_with_other_columns_do_not_drift_into_one_another():
    with pytest.raises(ValueError, match="same columns"):
        Drift(Sea(), Led(), at=5)
