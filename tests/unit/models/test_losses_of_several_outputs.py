"""Losses written in Python where there are several outputs: each by itself, or all together."""

import pickle

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor, _core, losses
from sgtrees.losses.adapter import LossAdapter
from sgtrees.losses.errors import LearnedRows
from sgtrees.losses.quick_check import quick_check
from tests.unit.fingerprint import fingerprint

OPTIONS = {"warm_up": 60, "grace_period": 20, "delta": 0.1, "gamma": 0.01}
N_OUTPUTS = 3


def stream(n=700, seed=0):
    random = np.random.default_rng(seed)
    X = random.random((n, 3))
    y = np.column_stack([4.0 * (X[:, j] > 0.5) + random.random(n) for j in range(N_OUTPUTS)])
    return X, y * np.array([1.0, 10.0, 0.1])


def distance(y, raw):
    """Derivatives of sqrt(1 + |raw - y|^2), one matter of all outputs."""
    r = raw - y
    d = np.sqrt(1.0 + (r**2).sum(axis=1, keepdims=True))
    return r / d, (d**2 - r**2) / d**3


def log_loss(y, raw):
    p = 1 / (1 + np.exp(-raw))
    return p - y, p * (1 - p)


def jax_distance(y, raw):
    jnp = pytest.importorskip("jax.numpy")
    return jnp.sqrt(1.0 + jnp.sum((raw - y) ** 2))


class Quantile(losses.Loss):
    """The built-in one, as someone would write it for a single output."""

    hessian_is_exact = False

    def find_scale(self, y, weight):
        assert y.ndim == 1
        return 0.1 * losses.spread(y, weight)

    def gradient_hessian(self, y, raw):
        assert y.ndim == raw.ndim == 1
        h = 0.5 / np.maximum(np.abs(raw - y), self.scale_)
        return h * (raw - y) - 0.3, h

    def start(self, y, weight):
        return losses.weighted_quantile(y, weight, 0.8)


class ScaledDistance(losses.Loss):
    """The distance in units of each output's spread."""

    is_joint = True

    def find_scale(self, y, weight):
        return np.array([losses.spread(column, weight) for column in y.T])

    def gradient_hessian(self, y, raw):
        s = np.broadcast_to(self.scale_, raw.shape[1:])
        g, h = distance(y / s, raw / s)
        return g / s, h / s**2


def learner(loss, **changed):
    if isinstance(loss, losses.Loss) and not isinstance(loss, losses.Quantile):
        core_loss = LossAdapter(loss, for_classes=False).core_loss()
    else:
        core_loss = loss.core_loss()
    options = _core.Options(**OPTIONS | changed)
    return _core.Regressor(options, [False] * 3, None, core_loss, N_OUTPUTS)


def state(core):
    return {name: array.tobytes() for name, array in core.state().items()}


JOINT = {
    "derivatives": lambda: losses.from_derivatives(distance, joint=True),
    "JAX": lambda: losses.from_function(jax_distance, joint=True),
    "scaled": ScaledDistance,
    "apart": Quantile,
}


@pytest.mark.parametrize("case", JOINT)
def test_a_block_its_parts_and_its_rows_give_the_same_model_bit_for_bit(case):
    if case == "JAX":
        pytest.importorskip("jax")
    X, y = stream(250)
    whole, parts, rows = (learner(JOINT[case](), warm_up=10) for _ in range(3))
    predicted = whole.learn_predict(X, y)
    for learns, size in ((parts, 37), (rows, 1)):
        again = [
            learns.learn_predict(X[i : i + size], y[i : i + size]) for i in range(0, len(y), size)
        ]
        assert np.concatenate(again).tobytes() == predicted.tobytes()
    assert whole.n_splits > 0
    assert state(whole) == state(parts) == state(rows)


def test_a_loss_of_one_output_grows_the_built_in_ones_tree_for_several():
    X, y = stream()
    ours, theirs = learner(Quantile()), learner(losses.Quantile(alpha=0.8))
    predicted = [core.learn_predict(X, y) for core in (ours, theirs)]
    np.testing.assert_allclose(*predicted, rtol=1e-9)
    assert ours.n_splits == theirs.n_splits > 0
    scales = [core.state()["loss_scale"] for core in (ours, theirs)]
    assert scales[0].tolist() == scales[1].tolist()
    assert len(set(scales[0].tolist())) == N_OUTPUTS


@pytest.mark.parametrize("loss", [Quantile, ScaledDistance])
@pytest.mark.parametrize("n_rows", [40, 300])
def test_a_copy_made_of_the_state_learns_on_as_the_original_does(loss, n_rows):
    X, y = stream()
    core = learner(loss())
    core.learn(X[:n_rows], y[:n_rows])
    again = LossAdapter(loss(), for_classes=False).core_loss()
    twin = _core.Regressor.from_state(_core.Options(**OPTIONS), core.state(), again, N_OUTPUTS)
    assert state(twin) == state(core)
    for one in (core, twin):
        one.learn(X[n_rows:], y[n_rows:])
    assert state(twin) == state(core)


def test_jax_finds_the_diagonal_of_the_hessian():
    pytest.importorskip("jax")
    random = np.random.default_rng(0)
    y, raw = random.normal(size=(2, 2500, 4))
    expected = distance(y, raw)
    loss = losses.from_function(jax_distance, joint=True)
    found = loss.gradient_hessian(y, raw)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(loss.value(y, raw), np.sqrt(1 + ((raw - y) ** 2).sum(axis=1)))
    for n in (1, 7, 1024, 1025):
        part = loss.gradient_hessian(y[3 : 3 + n], raw[3 : 3 + n])
        assert [a.tobytes() for a in part] == [a[3 : 3 + n].tobytes() for a in found]
    with_surrogate = losses.from_function(
        jax_distance, joint=True, hessian=lambda y, raw: 1 / jax_distance(y, raw) + 0 * raw
    )
    assert not with_surrogate.hessian_is_exact
    np.testing.assert_allclose(
        with_surrogate.gradient_hessian(y, raw)[1][:, 2], 1 / loss.value(y, raw), rtol=1e-12
    )


def test_the_start_of_a_joint_loss_has_no_slope_left():
    random = np.random.default_rng(0)
    y, weight = random.normal(size=(200, 3)) ** 3, random.random(200) + 0.1
    loss = losses.from_derivatives(distance, joint=True)
    start = loss.start(y, weight)
    g, _ = distance(y, np.tile(start, (len(y), 1)))
    np.testing.assert_allclose(weight @ g, 0, atol=1e-9)
    # Where the outputs have nothing to do with each other it is that of each.
    squares = losses.from_derivatives(lambda y, raw: (raw - y, np.ones_like(raw)), joint=True)
    np.testing.assert_allclose(squares.start(y, weight), np.average(y, 0, weight), rtol=1e-12)


def test_the_start_of_labels_that_are_all_alike_is_finite():
    y = np.column_stack([np.ones(20), np.arange(20) % 2, np.zeros(20)])
    for joint in (False, True):
        loss = losses.from_derivatives(log_loss, link="logistic", joint=joint)
        starts = LossAdapter(loss, for_classes=True).starts(y, np.ones(20))
        np.testing.assert_allclose(starts, [np.log(40), 0, -np.log(40)], atol=0.1)


# ---- in estimators -------------------------------------------------------------------------------


@pytest.mark.parametrize("case", JOINT)
def test_a_regressor_learns_several_targets_by_a_loss_of_ones_own(case):
    if case == "JAX":
        pytest.importorskip("jax")
    X, y = stream()
    model = SGTRegressor(loss=JOINT[case](), **OPTIONS).partial_fit(X[:300], y[:300])
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

    X, y = stream()
    loss = losses.from_derivatives(gradual, joint=True, hessian_is_exact=False)
    model = SGTRegressor(loss=loss, random_state=0, **OPTIONS).fit(X, y)
    away = np.abs(model.predict(X) - y).mean(axis=0)
    assert (away < [0.4, 4.0, 0.13]).all(), away  # a quarter of the noise's width is the best


def test_a_joint_loss_of_a_single_output_sees_one_column():
    def distance_of_one(y, raw):
        return tuple(a[:, 0] for a in distance(y[:, None], raw[:, None]))

    X, y = stream()
    joint = losses.from_derivatives(distance, joint=True)
    ours, theirs = (SGTRegressor(loss=loss, **OPTIONS) for loss in (joint, distance_of_one))
    predicted = [model.learn_predict(X, y[:, 0]) for model in (ours, theirs)]
    assert ours.n_splits_ == theirs.n_splits_ > 0
    np.testing.assert_allclose(*predicted, rtol=1e-9)
    with pytest.raises(losses.LossError, match=r"it must be \(1, 1\)"):
        SGTRegressor(loss=losses.from_derivatives(lambda _, raw: (raw[0], raw), joint=True)).fit(
            X[:1], y[:1, 0]
        )


@pytest.mark.parametrize("joint", [False, True])
def test_a_classifier_learns_several_labels_by_a_loss_of_ones_own(joint):
    X, y = stream()
    labels = (y > np.median(y, axis=0)).astype(int)
    loss = losses.from_derivatives(log_loss, link="logistic", joint=joint)
    # A row that is handed down has its exact g and h under the built-in log loss only.
    ours = SGTClassifier(loss=loss, **OPTIONS, kept_rows=0).partial_fit(X, labels)
    theirs = SGTClassifier(**OPTIONS, kept_rows=0).partial_fit(X, labels)
    assert ours.n_splits_ == theirs.n_splits_ > 0
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)


# ---- failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("how", ["NaN", "raises"])
def test_a_failure_names_the_row_and_keeps_those_before(joint, how):
    def fails(y, raw):
        bad = y == 1e6
        if how == "raises" and bad.any():
            raise ArithmeticError("cannot do this")
        return np.where(bad, np.nan, raw - y), np.ones_like(raw)

    X, y = stream()
    y[500, 1] = 1e6
    asked = LossAdapter(losses.from_derivatives(fails, joint=joint), for_classes=False)
    core = _core.Regressor(
        _core.Options(**OPTIONS), [False] * 3, None, asked.core_loss(), N_OUTPUTS
    )
    error = losses.LossError if how == "NaN" else ArithmeticError
    with pytest.raises(error) as caught, asked.guard(core, LearnedRows()):
        core.learn(X, y)
    said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert "row 500 (y = " in said
    assert "500 rows of the block have been learned" in said
    assert core.n_rows == 500


WRONG = {
    "shape": (lambda _, raw: (raw[:, 0], raw), r"must be \(64, 3\), one number for each row and"),
    "negative": (lambda y, raw: (raw - y, -np.ones_like(raw)), "hessian is negative"),
    "sign": (lambda y, raw: (y - raw, np.ones_like(raw)), "wrong sign"),
    "means": (lambda y, raw: (raw - y.mean(0), np.ones_like(raw)), "depend on the rows"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_joint_loss_is_refused_when_it_is_tried(case):
    function, message = WRONG[case]
    _, y = stream()
    with pytest.raises(losses.LossError, match=message):
        quick_check(losses.from_derivatives(function, joint=True), y, None, for_classes=False)
    quick_check(losses.from_derivatives(distance, joint=True), y, None, for_classes=False)
    quick_check(Quantile(), y, None, for_classes=False)


def test_a_wrong_start_of_a_joint_loss_is_refused_when_it_is_tried():
    class Start(ScaledDistance):
        def start(self, y, weight):
            return 0.0

    with pytest.raises(losses.LossError, match=r"start is 0\.0 for the first 64 targets"):
        quick_check(Start(), stream()[1], None, for_classes=False)


def test_a_target_outside_the_domain_is_named_with_its_output():
    y = np.array([[1.0, 2.0], [3.0, -4.0]])
    with pytest.raises(ValueError, match=r"y is -4\.0 in row 1, column 1; targets of this loss"):
        losses.Poisson().check_y(y)


# ---- checks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("with_targets", [False, True])
@pytest.mark.parametrize("case", ["derivatives", "JAX", "scaled"])
def test_a_joint_loss_that_is_right_is_in_order(case, with_targets):
    if case == "JAX":
        pytest.importorskip("jax")
    report = losses.check(JOINT[case](), stream()[1] if with_targets else None)
    assert report.ok, report
    assert "the hessian is the derivative of the gradient" in report.notes


def test_a_joint_loss_that_is_wrong_in_one_output_is_told_so():
    class Wrong(ScaledDistance):
        def gradient_hessian(self, y, raw):
            g, h = distance(y, raw)
            return g, h * np.array([1.0, 2.0])

    report = losses.check(Wrong())
    assert [problem[:9] for problem in report.problems] == ["output 1:"]
    assert "is not the derivative of the gradient" in report.problems[0]

    class WrongValue(ScaledDistance):
        def value(self, y, raw):
            return np.sqrt(1 + ((raw - y) ** 2).sum(axis=1)) + raw[:, 0]

    report = losses.check(WrongValue())
    assert [problem[:9] for problem in report.problems] == ["output 0:"]
    assert "is not the derivative of value" in report.problems[0]


def test_targets_of_a_joint_loss_have_two_dimensions():
    with pytest.raises(ValueError, match="a column for each output"):
        losses.check(losses.from_derivatives(distance, joint=True), [1.0, 2.0])
