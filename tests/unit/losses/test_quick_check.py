"""A loss that is wrong is refused before the first row is learned."""

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor, losses
from sgtrees.losses.quick_check import quick_check
from tests.fingerprint import fingerprint
from tests.unit.losses.custom_losses import OwnQuantile, Poisson, log_loss, squared_error
from tests.unit.losses.joint_losses import (
    QuantileOfOne,
    ScaledDistance,
    distance,
    stream_of_outputs,
)


class Raises(losses.Loss):
    def gradient_hessian(self, y, raw):
        raise ZeroDivisionError("oh")


WRONG = {
    "no pair": (lambda _, raw: raw, "must return a pair"),
    "three": (lambda _, raw: (raw, raw, raw), "it returned 3 values"),
    "scalar": (lambda y, raw: (raw - y, 1.0), "hessian is a single number"),
    "column": (lambda y, raw: ((raw - y)[:, None], raw), r"shape \(3, 1\) for 3 rows"),
    "strings": (lambda _, raw: (raw.astype(str), raw), "array of <U"),
    "NaN": (lambda _, raw: (raw * np.nan, np.ones_like(raw)), "gradient is nan for y = 1.0"),
    "negative": (lambda y, raw: (raw - y, -np.ones_like(raw)), "hessian is negative"),
    "sign": (lambda y, raw: (y - raw, np.ones_like(raw)), "wrong sign"),
    "means": (lambda y, raw: (raw - y.mean(), np.ones_like(raw)), "depend on the rows"),
    "raises": (Raises(), "raised ZeroDivisionError: oh"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_loss_is_refused_before_the_first_row(case):
    loss, message = WRONG[case]
    model = SGTRegressor(loss=loss)
    for learn in (model.fit, model.partial_fit, model.learn_predict):
        with pytest.raises(losses.LossError, match=message):
            learn([[1.0]] * 3, [1.0, 2.0, 4.0])
    assert model._model is None


def test_a_wrong_start_or_link_is_refused_before_the_first_row():
    class Start(Poisson):
        def start(self, y, weight):
            return np.nan

    class TooShort(Poisson):
        def link(self, raw):
            return raw[:1]

    for loss, message in ((Start(), "start is nan"), (TooShort(), "a finite number for each")):
        model = SGTRegressor(loss=loss)
        with pytest.raises(losses.LossError, match=message):
            model.partial_fit([[1.0]], [1.0])
        assert model._model is None
    with pytest.raises(ValueError, match="link == 'log'"):
        SGTRegressor(loss=losses.from_derivatives(squared_error, link="log")).fit([[1.0]], [1.0])


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf, "1"])
def test_a_wrong_scale_is_refused_before_the_first_row(wrong):
    class Wrong(OwnQuantile):
        def find_scale(self, y, weight):
            return wrong

    model = SGTRegressor(loss=Wrong(0.5))
    with pytest.raises(losses.LossError, match=r"find_scale gave .* for 1 targets; a scale is"):
        model.partial_fit([[1.0]], [1.0])
    assert model._model is None


def test_a_classifier_needs_a_link_to_probabilities():
    loss = losses.from_derivatives(log_loss)
    with pytest.raises(losses.LossError, match="must give probabilities of class 1"):
        SGTClassifier(loss=loss).fit([[1.0], [2.0]], [0, 1])
    right = losses.from_derivatives(log_loss, link="logistic")
    SGTClassifier(loss=right).fit([[1.0], [2.0]], [0, 1])


# ---- joint losses --------------------------------------------------------------------------------


WRONG_JOINT = {
    "shape": (lambda _, raw: (raw[:, 0], raw), r"must be \(64, 3\), one number for each row and"),
    "negative": (lambda y, raw: (raw - y, -np.ones_like(raw)), "hessian is negative"),
    "sign": (lambda y, raw: (y - raw, np.ones_like(raw)), "wrong sign"),
    "means": (lambda y, raw: (raw - y.mean(0), np.ones_like(raw)), "depend on the rows"),
}


@pytest.mark.parametrize("case", WRONG_JOINT)
def test_a_wrong_joint_loss_is_refused(case):
    function, message = WRONG_JOINT[case]
    _, y = stream_of_outputs()
    with pytest.raises(losses.LossError, match=message):
        quick_check(losses.from_derivatives(function, joint=True), y, None, for_classes=False)
    quick_check(losses.from_derivatives(distance, joint=True), y, None, for_classes=False)
    quick_check(QuantileOfOne(), y, None, for_classes=False)


def test_a_wrong_start_of_a_joint_loss_is_refused():
    class Start(ScaledDistance):
        def start(self, y, weight):
            return 0.0

    with pytest.raises(losses.LossError, match=r"start is 0\.0 for the first 64 targets"):
        quick_check(Start(), stream_of_outputs()[1], None, for_classes=False)


@pytest.mark.parametrize("case", WRONG_JOINT)
def test_a_wrong_joint_loss_is_refused_on_the_first_block(case):
    function, message = WRONG_JOINT[case]
    X, y = stream_of_outputs(100)
    model = SGTRegressor(loss=losses.from_derivatives(function, joint=True))
    with pytest.raises(losses.LossError, match=message):
        model.partial_fit(X, y)
    assert fingerprint(model) is None
