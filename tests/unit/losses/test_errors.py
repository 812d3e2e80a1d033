"""A loss that fails: the row is named, and the rows before it are learned."""

import contextlib
import copy
import pickle

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor, _core, losses
from sgtrees.losses.adapter import LossAdapter
from sgtrees.losses.errors import LearnedRows
from tests.fingerprint import fingerprint
from tests.unit.losses.custom_losses import (
    QUICK,
    labelled,
    log_loss,
    stream,
)
from tests.unit.losses.joint_losses import (
    N_OUTPUTS,
    stream_of_outputs,
)

TROUBLE = 1e6


class Fails(losses.Loss):
    """Squared error but for one target."""

    def __init__(self, how):
        self.how = how

    def gradient_hessian(self, y, raw):
        bad = y == TROUBLE
        g, h = raw - y, np.ones_like(raw)
        if self.how == "raises" and bad.any():
            raise ArithmeticError("cannot do this")
        if self.how == "shape" and bad.any():
            return g[:-1], h
        g[bad] = np.nan if self.how == "NaN" else g[bad]
        h[bad] = -2.0 if self.how == "negative" else h[bad]
        return g, h

    def start(self, y, weight):
        return float(np.average(np.where(y == TROUBLE, 0.0, y), weights=weight))


HOW = {
    "NaN": (losses.LossError, "gradient nan and the hessian 1 for row {row} "),
    "negative": (losses.LossError, "the hessian -2 for row {row} "),
    "raises": (ArithmeticError, "raised by the loss for row {row} "),
    "shape": (losses.LossError, "raised by the loss for row {row} "),
}


def words(error):
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("method", ["partial_fit", "learn_predict"])
def test_the_rows_before_a_failure_are_learned_and_counted(how, method):
    error, message = HOW[how]
    X, y = stream()
    wrong = y.copy()
    wrong[512] = TROUBLE
    model = SGTRegressor(loss=Fails(how), **QUICK).partial_fit(X[:300], y[:300])
    with pytest.raises(error) as caught:
        getattr(model, method)(X[300:], wrong[300:])
    assert message.format(row=212) in words(caught.value)
    assert f"(y = {TROUBLE}, raw score = " in words(caught.value)
    assert "212 rows of the block have been learned" in words(caught.value)
    expected = SGTRegressor(loss=Fails(how), **QUICK).partial_fit(X[:512], y[:512])
    assert fingerprint(model) == fingerprint(expected)
    # It goes on as if the block had ended there.
    assert fingerprint(model.partial_fit(X[513:], y[513:])) == fingerprint(
        expected.partial_fit(X[513:], y[513:])
    )


@pytest.mark.parametrize("how", HOW)
def test_an_event_that_fails_is_not_learned(how):
    error, message = HOW[how]
    X, y = stream()
    model = SGTRegressor(loss=Fails(how), **QUICK).partial_fit(X, y)
    before = model._model.core.n_rows
    with pytest.raises(error) as caught:
        model.learn_one(dict(enumerate(X[0].tolist())), TROUBLE)
    assert message.format(row=0) in words(caught.value)
    assert "0 rows of the block have been learned" in words(caught.value)
    assert model._model.core.n_rows == before


@pytest.mark.parametrize("how", HOW)
def test_rows_are_counted_with_weights_of_zero_among_them(how):
    error, message = HOW[how]
    X, y = stream()
    weights = np.where(np.arange(len(y)) % 2 == 0, 0.0, 1.0)
    y[[300, 401]] = TROUBLE  # row 300 has no weight
    model = SGTRegressor(loss=Fails(how), **QUICK)
    with pytest.raises(error) as caught:
        model.partial_fit(X, y, sample_weight=weights)
    assert message.format(row=401) in words(caught.value)
    assert "200 rows of the block have been learned" in words(caught.value)


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("how", ["NaN", "raises"])
def test_a_failure_names_the_row_and_keeps_those_before(joint, how):
    def fails(y, raw):
        bad = y == 1e6
        if how == "raises" and bad.any():
            raise ArithmeticError("cannot do this")
        return np.where(bad, np.nan, raw - y), np.ones_like(raw)

    X, y = stream_of_outputs()
    y[500, 1] = 1e6
    loss_adapter = LossAdapter(losses.from_derivatives(fails, joint=joint), for_classes=False)
    core = _core.LossLearner(
        _core.Options(**QUICK), [False] * 3, None, loss_adapter.core_loss(), N_OUTPUTS
    )
    error = losses.LossError if how == "NaN" else ArithmeticError
    with pytest.raises(error) as caught, loss_adapter.guard(core, LearnedRows()):
        core.learn(X, y)
    full_text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert "row 500 (y = " in full_text
    assert "500 rows of the block have been learned" in full_text
    assert core.n_rows == 500


def test_a_failure_among_classes_names_the_row():
    def fails(y, raw):
        g, h = log_loss(y, raw)
        return g, np.where(np.abs(raw) > 0.5, -1.0, h)

    X, y = labelled(3000)
    with pytest.raises(losses.LossError, match=r"hessian -1 for row \d+ .*rows of the block"):
        SGTClassifier(loss=fails, **QUICK).partial_fit(X, y)


# ---- the warm-up ---------------------------------------------------------------------------------


WAITING = QUICK | {"warm_up": 200}


@pytest.mark.parametrize("how", HOW)
def test_a_row_of_the_warm_up_that_fails_is_left_out_alone_if_it_came_before(how):
    error, message = HOW[how]
    X, y = stream()
    y[[70, 75]] = TROUBLE
    model = SGTRegressor(loss=Fails(how), **WAITING).partial_fit(X[:100], y[:100])
    with pytest.raises(error) as caught:
        model.partial_fit(X[100:300], y[100:300])
    full_text = words(caught.value)
    assert message.format(row=70)[:-1] + " of the warm-up, from an earlier call, " in full_text
    assert (
        "it and 1 more of the warm-up are left out; the others of the warm-up and 100 " in full_text
    )
    assert model._model.core.n_rows == 198
    # It goes on as if these two had never come; the warm-up's ranges and start know them, though.
    rows = SGTRegressor(loss=Fails(how), **WAITING)
    for i in range(199):
        rows.partial_fit(X[i : i + 1], y[i : i + 1])
    with pytest.raises(error) as caught:
        rows.partial_fit(X[199:200], y[199:200])
    assert "the others of the warm-up and 1 rows of the block" in words(caught.value)
    rows.partial_fit(X[200:300], y[200:300])
    model.partial_fit(X[200:300], y[200:300])
    assert fingerprint(rows) == fingerprint(model)


@pytest.mark.parametrize("how", HOW)
def test_a_row_of_the_warm_up_that_fails_in_its_own_call_ends_the_call(how):
    error, message = HOW[how]
    X, y = stream()
    # A feature's sample begins with all values of the warm-up, those of rows that fail too.
    settings = WAITING | {"adaptive_ranges": False}
    y[190] = TROUBLE
    model = SGTRegressor(loss=Fails(how), **settings).partial_fit(X[:100], y[:100])
    with pytest.raises(error) as caught:
        model.partial_fit(X[100:], y[100:])
    assert message.format(row=90) in words(caught.value)
    assert "; 90 rows of the block have been learned" in words(caught.value)
    assert model._model.core.n_rows == 190
    rows = SGTRegressor(loss=Fails(how), **settings)
    for x, target in zip(X, y, strict=True):
        with contextlib.suppress(error):
            rows.partial_fit([x], [target])
    assert fingerprint(model.partial_fit(X[191:], y[191:])) == fingerprint(rows)


def test_rows_of_the_warm_up_are_counted_with_weights_of_zero_among_them():
    X, y = stream()
    weights = np.where(np.arange(len(y)) % 2 == 0, 0.0, 1.0)
    y[[141, 300, 341]] = TROUBLE  # row 300 has no weight
    model = SGTRegressor(loss=Fails("NaN"), **WAITING)
    with pytest.raises(losses.LossError, match=r"for row 141 .*; 70 rows of the block have"):
        model.partial_fit(X, y, sample_weight=weights)
    later = SGTRegressor(loss=Fails("NaN"), **WAITING)
    later.partial_fit(X[:151], y[:151], sample_weight=weights[:151])
    with pytest.raises(losses.LossError) as caught:
        later.partial_fit(X[151:], y[151:], sample_weight=weights[151:])
    assert "row 70 of the warm-up, from an earlier call, " in str(caught.value)
    # Row 341 is what ends the call: the rows between have been learned.
    learned = "it is left out; the others of the warm-up and 95 rows of the block"
    assert learned in str(caught.value)
    assert later._model.core.n_rows == 74 + 95


@pytest.mark.parametrize("which", ["start", "find_scale"])
def test_a_loss_without_a_start_learns_no_further_row(which):
    class Late(losses.Loss):
        def gradient_hessian(self, y, raw):
            return raw - y, np.ones_like(raw)

        def start(self, y, weight):
            return self.refuse("start", y)

        def find_scale(self, y, weight):
            return self.refuse("find_scale", y)

        def refuse(self, what, y):
            if what == which and TROUBLE in y:
                raise ArithmeticError("no start")
            return 1.0

    X, y = stream()
    wrong = y.copy()
    wrong[199] = TROUBLE
    model = SGTRegressor(loss=Late(), **WAITING)
    with pytest.raises(ArithmeticError, match="no start") as caught:
        model.partial_fit(X, wrong)
    assert "199 rows of the block have been learned" in words(caught.value)
    assert model._model.core.n_rows == 199
    model = copy.deepcopy(model).partial_fit(X[199:], y[199:])
    assert fingerprint(model) == fingerprint(SGTRegressor(loss=Late(), **WAITING).partial_fit(X, y))


# ---- fit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [700, 150])
def test_a_failed_fit_names_the_callers_row(n_rows):
    X, y = stream(n_rows)
    y[133] = TROUBLE
    weights = np.where(np.arange(n_rows) % 4 == 0, 0.0, 1.0)
    for epochs in (1, 3):
        model = SGTRegressor(loss=Fails("NaN"), random_state=0, epochs=epochs, **WAITING)
        for sample_weight in (None, weights):
            with pytest.raises(losses.LossError, match=r"for row 133 .*leaves the estimator as"):
                model.fit(X, y, sample_weight=sample_weight)


def test_a_failed_fit_leaves_the_estimator_as_it_was():
    X, y = stream()
    model = SGTRegressor(loss=Fails("NaN"), random_state=0, **QUICK).fit(X, y)
    before = fingerprint(model)
    y[512] = TROUBLE
    with pytest.raises(losses.LossError, match=r"row 512 .*leaves the estimator as it was"):
        model.fit(X, y)
    assert fingerprint(model) == before


# ---- several outputs ----------------------------------------------------------------------------


def test_a_loss_that_fails_keeps_the_rows_before_and_names_the_row():
    def fails_late(y, raw):
        return np.where(y > 1000, np.nan, raw - y), np.ones_like(raw)

    X, y = stream_of_outputs(200)
    y[150, 1] = 2000.0
    model = SGTRegressor(**QUICK, loss=fails_late).partial_fit(X[:100], y[:100])
    with pytest.raises(losses.LossError, match=r"row 50 .*50 rows of the block have been learned"):
        model.partial_fit(X[100:], y[100:])
    expected = SGTRegressor(**QUICK, loss=fails_late).partial_fit(X[:150], y[:150])
    assert fingerprint(model)["core"] == fingerprint(expected)["core"]


# ---- the core's exception -----------------------------------------------------------------------


def test_the_cores_exception_has_attributes_and_survives_pickling():
    loss = losses.from_derivatives(lambda y, raw: (raw - y, np.where(y > 5, -1.0, 1.0)))
    core_loss = LossAdapter(loss, for_classes=False).core_loss()
    core = _core.LossLearner(_core.Options(), [False], np.array([[0.0, 1.0]]), core_loss)
    with pytest.raises(_core.LossFailure, match="hessian -1") as caught:
        core.learn(np.zeros((4, 1)), np.array([1.0, 2.0, 7.0, 8.0]))
    assert isinstance(caught.value, RuntimeError)
    for failure in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (failure.row, failure.y, failure.h, failure.left_out) == (2, 7.0, -1.0, None)
        assert failure.g == failure.raw - 7.0


def test_the_cores_exception_has_the_number_of_rows_of_the_warm_up_that_are_left_out():
    loss = losses.from_derivatives(lambda y, raw: (raw - y, np.where(y > 5, -1.0, 1.0)))
    core_loss = LossAdapter(loss, for_classes=False).core_loss()
    core = _core.LossLearner(_core.Options(warm_up=4), [False], None, core_loss)
    core.learn(np.zeros((3, 1)), np.array([7.0, 2.0, 8.0]))
    with pytest.raises(_core.LossFailure) as caught:
        core.learn(np.zeros((1, 1)), np.array([1.0]))
    assert (caught.value.row, caught.value.y, caught.value.left_out) == (0, 7.0, 2)
    assert core.n_rows == 2
