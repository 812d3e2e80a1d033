"""Streams whose features leave the range of their first rows, and the record of that."""

from __future__ import annotations

import copy
import logging
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sgtrees
from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.models.merging import MergeError
from sgtrees.models.range_updates import RangeUpdate

Floats = NDArray[np.float64]
ROWS = 20_000
LOG = "sgtrees.models.range_updates"


def smooth(seed: int = 0) -> tuple[Floats, Floats]:
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (ROWS, 3))
    return X, 3 * np.sin(3 * X[:, 0]) + X[:, 1] + random.normal(0, 0.2, ROWS)


def shifted_scale() -> tuple[Floats, Floats]:
    X, y = smooth()
    X[1000:, 0] *= 1000
    return X, y


def one_outlier() -> tuple[Floats, Floats]:
    X, y = smooth()
    X[5, 0] = 1e9
    return X, y


def log_normal() -> tuple[Floats, Floats]:
    X, _ = smooth()
    random = np.random.default_rng(1)
    z = random.normal(0, 2, ROWS)
    X[:, 0] = np.exp(z)
    return X, 3 * np.tanh(z) + random.normal(0, 0.2, ROWS)


def constant_at_first() -> tuple[Floats, Floats]:
    X, y = smooth()
    X[:1500, 0] = 0.5
    y[:1500] = X[:1500, 1]
    return X, y


def missing_at_first() -> tuple[Floats, Floats]:
    X, y = smooth()
    X[:1500, 0] = math.nan
    y[:1500] = X[:1500, 1]
    return X, y


def time_stamp() -> tuple[Floats, Floats]:
    """A sine of the time, which grows without bound."""
    random = np.random.default_rng(0)
    X = np.column_stack([1.6e9 + np.arange(ROWS), random.uniform(-1, 1, (ROWS, 2))])
    y = 3 * np.sin(2 * np.pi * np.arange(ROWS) / 10_000) + 2 * (X[:, 1] > 0.3)
    return X, y + random.normal(0, 0.3, ROWS)


def r2_of_second_half(model: SGTRegressor, X: Floats, y: Floats) -> float:
    predicted = model.learn_predict(X, y)
    late, p = y[ROWS // 2 :], predicted[ROWS // 2 :]
    return 1 - float(((late - p) ** 2).sum() / ((late - late.mean()) ** 2).sum())


@pytest.mark.parametrize("binning", ["uniform", "quantile"])
@pytest.mark.parametrize(
    "made_by", [shifted_scale, one_outlier, log_normal, constant_at_first, missing_at_first]
)
def test_a_feature_is_of_use_whatever_its_first_values_were(made_by: object, binning: str) -> None:
    assert callable(made_by)
    assert r2_of_second_half(SGTRegressor(binning=binning), *made_by()) >= 0.9  # type: ignore[arg-type]


def test_a_feature_that_grows_without_bound_stays_of_use() -> None:
    X, y = time_stamp()
    still: dict[str, Any] = {"following_rates": (), "on_drift": "ignore"}
    fixed = r2_of_second_half(SGTRegressor(adaptive_ranges=False, **still), X, y)
    model = SGTRegressor(**still)
    # river's Hoeffding tree regressor has 0.48 on this stream.
    assert r2_of_second_half(model, X, y) > max(0.6, fixed + 0.5)
    assert {update.feature for update in model.range_updates_} == {0}
    assert {update.reason for update in model.range_updates_} == {"outside"}


def test_ranges_that_suit_make_the_model_that_fixed_ranges_make() -> None:
    X, y = smooth()
    adaptive, fixed = SGTRegressor(), SGTRegressor(adaptive_ranges=False)
    np.testing.assert_array_equal(adaptive.learn_predict(X, y), fixed.learn_predict(X, y))
    assert adaptive.range_updates_ == []


@pytest.mark.parametrize("model", [SGTRegressor.paper(), SGTRegressor(feature_ranges=(-1.0, 1.0))])
def test_the_papers_settings_and_given_ranges_renew_no_bins(model: SGTRegressor) -> None:
    X, y = shifted_scale()
    assert model.partial_fit(X, y).range_updates_ == []


def test_no_row_is_routed_another_way_when_bins_are_renewed() -> None:
    X, y = shifted_scale()
    model = SGTRegressor(following_rates=()).partial_fit(X[:1023], y[:1023])
    for row in range(1023, 6000):
        n_updates, changes = len(model.range_updates_), (model.n_updates_, model.n_splits_)
        before = model.predict(X[:200])
        model.partial_fit(X[row : row + 1], y[row : row + 1])
        is_as_before = (model.n_updates_, model.n_splits_) == changes
        if len(model.range_updates_) > n_updates and is_as_before:
            np.testing.assert_array_equal(model.predict(X[:200]), before)
            return
    pytest.fail("no bins were renewed without a change of the tree")


def test_updates_are_recorded_with_names_and_saved(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = shifted_scale()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = SGTClassifier().partial_fit(frame, y > 0)
    updates = model.range_updates_
    assert updates[0] == RangeUpdate(row=2048, feature="a", reason="outside")
    path = tmp_path / "model.safetensors"
    model.save(path)
    assert sgtrees.load(path).range_updates_ == updates
    model.save(path, inference_only=True)
    assert sgtrees.load(path).range_updates_ == updates


def test_an_update_is_noted_in_the_log_once(caplog: pytest.LogCaptureFixture) -> None:
    X, y = shifted_scale()
    with caplog.at_level(logging.INFO, LOG):
        model = SGTRegressor().partial_fit(X[:1000], y[:1000])
        assert caplog.messages == []
        for row in range(1000, 4000):
            model.learn_one(dict(enumerate(X[row].tolist())), float(y[row]))
        n_updates = len(model.range_updates_)
        assert n_updates > 0
        model.partial_fit(X[4000:4010], y[4000:4010])
    assert len(caplog.messages) == n_updates
    assert caplog.messages[0] == (
        "after 2048 rows feature 0 got new bins: its values were outside its range"
    )


def test_rows_of_weight_0_have_no_part_in_it() -> None:
    X, y = shifted_scale()
    weights = np.ones(ROWS)
    with_zeros = np.insert(X, 3000, np.full((500, 3), 1e12), axis=0)
    model = SGTRegressor().partial_fit(
        with_zeros,
        np.insert(y, 3000, np.zeros(500)),
        sample_weight=np.insert(weights, 3000, np.zeros(500)),
    )
    plain = SGTRegressor().partial_fit(X, y, sample_weight=weights)
    assert model.range_updates_ == plain.range_updates_
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_models_with_other_bins_are_not_merged() -> None:
    X, y = shifted_scale()
    base = SGTRegressor(grace_period=100_000).partial_fit(X[:900], y[:900])
    here, there = copy.deepcopy(base), copy.deepcopy(base)
    here.partial_fit(X[:100], y[:100])
    there.partial_fit(X[1000:6000], y[1000:6000])
    assert there.range_updates_
    with pytest.raises(MergeError, match="its range was updated in one of the models"):
        here.merge(there, base)


def test_rounds_renew_no_bins_after_the_warm_up() -> None:
    X, y = one_outlier()
    X[1000:, 1] *= 1000
    model = SGTRegressor(round_rows=256).partial_fit(X, y)
    assert model.range_updates_ == [RangeUpdate(row=100, feature=0, reason="crowded")]
