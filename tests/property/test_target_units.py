"""A target in another unit gives the same tree in that unit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtrees import SGTRegressor

LOSSES = ["squared_error", "absolute_error", "huber", "log_cosh", "quantile"]


def stream(seed: int, n_targets: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3_000, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    signal = np.where(X[:, 0] > 0.3, 2.0, -1.0) + np.nan_to_num(X[:, 1]) ** 2
    y = signal[:, None] + rng.standard_t(3, size=(len(X), n_targets))
    return X, y[:, 0] if n_targets == 1 else y


def grown(X: np.ndarray, y: np.ndarray, **parameters: object) -> tuple[np.ndarray, int, int]:
    model = SGTRegressor(**parameters)
    before = model.learn_predict(X, y)
    return before, model.n_splits_, model.n_updates_


@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-40, 40))
def test_powers_of_two_change_no_bit(loss: str, seed: int, power: int) -> None:
    X, y = stream(seed)
    before, splits, updates = grown(X, y, loss=loss)
    scaled, splits_scaled, updates_scaled = grown(X, y * 2.0**power, loss=loss)
    assert splits > 0
    assert (splits_scaled, updates_scaled) == (splits, updates)
    np.testing.assert_array_equal(scaled, before * 2.0**power)


@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_thousand_times_the_target_gives_a_thousand_times_the_tree(
    loss: str, n_targets: int
) -> None:
    X, y = stream(7, n_targets)
    before, splits, updates = grown(X, y, loss=loss)
    scaled, splits_scaled, updates_scaled = grown(X, y * 1000.0, loss=loss)
    assert splits > 0
    assert (splits_scaled, updates_scaled) == (splits, updates)
    np.testing.assert_allclose(scaled, before * 1000.0, rtol=1e-9, atol=1e-6)


def test_in_units_of_the_loss_the_unit_matters() -> None:
    X, y = stream(7)
    one = grown(X, y, penalty_units="loss")
    other = grown(X, y / 1000.0, penalty_units="loss")
    assert one[1] > other[1]
