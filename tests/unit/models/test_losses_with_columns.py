"""Losses of one's own in estimators whose y has columns."""

import pickle

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor, losses
from tests.unit.fingerprint import fingerprint

QUICK = {"warm_up": 60, "grace_period": 20, "delta": 0.01, "gamma": 0.01}


def squared(y, raw):
    """Squared error, as its derivatives."""
    return raw - y, np.ones_like(raw)


def log_loss(y, raw):
    """Log loss, as its derivatives."""
    p = 1.0 / (1.0 + np.exp(-raw))
    return p - y, p * (1.0 - p)


def distance(y, raw):
    """Distance between two points, rounded off below 1: one of all targets together."""
    r = raw - y
    d = np.sqrt(1.0 + (r**2).sum(axis=1, keepdims=True))
    return r / d, (d**2 - r**2) / d**3


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
    "a function": squared,
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
    whole = SGTRegressor(**QUICK, loss=LOSSES[case]).partial_fit(X, y, sample_weight=weights)
    halves, events = (SGTRegressor(**QUICK, loss=LOSSES[case]) for _ in range(2))
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
    own = SGTRegressor(**QUICK, loss=squared).partial_fit(X, y)
    built_in = SGTRegressor(**QUICK).partial_fit(X, y)
    assert own.n_leaves_ == built_in.n_leaves_ > 2
    np.testing.assert_allclose(own.predict(X), built_in.predict(X), rtol=1e-9)


def test_each_target_has_a_scale_of_its_own():
    X, y = points(300)
    own = SGTRegressor(**QUICK, loss=RoundedAbsolute()).partial_fit(X, y)
    built_in = SGTRegressor(**QUICK, loss="absolute_error").partial_fit(X, y)
    assert own.loss_scale_.tolist() == built_in.loss_scale_.tolist()
    assert own.loss_scale_[1] > 5 * own.loss_scale_[0]


def test_a_joint_loss_may_have_a_link_of_all_outputs_of_a_row():
    rng = np.random.default_rng(0)
    X = rng.random((1500, 2))
    y = softmax(np.column_stack([3 * (X[:, 0] > 0.5), 2 * (X[:, 1] > 0.5), np.zeros(1500)]))
    loss = losses.from_derivatives(cross_entropy, link=softmax, joint=True)
    model = SGTRegressor(**QUICK, loss=loss, random_state=0).fit(X, y)
    predicted = model.predict(X)
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0, rtol=1e-12)
    assert np.abs(predicted - y).mean() < 0.3 * np.abs(y - y.mean(axis=0)).mean()
    row = dict(enumerate(X[0].tolist()))
    assert model.predict_one(row) == predicted[0].tolist()


def test_labels_under_a_loss_of_ones_own():
    X, y = points(800)
    labels = (y > [2.0, 50.0]).astype(int)
    # A row that is handed down has its exact g and h under the built-in log loss only.
    own = SGTClassifier(**QUICK, loss=log_loss, kept_rows=0).partial_fit(X, labels)
    built_in = SGTClassifier(**QUICK, kept_rows=0).partial_fit(X, labels)
    assert own.n_leaves_ == built_in.n_leaves_ > 2
    np.testing.assert_allclose(own.predict_proba(X), built_in.predict_proba(X), rtol=1e-6)
    events = SGTClassifier(**QUICK, loss=log_loss, kept_rows=0).partial_fit(X[:1], labels[:1])
    for x, row in zip(X[1:].tolist(), labels[1:].tolist(), strict=True):
        events.learn_one(dict(enumerate(x)), {label for label in (0, 1) if row[label]})
    assert fingerprint(events) == fingerprint(own)


def test_a_label_that_all_rows_have_has_a_start_under_a_loss_of_ones_own():
    model = SGTClassifier(loss=log_loss).partial_fit([[1.0]] * 4, [[1, 0]] * 3 + [[1, 1]])
    certain, rare = model.predict_proba([[1.0]])[0]
    assert certain == pytest.approx(4 / 4.5)
    assert rare == pytest.approx(0.25)


WRONG = {
    "sign": (lambda y, raw: (y - raw, np.ones_like(raw)), "wrong sign"),
    "shape": (lambda y, raw: ((raw - y)[:, 0], np.ones_like(raw)), "shape"),
    "negative": (lambda y, raw: (raw - y, -np.ones_like(raw)), "hessian is negative"),
    "rows together": (
        lambda y, raw: (raw - y.mean(axis=0), np.ones_like(raw)),
        "depend on the rows",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_joint_loss_is_refused_on_the_first_block(case):
    function, message = WRONG[case]
    X, y = points(100)
    model = SGTRegressor(loss=losses.from_derivatives(function, joint=True))
    with pytest.raises(losses.LossError, match=message):
        model.partial_fit(X, y)
    assert fingerprint(model) is None


def test_a_loss_that_fails_keeps_the_rows_before_and_names_the_row():
    def fails_late(y, raw):
        return np.where(y > 1000, np.nan, raw - y), np.ones_like(raw)

    X, y = points(200)
    y[150, 1] = 2000.0
    model = SGTRegressor(**QUICK, loss=fails_late).partial_fit(X[:100], y[:100])
    with pytest.raises(losses.LossError, match=r"row 50 .*50 rows of the block have been learned"):
        model.partial_fit(X[100:], y[100:])
    expected = SGTRegressor(**QUICK, loss=fails_late).partial_fit(X[:150], y[:150])
    assert fingerprint(model)["core"] == fingerprint(expected)["core"]


class AboveZero(losses.Loss):
    def gradient_hessian(self, y, raw):
        return raw - y, np.ones_like(raw)

    def check_y(self, y):
        for row, target in enumerate(y):  # as one may write it for one output
            if target < 0:
                raise ValueError(f"y is below 0 in row {row}")


def test_the_domain_is_that_of_each_target_and_the_column_is_named():
    model = SGTRegressor(loss=AboveZero())
    with pytest.raises(ValueError, match="column 1 of y: y is below 0 in row 2"):
        model.partial_fit([[1.0]] * 3, [[0.0, 0.0], [1.0, 1.0], [2.0, -1.0]])
    assert fingerprint(model) is None
