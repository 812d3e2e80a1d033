"""Ensembles that learn in rounds by losses which are written in Python."""

import numpy as np
import pytest

from sgtrees import (
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTForestRegressor,
    SGTRegressor,
    load,
    losses,
)
from tests.fingerprint import fingerprint

QUICK = {"warm_up": 50, "grace_period": 20, "delta": 0.01, "n_estimators": 4, "random_state": 1}
KINDS = pytest.mark.parametrize("kind", [SGTBoostingRegressor, SGTForestRegressor])


class Squared(losses.Loss):
    """The squared error; it refuses a target of 99."""

    def gradient_hessian(self, y, raw):
        if (y == 99).any():
            raise ArithmeticError("99")
        return raw - y, np.ones_like(raw)

    def start(self, y, weight):
        return np.average(y, weights=weight)


def waves(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    return X, np.sin(6.0 * X[:, 0]) + X[:, 1] + rng.normal(scale=0.1, size=n_rows)


@KINDS
@pytest.mark.parametrize("round_rows", [60, 1500])
def test_the_model_is_that_of_the_same_loss_in_the_core(kind, round_rows):
    X, y = waves(3000)
    settings = QUICK | {"round_rows": round_rows}
    mine = kind(loss=Squared(), **settings).partial_fit(X, y)
    built_in = kind(**settings).partial_fit(X, y)
    assert mine.n_leaves_ == built_in.n_leaves_ > 8
    np.testing.assert_allclose(mine.predict(X), built_in.predict(X), rtol=1e-12)


@KINDS
@pytest.mark.parametrize("round_rows", [60, "auto"])
def test_a_block_and_its_parts_saved_in_between_give_the_same_model(kind, round_rows, tmp_path):
    X, y = waves(3000)
    settings = QUICK | {"round_rows": round_rows, "loss": Squared()}
    whole = kind(**settings).partial_fit(X, y)
    parts = kind(**settings).partial_fit(X[:777], y[:777])
    with pytest.warns(UserWarning, match="is code"):
        parts.save(tmp_path / "model")
    parts = load(tmp_path / "model", loss=Squared())
    for begin in range(777, 3000, 500):
        parts.partial_fit(X[begin : min(begin + 500, 3000)], y[begin : min(begin + 500, 3000)])
    assert fingerprint(parts) == fingerprint(whole)


@KINDS
@pytest.mark.parametrize("learned", [0, 30, 1000])
def test_a_loss_that_raises_leaves_the_model_as_it_was(kind, learned):
    X, y = waves(2000)
    model = kind(loss=Squared(), round_rows=100, **QUICK)
    model.partial_fit(X[:learned], y[:learned]) if learned else None
    before = fingerprint(model) if learned else None
    y[learned + 500] = 99
    with pytest.raises(ArithmeticError) as raised:
        model.partial_fit(X[learned:], y[learned:])
    assert any("row 500" in note for note in raised.value.__notes__)
    if learned:
        assert any("as it was before the call" in note for note in raised.value.__notes__)
        assert fingerprint(model) == before
    else:
        assert not model.__sklearn_is_fitted__()
    y[learned + 500] = 0
    model.partial_fit(X[learned:], y[learned:])
    assert model.n_samples_seen_ == 2000


def test_two_classes_are_learned_by_a_loss_in_python():
    def log_loss(y, raw):
        p = 1 / (1 + np.exp(-raw))
        return p - y, p * (1 - p)

    X, y = waves(3000)
    loss = losses.from_derivatives(log_loss, link="logistic")
    model = SGTBoostingClassifier(loss=loss, round_rows="auto", **QUICK).partial_fit(X, y > 1)
    assert model.score(X, y > 1) > 0.85


def test_rows_one_by_one_are_refused_for_a_loss_in_python():
    with pytest.raises(ValueError, match="round_rows"):
        SGTForestRegressor(loss=Squared(), **QUICK).partial_fit([[1.0]], [2.0])


def only_gradients(y, raw):
    return raw - y


def no_hessian(y, raw):
    return raw - y, None


def negative_hessian(y, raw):
    return raw - y, -np.ones_like(raw)


class Undefined(losses.Loss):
    """Says nothing about its derivatives."""


@KINDS
@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (only_gradients, "must return a pair: gradients and hessians; it returned ndarray"),
        (no_hessian, r"the loss returned no hessian \(None\)"),
        (negative_hessian, "the hessian is negative"),
        (Undefined(), r"Undefined must define gradient_hessian\(y, raw\)"),
    ],
)
def test_a_loss_without_hessian_is_refused_by_name_and_learns_nothing(kind, loss, message):
    model = kind(loss=loss, round_rows=100, **QUICK)
    with pytest.raises(losses.LossError, match=message):
        model.partial_fit(*waves(500))
    assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators == 0, must be >= 1 and <= 10000."),
        ({"n_estimators": 2.5}, "n_estimators must be an integer, got 2.5."),
        ({"learning_rate": 0.0}, "learning_rate == 0.0, must be > 0.0 and <= 1.0."),
        ({"learning_rate": 1.01}, "learning_rate == 1.01, must be > 0.0 and <= 1.0."),
        ({"learning_rate": float("nan")}, "learning_rate"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name_and_nothing_is_lost(parameters, message):
    X, y = waves(300)
    for method in ("fit", "partial_fit"):
        fresh = SGTBoostingRegressor(**QUICK | parameters)
        with pytest.raises((ValueError, TypeError), match=message):
            getattr(fresh, method)(X, y)
        assert not fresh.__sklearn_is_fitted__()
    model = SGTBoostingRegressor(**QUICK).partial_fit(X, y)
    before = fingerprint(model)
    with pytest.raises((ValueError, TypeError), match=message):
        model.set_params(**parameters).fit(X, y)
    assert fingerprint(model) == before


class FailsLate(losses.Loss):
    """The squared error; it raises when it has been asked so many times."""

    def __init__(self, calls):
        self.calls = calls

    def gradient_hessian(self, y, raw):
        self.calls -= 1
        if self.calls < 0:
            raise ArithmeticError("late")
        return raw - y, np.ones_like(raw)

    def start(self, y, weight):
        return np.average(y, weights=weight)


@KINDS
def test_a_member_that_fails_after_others_have_learned_leaves_the_whole_model(kind):
    X, y = waves(2000)
    failed = 0
    for calls in range(1, 40, 4):
        loss = FailsLate(10**9)
        model = kind(loss=loss, round_rows=200, **QUICK).partial_fit(X[:1000], y[:1000])
        before = fingerprint(model)
        model.model_.loss.calls = calls
        try:
            model.partial_fit(X[1000:], y[1000:])
        except ArithmeticError:
            failed += 1
            assert fingerprint(model) == before
    assert failed > 2


# No gain outweighs such a penalty: every tree is one leaf, and all of them have the same cells.
ONE_LEAF = {"gamma": 1e9}


@KINDS
@pytest.mark.parametrize("settings", [ONE_LEAF, ONE_LEAF | {"kept_rows": 0}, {}])
def test_thirty_members_take_at_most_thirty_times_the_memory_of_one_tree(kind, settings):
    X, y = waves(3000)
    one = SGTRegressor(delta=0.05, **settings).partial_fit(X, y)
    same = settings | {"poisson_mean": 0.0, "delta": 0.05}
    many = kind(n_estimators=30, random_state=0, **same).partial_fit(X, y)
    assert one.n_leaves_ == 1 or not settings
    assert many.n_leaves_ == 30 or not settings
    assert many.memory_bytes_ <= 30 * one.memory_bytes_
