"""Custom losses in estimators: the trees of the built-in ones, copies, several outputs."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from sgtrees import SGTClassifier, SGTRegressor, losses
from tests.fingerprint import fingerprint
from tests.unit.losses.custom_losses import (
    OWN,
    QUICK,
    Poisson,
    labelled,
    log_loss,
    skip_without_jax,
    squared_error,
    stream,
)
from tests.unit.losses.joint_losses import JOINT, distance, stream_of_outputs

# A row that is handed down, and a leaf that follows, have the exact g and h under the built-in log
# loss only; and trees are not replaced under a loss of one's own.
STILL: dict[str, Any] = {"kept_rows": 0, "following_rates": (), "on_drift": "ignore"}


@pytest.mark.parametrize(
    ("own", "name"), [(squared_error, "squared_error"), (Poisson(), "poisson")]
)
def test_a_loss_of_ones_own_grows_the_built_in_ones_tree(own, name):
    X, y = stream()
    ours = SGTRegressor(loss=own, **QUICK).partial_fit(X, y)
    theirs = SGTRegressor(loss=name, **QUICK).partial_fit(X, y)
    assert ours.n_splits_ == theirs.n_splits_ > 0
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


def test_the_log_loss_of_ones_own_agrees_with_the_committee_of_two():
    X, y = labelled()
    ours = SGTClassifier(loss=log_loss, **QUICK, **STILL).partial_fit(X, y)
    theirs = SGTClassifier(loss=losses.LogLoss(), **QUICK, **STILL).partial_fit(X, y)
    assert ours.n_splits_ == theirs.n_splits_ > 0
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


@OWN
def test_copies_learn_on_as_the_original_does(make):
    skip_without_jax(make())
    X, y = stream()
    model = SGTRegressor(loss=make(), **QUICK).partial_fit(X[:300], y[:300])
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    model.partial_fit(X[300:], y[300:])
    for twin in copies:
        assert fingerprint(twin.partial_fit(X[300:], y[300:])) == fingerprint(model)
    again = clone(model).fit(X, y)
    assert again.n_leaves_ > 1


def test_a_function_without_a_name_is_copied_and_cloned_but_not_pickled():
    X, y = stream()
    model = SGTRegressor(loss=lambda y, raw: (raw - y, np.ones_like(raw)), **QUICK).fit(X, y)
    clone(model).fit(X, y)
    copy.deepcopy(model).partial_fit(X, y)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(model)


# ---- several outputs -----------------------------------------------------------------------------


SMALL = QUICK | {"delta": 0.01}


def cross_entropy(y, raw):
    """Softmax cross entropy of shares that add up to 1."""
    p = softmax(raw)
    return p - y, p * (1.0 - p)


def softmax(raw):
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def distance_by_jax(y, raw):
    import jax.numpy as jnp  # noqa: PLC0415 - an optional extra

    return jnp.sqrt(1.0 + jnp.sum((raw - y) ** 2))


class RoundedAbsolute(losses.Loss):
    """Absolute error below a scale that each target finds for itself."""

    hessian_is_exact = False

    def find_scale(self, y, weight):
        return 0.1 * losses.spread(y, weight)

    def gradient_hessian(self, y, raw):
        h = 1 / np.maximum(np.abs(raw - y), self.scale_)
        return h * (raw - y), h

    def start(self, y, weight):
        return losses.weighted_quantile(y, weight, 0.5)


def points(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.column_stack([4.0 * (X[:, 0] > 0.5), 100.0 * (X[:, 1] > 0.3)])
    return X, y + rng.normal(size=y.shape) * [0.3, 5.0]


LOSSES = {
    "a function": squared_error,
    "a loss with a scale": RoundedAbsolute(),
    "a joint function": losses.from_derivatives(distance, joint=True),
    "a joint loss by JAX": losses.from_function(distance_by_jax, joint=True),
}


@pytest.mark.parametrize("case", LOSSES)
def test_a_block_its_halves_its_events_and_a_copy_give_the_same_model(case):
    if "JAX" in case:
        pytest.importorskip("jax")
    X, y = points(500)
    weights = np.random.default_rng(1).choice([0.0, 1.0, 2.5], len(y))
    whole = SGTRegressor(**SMALL, loss=LOSSES[case]).partial_fit(X, y, sample_weight=weights)
    halves, events = (SGTRegressor(**SMALL, loss=LOSSES[case]) for _ in range(2))
    halves.partial_fit(X[:31], y[:31], sample_weight=weights[:31])
    halves = pickle.loads(pickle.dumps(halves))
    halves.partial_fit(X[31:250], y[31:250], sample_weight=weights[31:250])
    halves = pickle.loads(pickle.dumps(halves))
    halves.partial_fit(X[250:], y[250:], sample_weight=weights[250:])
    events.partial_fit(X[:1], y[:1], sample_weight=weights[:1])
    for i in range(1, len(y)):
        events.learn_one(dict(enumerate(X[i].tolist())), y[i], float(weights[i]))
    assert whole.n_splits_ > 0
    assert fingerprint(whole) == fingerprint(halves) == fingerprint(events)
    error = np.abs(whole.predict(X) - y).mean(axis=0)
    assert (error < np.abs(y - np.median(y, axis=0)).mean(axis=0)).all()


def test_a_loss_of_one_output_acts_on_each_as_the_built_in_one_does():
    X, y = points(600)
    own = SGTRegressor(**SMALL, loss=squared_error).partial_fit(X, y)
    built_in = SGTRegressor(**SMALL).partial_fit(X, y)
    assert own.n_leaves_ == built_in.n_leaves_ > 2
    np.testing.assert_allclose(own.predict(X), built_in.predict(X), rtol=1e-9)


def test_each_target_has_a_scale_of_its_own():
    X, y = points(300)
    own = SGTRegressor(**SMALL, loss=RoundedAbsolute()).partial_fit(X, y)
    built_in = SGTRegressor(**SMALL, loss="absolute_error").partial_fit(X, y)
    assert own.loss_scale_.tolist() == built_in.loss_scale_.tolist()
    assert own.loss_scale_[1] > 5 * own.loss_scale_[0]


def test_a_joint_loss_may_have_a_link_of_all_outputs_of_a_row():
    rng = np.random.default_rng(0)
    X = rng.random((1500, 2))
    y = softmax(np.column_stack([3 * (X[:, 0] > 0.5), 2 * (X[:, 1] > 0.5), np.zeros(1500)]))
    loss = losses.from_derivatives(cross_entropy, link=softmax, joint=True)
    model = SGTRegressor(**SMALL, loss=loss, random_state=0).fit(X, y)
    predicted = model.predict(X)
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0, rtol=1e-12)
    assert np.abs(predicted - y).mean() < 0.3 * np.abs(y - y.mean(axis=0)).mean()
    row = dict(enumerate(X[0].tolist()))
    assert model.predict_one(row) == predicted[0].tolist()


def test_labels_under_a_loss_of_ones_own():
    X, y = points(800)
    labels = (y > [2.0, 50.0]).astype(int)
    own = SGTClassifier(**SMALL, loss=log_loss, **STILL).partial_fit(X, labels)
    built_in = SGTClassifier(**SMALL, **STILL).partial_fit(X, labels)
    assert own.n_leaves_ == built_in.n_leaves_ > 2
    np.testing.assert_allclose(own.predict_proba(X), built_in.predict_proba(X), rtol=1e-6)
    events = SGTClassifier(**SMALL, loss=log_loss, **STILL).partial_fit(X[:1], labels[:1])
    for x, row in zip(X[1:].tolist(), labels[1:].tolist(), strict=True):
        events.learn_one(dict(enumerate(x)), {label for label in (0, 1) if row[label]})
    assert fingerprint(events) == fingerprint(own)


def test_a_label_that_all_rows_have_has_a_start_under_a_loss_of_ones_own():
    model = SGTClassifier(loss=log_loss).partial_fit([[1.0]] * 4, [[1, 0]] * 3 + [[1, 1]])
    certain, rare = model.predict_proba([[1.0]])[0]
    assert certain == pytest.approx(4 / 4.5)
    assert rare == pytest.approx(0.25)


@pytest.mark.parametrize("case", JOINT)
def test_a_regressor_learns_several_targets_by_a_loss_of_ones_own(case):
    if case == "JAX":
        pytest.importorskip("jax")
    X, y = stream_of_outputs()
    model = SGTRegressor(loss=JOINT[case](), **QUICK).partial_fit(X[:300], y[:300])
    twin = pickle.loads(pickle.dumps(model))
    for one in (model, twin):
        one.partial_fit(X[300:], y[300:])
    assert fingerprint(twin) == fingerprint(model)
    assert model.n_splits_ > 0
    assert model.predict(X).shape == y.shape


def test_a_joint_loss_whose_steps_never_overshoot_learns_what_there_is_to_learn():
    def gradual(y, raw):
        g, _ = distance(y, raw)
        return g, np.broadcast_to(
            1 / np.hypot(1, np.linalg.norm(raw - y, axis=1))[:, None], g.shape
        )

    X, y = stream_of_outputs()
    loss = losses.from_derivatives(gradual, joint=True, hessian_is_exact=False)
    model = SGTRegressor(loss=loss, random_state=0, **QUICK).fit(X, y)
    away = np.abs(model.predict(X) - y).mean(axis=0)
    assert (away < [0.4, 4.0, 0.13]).all(), away  # a quarter of the noise's width is the best


def test_a_joint_loss_of_a_single_output_sees_one_column():
    def distance_of_one(y, raw):
        return tuple(a[:, 0] for a in distance(y[:, None], raw[:, None]))

    X, y = stream_of_outputs()
    joint = losses.from_derivatives(distance, joint=True)
    ours, theirs = (SGTRegressor(loss=loss, **QUICK) for loss in (joint, distance_of_one))
    predicted = [model.learn_predict(X, y[:, 0]) for model in (ours, theirs)]
    assert ours.n_splits_ == theirs.n_splits_ > 0
    np.testing.assert_allclose(*predicted, rtol=1e-9)
    with pytest.raises(losses.LossError, match=r"it must be \(1, 1\)"):
        SGTRegressor(loss=losses.from_derivatives(lambda _, raw: (raw[0], raw), joint=True)).fit(
            X[:1], y[:1, 0]
        )


@pytest.mark.parametrize("joint", [False, True])
def test_a_classifier_learns_several_labels_by_a_loss_of_ones_own(joint):
    X, y = stream_of_outputs()
    labels = (y > np.median(y, axis=0)).astype(int)
    loss = losses.from_derivatives(log_loss, link="logistic", joint=joint)
    ours = SGTClassifier(loss=loss, **QUICK, **STILL).partial_fit(X, labels)
    theirs = SGTClassifier(**QUICK, **STILL).partial_fit(X, labels)
    assert ours.n_splits_ == theirs.n_splits_ > 0
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)
