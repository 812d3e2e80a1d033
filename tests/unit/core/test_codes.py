"""Rows given as codes are learned and predicted as the numbers that they were made from."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sgtrees import _core

N_ROWS = 6000
WARM_UP = 200
SETTINGS: dict[str, Any] = {
    "warm_up": WARM_UP,
    "grace_period": 50,
    "delta": 0.05,
    "gamma": 0.0,
}
NOMINAL = [False, False, True]
VECTOR = functools.partial(_core.ClassLearner, vector_leaves=True)
KINDS: list[Callable[..., Any]] = [_core.LossLearner, _core.ClassLearner, VECTOR]


def rows(kind: Any, n_categories: int = 9) -> tuple[Any, Any]:
    """Two numeric columns and a nominal one, with missing values, as the core takes them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(N_ROWS, 3))
    # Few categories until the warm-up is over, so that codes widen after it.
    known = np.where(np.arange(N_ROWS) < 2000, min(n_categories, 9), n_categories)
    X[:, 2] = random.integers(0, known)
    y = X[:, 0] + X[:, 2] % 3
    X[random.random(X.shape) < 0.03] = np.nan
    if kind is _core.LossLearner:
        return X, y
    labels = np.digitize(y, [0.0, 1.0])
    _, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
    return X, np.argsort(np.argsort(first))[numbers].astype(np.int32)


def learner(kind: Any, **options: Any) -> Any:
    return kind(_core.Options(**(SETTINGS | options)), NOMINAL)


def assert_equal(first: Any, second: Any) -> None:
    a, b = first.state(), second.state()
    assert a.keys() == b.keys()
    for key, array in a.items():
        assert np.array_equal(array, b[key], equal_nan=True), key


@pytest.mark.parametrize("round_rows", [1, 1500])
@pytest.mark.parametrize("n_categories", [9, 400])
@pytest.mark.parametrize("kind", KINDS)
def test_codes_teach_what_numbers_teach(kind, n_categories, round_rows) -> None:
    X, y = rows(kind, n_categories)
    by_numbers, by_codes = (learner(kind, round_rows=round_rows) for _ in range(2))
    for model in (by_numbers, by_codes):
        model.learn(X[:WARM_UP], y[:WARM_UP])
    by_numbers.learn(X[WARM_UP:], y[WARM_UP:])
    codes = by_codes.encode(X[WARM_UP:])
    assert codes.dtype == (np.uint8 if n_categories < 250 else np.uint16)
    by_codes.learn(_core.Codes(codes), y[WARM_UP:])
    assert by_numbers.n_splits > 3
    assert_equal(by_numbers, by_codes)


@pytest.mark.parametrize("kind", KINDS)
def test_codes_are_gathered_and_predicted_as_numbers_are(kind) -> None:
    X, y = rows(kind)
    model = learner(kind, round_rows=1500)
    model.learn(X[:4500], y[:4500])
    model.end_round()
    rest, codes = X[4500:5000], model.encode(X[4500:5000])
    pieces = [_core.Codes(codes[:200]), rest[200:350], _core.Codes(codes[350:])]
    from_both = model.gather(pieces, y[4500:5000])
    from_numbers = model.gather([rest], y[4500:5000])
    for name, array in from_numbers.items():
        assert np.array_equal(array, from_both[name], equal_nan=True), name
    if kind is _core.LossLearner:
        predicted = [model.predict(block) for block in (rest, _core.Codes(codes))]
    else:
        predicted = [model.predict_proba(block) for block in (rest, _core.Codes(codes))]
    assert np.array_equal(*predicted)


def test_codes_that_are_wider_than_needed() -> None:
    X, y = rows(_core.LossLearner)
    by_numbers, by_codes = (learner(_core.LossLearner) for _ in range(2))
    for model in (by_numbers, by_codes):
        model.learn(X[:WARM_UP], y[:WARM_UP])
    by_numbers.learn(X[WARM_UP:], y[WARM_UP:])
    by_codes.learn(_core.Codes(by_codes.encode(X[WARM_UP:]).astype(np.uint32)), y[WARM_UP:])
    assert_equal(by_numbers, by_codes)


@pytest.mark.parametrize(
    ("place", "code"), [(0, 200), (1, 66), (2, 255)], ids=["bin", "next bin", "unseen"]
)
def test_codes_that_mean_nothing_are_refused(place: int, code: int) -> None:
    X, y = rows(_core.LossLearner)
    model = learner(_core.LossLearner)
    model.learn(X[:5000], y[:5000])
    before = model.state()
    codes = model.encode(X[5000:])
    codes[17, place] = code
    for call in (
        lambda: model.learn(_core.Codes(codes), y[5000:]),
        lambda: model.predict(_core.Codes(codes)),
        lambda: model.gather([_core.Codes(codes)], y[5000:]),
    ):
        with pytest.raises(ValueError, match="a bin or category that does not exist"):
            call()
    after = model.state()
    assert all(np.array_equal(before[key], after[key], equal_nan=True) for key in before)


def test_where_codes_do_not_do() -> None:
    X, y = rows(_core.LossLearner)
    model = learner(_core.LossLearner)
    model.learn(X[:10], y[:10])
    assert not model.takes_codes
    codes = _core.Codes(np.ones((5, 3), np.uint8))
    with pytest.raises(ValueError, match="no codes before the ranges are known"):
        model.encode(X[:5])
    with pytest.raises(ValueError, match="no codes before the ranges are known"):
        model.learn(codes, y[:5])
    model.learn(X[10:1000], y[10:1000])
    assert model.takes_codes
    model.learn(codes, y[:5])
    with pytest.raises(TypeError, match="not codes"):
        _core.Explainer(model).shap_values(codes)
    with pytest.raises(TypeError, match="uint8, uint16 or uint32"):
        _core.Codes(np.ones((5, 3)))
    with pytest.raises(ValueError, match="wrong number of columns"):
        model.learn(_core.Codes(np.ones((5, 4), np.uint8)), y[:5])
    with pytest.raises(ValueError, match="must not be negative"):
        model.encode(np.array([[0.0, 0.0, -1.0]]))
