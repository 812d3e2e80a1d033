"""Losses written in Python: exact in blocks, with scales and starts of their own."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from sgtrees import SGTClassifier, SGTRegressor, _core, losses
from sgtrees.losses.adapter import LossAdapter
from tests.fingerprint import fingerprint
from tests.unit.losses.custom_losses import (
    OWN,
    QUICK,
    OwnQuantile,
    labelled,
    log_loss,
    skip_without_jax,
    squared_error,
    stream,
)
from tests.unit.losses.joint_losses import (
    JOINT,
    N_OUTPUTS,
    QuantileOfOne,
    ScaledDistance,
    learner,
    state,
    stream_of_outputs,
)


@OWN
def test_a_block_its_parts_and_its_rows_give_the_same_model_bit_for_bit(make):
    skip_without_jax(make())
    X, y = stream()
    whole = SGTRegressor(loss=make(), **QUICK)
    predicted = whole.learn_predict(X, y)
    parts = SGTRegressor(loss=make(), **QUICK)
    in_parts = np.concatenate(
        [parts.learn_predict(X[i : i + 37], y[i : i + 37]) for i in range(0, len(y), 37)]
    )
    rows = SGTRegressor(loss=make(), **QUICK).partial_fit(X[:1], y[:1])
    for x, target in zip(X[1:].tolist(), y[1:].tolist(), strict=True):
        rows.learn_one(dict(enumerate(x)), target)
    assert whole.n_splits_ > 0
    assert fingerprint(whole) == fingerprint(parts) == fingerprint(rows)
    assert predicted.tobytes() == in_parts.tobytes()


def test_rows_of_weight_zero_are_passed_over():
    X, y = stream()
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.5)
    kept = weights > 0
    weighted = SGTRegressor(loss=squared_error, **QUICK).partial_fit(X, y, sample_weight=weights)
    without = SGTRegressor(loss=squared_error, **QUICK)
    without.partial_fit(X[kept], y[kept], sample_weight=weights[kept])
    assert fingerprint(weighted) == fingerprint(without)


@pytest.mark.parametrize("case", JOINT)
def test_a_block_its_parts_and_its_rows_give_the_same_model_for_several_outputs(case):
    if case == "JAX":
        pytest.importorskip("jax")
    X, y = stream_of_outputs(250)
    whole, parts, rows = (learner(JOINT[case](), warm_up=10) for _ in range(3))
    predicted = whole.learn_predict(X, y)
    for learns, size in ((parts, 37), (rows, 1)):
        again = [
            learns.learn_predict(X[i : i + size], y[i : i + size]) for i in range(0, len(y), size)
        ]
        assert np.concatenate(again).tobytes() == predicted.tobytes()
    assert whole.n_splits > 0
    assert state(whole) == state(parts) == state(rows)


@pytest.mark.parametrize("loss", [QuantileOfOne, ScaledDistance])
@pytest.mark.parametrize("n_rows", [40, 300])
def test_a_copy_made_of_the_state_learns_on_as_the_original_does(loss, n_rows):
    X, y = stream_of_outputs()
    core = learner(loss())
    core.learn(X[:n_rows], y[:n_rows])
    again = LossAdapter(loss(), for_classes=False).core_loss()
    twin = _core.LossLearner.from_state(_core.Options(**QUICK), core.state(), again, N_OUTPUTS)
    assert state(twin) == state(core)
    for one in (core, twin):
        one.learn(X[n_rows:], y[n_rows:])
    assert state(twin) == state(core)


# ---- scales and starts ---------------------------------------------------------------------------


class SubclassedHuber(losses.Huber):
    """A subclass of a built-in loss is written in Python too."""


SCALED = [
    (lambda: OwnQuantile(0.8), losses.Quantile(alpha=0.8)),
    (SubclassedHuber, losses.Huber()),
    (lambda: SubclassedHuber(scale=3.0), losses.Huber(scale=3.0)),
]


@pytest.mark.parametrize(("make", "built_in"), SCALED, ids=["own", "subclass", "given"])
def test_a_loss_of_ones_own_takes_its_scale_from_the_warm_up_as_the_built_in_one_does(
    make, built_in
):
    X, y = stream()
    # A loss of one's own follows on parabolas, its trees are not replaced, and its leaves do not
    # know the targets of the rows that they keep.
    still = QUICK | {"following_rates": (), "on_drift": "ignore", "kept_rows": 0}
    ours, theirs = SGTRegressor(loss=make(), **still), SGTRegressor(loss=built_in, **still)
    for begin in range(0, len(y), 35):  # the second block ends the warm-up
        rows = slice(begin, begin + 35)
        predicted = [model.learn_predict(X[rows], y[rows]) for model in (ours, theirs)]
        np.testing.assert_allclose(*predicted, rtol=1e-9)
        if begin >= 35:
            assert ours.loss_scale_ == theirs.loss_scale_ > 0
    assert ours.n_splits_ == theirs.n_splits_ > 0


@pytest.mark.parametrize(("make", "built_in"), SCALED, ids=["own", "subclass", "given"])
def test_a_scale_is_saved_and_the_estimators_own_loss_stays_as_it_was(make, built_in):
    X, y = stream()
    loss = make()
    model = SGTRegressor(loss=loss, **QUICK).partial_fit(100 * X[:300], 100 * y[:300])
    assert model.loss_scale_ != loss.scale_ == 1.0
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin.loss_scale_ == model.loss_scale_
        twin.partial_fit(X[300:], y[300:])
        again = copy.deepcopy(model).partial_fit(X[300:], y[300:])
        assert fingerprint(twin) == fingerprint(again)
    assert clone(model).fit(X, y).loss_scale_ != model.loss_scale_ or built_in.scale is not None


def test_without_a_warm_up_the_scale_is_one():
    X, y = stream()
    model = SGTRegressor(loss=OwnQuantile(0.5), feature_ranges=(0.0, 1.0)).partial_fit(X, y)
    assert model.loss_scale_ == 1.0


def test_a_classifiers_loss_may_have_a_scale_too():
    class Rounded(losses.Loss):
        link = "logistic"

        def find_scale(self, y, weight):
            return 1.0 + np.average(y, weights=weight)

        def gradient_hessian(self, y, raw):
            g, h = log_loss(y, raw)
            return self.scale_ * g, self.scale_ * h

    X, y = labelled()
    model = SGTClassifier(loss=Rounded(), **QUICK).partial_fit(X, y)
    share = np.mean(y[:60] != y[0])
    assert model._model.core.loss_scales == pytest.approx([1 + share], rel=1e-12)


def test_a_loss_of_one_output_grows_the_built_in_ones_tree_for_several():
    X, y = stream_of_outputs()
    ours, theirs = learner(QuantileOfOne()), learner(losses.Quantile(alpha=0.8))
    predicted = [core.learn_predict(X, y) for core in (ours, theirs)]
    np.testing.assert_allclose(*predicted, rtol=1e-9)
    assert ours.n_splits == theirs.n_splits > 0
    scales = [core.state()["loss_scale"] for core in (ours, theirs)]
    assert scales[0].tolist() == scales[1].tolist()
    assert len(set(scales[0].tolist())) == N_OUTPUTS


def test_the_start_of_labels_that_are_all_alike_is_finite():
    y = np.column_stack([np.ones(20), np.arange(20) % 2, np.zeros(20)])
    for joint in (False, True):
        loss = losses.from_derivatives(log_loss, link="logistic", joint=joint)
        starts = LossAdapter(loss, for_classes=True).starts(y, np.ones(20))
        np.testing.assert_allclose(starts, [np.log(40), 0, -np.log(40)], atol=0.1)
