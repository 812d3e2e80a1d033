"""Rounds: what is learned does not depend on how rows come, nor on who gathers."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor, _core
from sgtrees.losses import Loss
from sgtrees.models.merging import MergeError

N_ROWS = 6000
BLOCK = 25_000  # of a round of 100,000 rows


class OwnSquares(Loss):
    def gradient_hessian(self, y, raw):
        return raw - y, np.ones_like(raw)


def rows(n: int = N_ROWS, seed: int = 0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    X[random.random((n, 4)) < 0.02] = np.nan
    X[:, 3] = np.where(random.random(n) < 0.01, random.integers(5, 40, n), random.integers(0, 5, n))
    score = np.nan_to_num(X[:, 0]) + (X[:, 3] % 3) + random.normal(size=n) / 2
    return X, score, random.integers(0, 3, n).astype(float)


def cases() -> dict[str, tuple[Any, Any]]:
    _, score, _ = rows()
    classes = np.digitize(score, [0.0, 1.5, 4.5]).astype(int)
    settings = {
        "warm_up": 1000,
        "grace_period": 40,
        "delta": 0.01,
        "gamma": 0.1,
        "categorical_features": [3],
    }
    return {
        "two classes": (SGTClassifier(**settings), classes > 1),
        "committee": (SGTClassifier(**settings), classes),
        "vector": (SGTClassifier(multiclass="vector", **settings), classes),
        "focal": (SGTClassifier(loss="focal", **settings), classes > 1),
        "labels": (SGTClassifier(**settings), np.column_stack([classes > 0, classes > 2])),
        "squares": (SGTRegressor(**settings), score),
        "absolute": (SGTRegressor(loss="absolute_error", **settings), 1e6 + score),
        "targets": (SGTRegressor(**settings), np.column_stack([score, -score])),
        "own": (SGTRegressor(loss=OwnSquares(), **settings), score),
        "small": (SGTRegressor(max_leaves=5, **settings), score),
        "bounded": (SGTRegressor(max_memory="60KB", **settings), score),
    }


CASES = list(cases())
SIZES = [2, 333, 2500, "auto"]


def new(name: str, round_rows: Any) -> tuple[Any, Any]:
    estimator, y = cases()[name]
    return estimator.set_params(round_rows=round_rows), y


def assert_same(one: Any, other: Any) -> None:
    first, second = one._model.core.state(), other._model.core.state()
    assert first.keys() == second.keys()
    for key, array in first.items():
        assert np.array_equal(array, second[key], equal_nan=True), key


def learned(estimator: Any, y: Any, cuts: list[int], weights: Any = None) -> Any:
    X = rows()[0]
    for begin, end in itertools.pairwise(cuts):
        w = None if weights is None else weights[begin:end]
        estimator.partial_fit(X[begin:end], y[begin:end], sample_weight=w)
    return estimator


@pytest.mark.parametrize("round_rows", SIZES)
@pytest.mark.parametrize("name", CASES)
def test_blocks_do_not_matter(name: str, round_rows: Any) -> None:
    whole = learned(*new(name, round_rows), [0, N_ROWS])
    assert whole.n_splits_ > 1
    assert_same(
        whole, learned(*new(name, round_rows), [0, 1, 2, 3, 1000, 1001, 1777, 5000, N_ROWS])
    )


@pytest.mark.parametrize("round_rows", [333, "auto"])
@pytest.mark.parametrize("name", CASES)
def test_a_model_saved_in_a_round_goes_on(name: str, round_rows: Any) -> None:
    whole = learned(*new(name, round_rows), [0, N_ROWS])
    first, y = new(name, round_rows)
    learned(first, y, [0, 2900])
    again = pickle.loads(pickle.dumps(first))
    assert_same(first, again)
    assert_same(whole, learned(again, y, [2900, N_ROWS]))


@pytest.mark.parametrize("name", CASES)
def test_rows_of_weight_0_are_not_there(name: str) -> None:
    X, _, weights = rows()
    with_them, y = new(name, 500)
    learned(with_them, y, [0, 2000, N_ROWS], weights)
    kept = weights > 0
    without, _ = new(name, 500)
    without.partial_fit(X[kept], y[kept], sample_weight=weights[kept])
    assert_same(with_them, without)


@pytest.mark.parametrize("name", CASES)
def test_rounds_of_one_row_are_the_exact_way(name: str) -> None:
    estimator, y = cases()[name]
    assert estimator.round_rows == 1
    assert_same(learned(estimator, y, [0, N_ROWS]), learned(*new(name, 1), [0, 3000, N_ROWS]))


@pytest.mark.parametrize("name", CASES)
def test_predictions_of_a_round_are_those_of_the_tree_at_its_start(name: str) -> None:
    X = rows()[0]
    estimator, y = new(name, 500)
    estimator.partial_fit(X[:3000], y[:3000])
    assert estimator._model.core.round[2] == 0
    expected = estimator.predict(X[3000:3400])
    assert np.array_equal(estimator.learn_predict(X[3000:3400], y[3000:3400]), expected)


@pytest.mark.parametrize("name", [name for name in CASES if name != "bounded"])
def test_copies_that_gather_give_the_same_model(name: str) -> None:
    X = np.tile(rows()[0], (30, 1))
    estimator, y = new(name, 100_000)
    y = np.concatenate([y] * 30)
    whole = estimator.partial_fit(X, y)
    assert whole.n_splits_ > 0
    other, _ = new(name, 100_000)
    other.partial_fit(X[:1000], y[:1000])
    core = other._model.core
    batch = other.prepare(X[1000:], y[1000:])
    other._model.apply(batch.additions)

    def gathered(begin: int, end: int) -> Any:
        frozen = pickle.loads(pickle.dumps(other._model))
        state = core.state(True)
        copy = frozen.core_from(_core.Options(**other._model.options), state)
        return copy.gather([batch.block[begin:end]], batch.y[begin:end], None)

    known = other._model.schema.n_categories
    first = core.add_partials(gathered(0, BLOCK), gathered(BLOCK, 2 * BLOCK), known)
    later = core.add_partials(gathered(2 * BLOCK, 3 * BLOCK), gathered(3 * BLOCK, 100_000), known)
    core.absorb(core.add_partials(first, later, known), known)
    core.learn(batch.block[100_000:], batch.y[100_000:], None)
    assert_same(whole, other)


@pytest.mark.parametrize("round_rows", [500, 1000])
def test_rows_are_handed_down_in_rounds(round_rows: int) -> None:
    X = np.random.default_rng(2).random((1000, 6))
    y = X[:, 0] > 0.5

    def kept_in_children(kept_rows: int) -> int:
        model = SGTClassifier(round_rows=round_rows, kept_rows=kept_rows, feature_ranges=(0, 1))
        core = model.partial_fit(X[:round_rows], y[:round_rows])._model.core
        core.end_round()
        assert model.n_splits_ == 1
        return len(core.state()["tree0/leaves/codes"]) // 6

    assert kept_in_children(0) == 0
    # As rows of their own, or beside their sums.
    assert kept_in_children(300) == 300


@pytest.mark.parametrize(
    ("round_rows", "block"),
    [
        (2, 2),
        (32_768, 32_768),
        (32_769, 16_385),
        (100_000, 25_000),
        (400_000, 50_000),
        (1_048_576, 131_072),
        (1_048_577, 65_537),
    ],
)
def test_a_round_has_blocks_of_one_size(round_rows: int, block: int) -> None:
    model = SGTClassifier(round_rows=round_rows, feature_ranges=(0, 1)).partial_fit([[0.5]], [1])
    assert model._model.core.round[4] == block


@pytest.mark.parametrize("round_rows", [333, "auto"])
def test_a_loss_in_python_is_called_once_for_a_row_of_a_round(round_rows: Any) -> None:
    class Counts(OwnSquares):
        n_rows_seen = 0

        def gradient_hessian(self, y, raw):
            Counts.n_rows_seen += len(y)
            return super().gradient_hessian(y, raw)

    X, y, _ = rows(40_000)
    settings = {"warm_up": 100, "grace_period": 200, "delta": 0.01}
    model = SGTRegressor(loss=Counts(), round_rows=round_rows, **settings)
    for begin in range(0, 20_000, 777):
        model.partial_fit(X[begin : min(begin + 777, 20_000)], y[begin : min(begin + 777, 20_000)])
    assert model._model.core.round[1]
    before = Counts.n_rows_seen
    for begin in range(20_000, 40_000, 777):
        model.partial_fit(X[begin : begin + 777], y[begin : begin + 777])
    assert Counts.n_rows_seen - before == 20_000


def test_fit_ends_its_last_round() -> None:
    X, y, _ = rows()
    model = SGTRegressor(round_rows=500, epochs=1).fit(X, y)
    assert model._model.core.round[2] == 0
    assert model._model.core.n_rows == N_ROWS


def test_auto_begins_row_by_row_and_grows_with_the_trees() -> None:
    random = np.random.default_rng(1)
    X = random.random((60_000, 3))
    y = np.sin(10 * X[:, 0]) + X[:, 1] > 0.7
    model = SGTClassifier(
        round_rows="auto", warm_up=1000, grace_period=100, delta=0.01
    ).partial_fit(X[:2000], y[:2000])
    assert model._model.core.round[:2] == (1024, False)
    model.partial_fit(X[2000:], y[2000:])
    size, is_frozen, *_ = model._model.core.round
    assert is_frozen
    assert 1024 <= size <= 0.5 * 100 * model.n_leaves_


def test_a_loss_that_fails_leaves_the_rows_before_it() -> None:
    class Fails(OwnSquares):
        def gradient_hessian(self, y, raw):
            if (y > 1e6).any():
                raise RuntimeError("too large")
            return super().gradient_hessian(y, raw)

    X, y, _ = rows()
    y[4321] = 1e7
    model = SGTRegressor(loss=Fails(), round_rows=700, categorical_features=[3])
    with pytest.raises(RuntimeError, match="too large"):
        model.partial_fit(X, y)
    assert model._model.core.n_rows == 4321
    expected = SGTRegressor(loss=Fails(), round_rows=700, categorical_features=[3])
    assert_same(expected.partial_fit(X[:4321], y[:4321]), model)


def test_partial_statistics_of_other_trees_are_refused() -> None:
    X, y, _ = rows()
    model = SGTRegressor(round_rows=500, warm_up=1000, kept_rows=1, categorical_features=[3])
    core = model.partial_fit(X[:1000], y[:1000])._model.core
    partial = core.gather([np.nan_to_num(X[:100])], y[:100], None)
    known = model._model.schema.n_categories
    other = SGTRegressor(round_rows=500, feature_ranges=(0, 1)).partial_fit(X[:, :1], y)
    with pytest.raises(ValueError, match=r"gathered for this tree|room"):
        other._model.core.absorb(partial, [0])
    damaged = {**partial, "tree0/sums": partial["tree0/sums"][:-1]}
    with pytest.raises(ValueError, match="tree0/leaves' does not fit"):
        core.absorb(damaged, known)
    with pytest.raises(ValueError, match="no room for these rows"):
        core.absorb(core.gather([np.nan_to_num(X[:501])], y[:501], None), known)
    with pytest.raises(ValueError, match=r"categor.* of feature 3, which does not have so many"):
        core.absorb(partial, [0, 0, 0, 1])
    with pytest.raises(ValueError, match="'features/categories' does not fit"):
        core.absorb(partial, [0])


def test_a_model_in_a_round_is_not_merged() -> None:
    X, y, _ = rows()
    models = [SGTRegressor(round_rows=900, feature_ranges=(-5, 50)) for _ in range(2)]
    for model in models:
        model.partial_fit(X[:1000], y[:1000])
    with pytest.raises(MergeError, match="middle of a round"):
        models[0].merge(models[1])


@pytest.mark.parametrize("wrong", [0, -1, "many", 1.5, True])
def test_sizes_that_are_none(wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="round_rows"):
        SGTRegressor(round_rows=wrong).fit([[1.0]], [1.0])
