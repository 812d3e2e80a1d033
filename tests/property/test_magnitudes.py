"""Numbers of any size: what can be learned stays finite, and can be saved, loaded and learned on.

Targets, weights and features of extreme sizes are mixed in one stream, for every loss and kind of
model. What is too large or too small is refused by an error, and then nothing has changed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgtrees import SGTClassifier, SGTRegressor, losses
from sgtrees.loading import restore
from sgtrees.losses.parameter import read_loss
from sgtrees.persistence.model_file import from_buffer, to_bytes
from sgtrees.persistence.savable import contents_of
from tests.fingerprint import fingerprint
from tests.learners import ENSEMBLES, LEARNERS, Learner, Stream, stream
from tests.oracle.losses import LOSSES as ORACLE_LOSSES
from tests.property.strategies import quick, thorough

N_ROWS = 400
# Sizes of single numbers: the limits, what underflows when it is squared, and usual ones.
EXPONENTS = (-320, -200, -50, -10, 0, 0, 0, 3, 10, 49)
WEIGHT_EXPONENTS = (-50, -20, 0, 0, 0, 20, 50)
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "linear": {"leaf_model": "linear"},
    "auto": {"leaf_model": "auto"},
    "no penalty": {"reg_lambda": 0.0, "gamma": 0.0},
    "drift": {"on_drift": "replace", "following_rates": ()},
    "late labels": {"label_delay": 5, "following_rates": (0.01, 1.0)},
    "rounds": {"round_rows": 50},
    "memory": {"max_memory": 200_000},
}


def can_be_made(learner: Learner, changes: dict[str, Any]) -> bool:
    """Whether the settings suit each other, and the targets."""
    try:
        learner.learn(learner.make(**changes), stream(10), 0, 10)
    except (TypeError, ValueError):
        return False
    return True


def sizes(random: np.random.Generator, exponents: tuple[int, ...], n: int) -> Any:
    """Numbers of which some runs have one size, and some are of any of them."""
    of_row = random.choice(exponents, n).astype(float)
    if random.random() < 0.5:
        of_row = np.repeat(random.choice(exponents, n // 50 + 1), 50)[:n].astype(float)
    return 10.0**of_row


@dataclass(frozen=True)
class Extreme(Stream):
    """A stream with targets of any size."""

    numbers: Any
    logs: Any

    def target(self, name: str) -> Any:
        if name == "number":
            return self.numbers
        if name == "numbers":
            return np.column_stack([self.numbers, self.score, self.numbers[::-1]])
        if name in ("positive", "count"):
            return Stream(self.X, self.logs, self.classes, self.w).target(name)
        return super().target(name)


def extreme(seed: int) -> Extreme:
    random = np.random.default_rng(seed)
    rows = stream(N_ROWS, seed=seed)
    score = rows.score * sizes(random, EXPONENTS, N_ROWS)
    X = rows.X.copy()
    X[:, 0] *= sizes(random, (-320, -100, 0, 0, 0, 100, 307), N_ROWS)
    X[:, 2] = rows.X[:, 2] * sizes(random, (-300, 0, 0, 300), N_ROWS)
    # exp(score / 2), of which the streams of positive targets are made, from 1e-50 to 1e50.
    logs = np.clip(random.normal(size=N_ROWS) * random.choice([1, 30, 200]), -115.1, 115.1) * 2
    if random.random() < 0.3:
        logs[N_ROWS // 4 : 3 * N_ROWS // 4] = -230  # zeros, of counts
    w = sizes(random, WEIGHT_EXPONENTS, N_ROWS) if random.random() < 0.7 else None
    return Extreme(X, rows.score, rows.classes, w, score, logs)


def reloaded(model: Any, learner: Learner) -> Any:
    return restore(from_buffer(to_bytes(contents_of(model))), learner.own_loss)


def check(learner: Learner, settings: str, seed: int) -> None:
    rows = extreme(seed)
    changes = SETTINGS[settings]
    model = learner.make(**changes)
    third, two_thirds = N_ROWS // 3, 2 * N_ROWS // 3
    for begin, end in ((0, third), (third, two_thirds)):
        learner.learn(model, rows, begin, end)
        assert np.isfinite(learner.predict(model, rows)).all()
        twin = reloaded(model, learner)
        assert fingerprint(twin) == fingerprint(model)
    for either in (model, twin):
        learner.learn(either, rows, two_thirds, N_ROWS)
    assert fingerprint(twin) == fingerprint(model)
    assert np.isfinite(learner.predict(model, rows)).all()
    reloaded(model, learner)


KINDS = [
    (learner, name)
    for learner in LEARNERS
    for name, changes in SETTINGS.items()
    if can_be_made(learner, changes)
]


@quick(80)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**32 - 1))
def test_what_is_learned_stays_finite_and_can_be_loaded(
    kind: tuple[Learner, str], seed: int
) -> None:
    check(*kind, seed)


@pytest.mark.long
@thorough(5000)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**32 - 1))
def test_what_is_learned_stays_finite_and_can_be_loaded_thoroughly(
    kind: tuple[Learner, str], seed: int
) -> None:
    check(*kind, seed)


# --------------------------------------------------------------------------------------------------
# What is refused
# --------------------------------------------------------------------------------------------------

TOO_LARGE = (1.7e308, -1.7e308, 1e200, np.nextafter(1e50, np.inf), -1e51)
TOO_EXTREME = (1e200, 1e-200, 5e-324, np.nextafter(1e50, np.inf), np.nextafter(1e-50, 0.0))


def grown() -> Any:
    rows = stream(200)
    return SGTRegressor(warm_up=50).partial_fit(rows.X, rows.score)


@pytest.mark.parametrize("target", TOO_LARGE)
def test_targets_that_cannot_be_added_up_are_refused(target: float) -> None:
    model = grown()
    before = fingerprint(model)
    X, event = np.ones((2, 4)), dict.fromkeys(range(4), 1.0)
    with pytest.raises(ValueError, match=r"at most 1e\+50 in size"):
        model.partial_fit(X, [1.0, target])
    with pytest.raises(ValueError, match=r"at most 1e\+50 in size"):
        model.learn_one(event, target)
    with pytest.raises(ValueError, match=r"at most 1e\+50 in size"):
        SGTRegressor().partial_fit(X, [[1.0, 2.0], [1.0, target]])
    assert fingerprint(model) == before


@pytest.mark.parametrize("weight", TOO_EXTREME)
def test_weights_that_cannot_be_added_up_are_refused(weight: float) -> None:
    model = grown()
    before = fingerprint(model)
    X, event = np.ones((2, 4)), dict.fromkeys(range(4), 1.0)
    for learn in (model.partial_fit, model.learn_predict, model.fit):
        with pytest.raises(ValueError, match=r"between 1e-50 and 1e\+50"):
            learn(X, [1.0, 2.0], sample_weight=[1.0, weight])
    with pytest.raises(ValueError, match=r"between 1e-50 and 1e\+50"):
        model.learn_one(event, 1.0, weight)
    with pytest.raises(ValueError, match=r"between 1e-50 and 1e\+50"):
        SGTClassifier().partial_fit(X, ["a", "b"], sample_weight=weight)
    classifier = SGTClassifier(class_weight={"a": 1e-30})
    with pytest.raises(ValueError, match=r"that of its class included"):
        classifier.partial_fit(X, ["a", "b"], sample_weight=[1e-30, 1.0])
    assert fingerprint(model) == before


def test_tiny_targets_of_gamma_and_extreme_scales_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1e-50"):
        SGTRegressor(loss="gamma").partial_fit([[1.0]], [1e-60])
    for scale in (1e-60, 1e60):
        with pytest.raises(ValueError, match="scale is out of range"):
            SGTRegressor(loss=losses.Huber(scale=scale)).partial_fit([[1.0]], [1.0])


@pytest.mark.parametrize("gradient", [1e101, -1e200, np.inf])
def test_derivatives_of_an_own_loss_are_limited(gradient: float) -> None:
    def loss(y: Any, raw: Any) -> Any:
        return np.where(y > 5, gradient, raw - y), np.ones_like(raw)

    model = SGTRegressor(loss=loss, warm_up=2)
    model.partial_fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])
    with pytest.raises(losses.LossError, match=r"at most 1e\+100 in size"):
        model.partial_fit([[1.0]], [6.0])
    assert np.isfinite(model.predict([[1.0]])).all()


# --------------------------------------------------------------------------------------------------
# Scores beyond all targets
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [2.0**-140, 2.0**140])
@pytest.mark.parametrize("learner", [*LEARNERS[:10], *ENSEMBLES], ids=str)
def test_all_weights_scaled_give_the_same_model(learner: Learner, factor: float) -> None:
    rows = stream(300, weighted=True)
    assert rows.w is not None
    scaled = Stream(rows.X, rows.score, rows.classes, factor * rows.w)
    one, other = (learner.learn(learner.make(), either, 0, 300) for either in (rows, scaled))
    assert np.array_equal(learner.predict(one, rows), learner.predict(other, rows))


def test_a_long_run_of_zeros_does_not_spoil_what_comes_after() -> None:
    """The logarithm of a mean falls with every change; then a high target comes."""
    for loss in ("poisson", losses.Tweedie(power=1.9)):
        model = SGTRegressor(loss=loss, warm_up=20, grace_period=5, grace_growth=0.0)
        X = np.zeros((20_000, 1))
        model.partial_fit(X, np.zeros(len(X)))
        n_updates = model.n_updates_
        model.partial_fit(X[:300], np.full(300, 1e50))
        assert model.n_updates_ > n_updates
        assert np.isfinite(model.predict(X[:1])).all()
        assert math.isfinite(model.predict_one({0: 0.0}))


def test_a_long_run_of_one_class_does_not_spoil_what_comes_after() -> None:
    model = SGTClassifier(loss="exponential", warm_up=20, grace_period=5, grace_growth=0.0)
    model.set_params(reg_lambda=0.0)
    X = np.zeros((20_000, 1))
    model.partial_fit(X, np.arange(len(X)) == 0)
    n_updates = model.n_updates_
    model.partial_fit(X[:300], np.ones(300, dtype=bool))
    assert model.n_updates_ > n_updates
    probabilities = model.predict_proba(X[:1])
    assert np.isfinite(probabilities).all()
    restored = restore(from_buffer(to_bytes(contents_of(model))))
    assert np.array_equal(restored.predict_proba(X[:1]), probabilities)


def test_predictions_of_linear_leaves_far_outside_stay_finite() -> None:
    """Ten copies of one feature are learned together, and then contradict each other."""
    random = np.random.default_rng(0)
    x = random.normal(size=(2000, 1))
    model = SGTRegressor(loss="poisson", leaf_model="linear", warm_up=100)
    model.partial_fit(np.repeat(x, 10, axis=1), np.exp(np.clip(60 * x[:, 0], -100, 110)))
    corners = random.choice([-1e300, 1e300], size=(500, 10))
    assert np.isfinite(model.predict(corners)).all()
    assert np.isfinite(model.predict(np.full((1, 10), 1e300))).all()


RAW = (-1000.0, -230.0, -115.5, -100.0, 0.0, 100.0, 229.5, 231.0, 1000.0)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie", "exponential"])
def test_losses_beyond_the_bounds_of_exp_are_the_oracles(loss: str) -> None:
    targets = (0.0, 1.0) if loss == "exponential" else (1e-50, 1.0, 1e50)
    oracle = ORACLE_LOSSES[loss]()
    built_in = read_loss(loss, for_classes=loss == "exponential")
    y, raw = (np.array(column) for column in zip(*product(targets, RAW), strict=True))
    expected = [oracle.derivatives(*row) for row in zip(y.tolist(), raw.tolist(), strict=True)]
    found = np.column_stack(built_in.gradient_hessian(y, raw))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    if loss != "exponential":
        values = [oracle.value(*row) for row in zip(y.tolist(), raw.tolist(), strict=True)]
        np.testing.assert_allclose(built_in.value(y, raw), values, rtol=1e-12)
