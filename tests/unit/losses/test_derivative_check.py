"""What `losses.check` reports."""

import numpy as np
import pytest

from sgtrees import losses
from tests.unit.losses.built_in.samples import EVERY
from tests.unit.losses.joint_losses import JOINT, ScaledDistance, distance, stream_of_outputs


def logistic(raw):
    return 1 / (1 + np.exp(-raw))


class LogLoss(losses.Loss):
    link = "logistic"

    def gradient_hessian(self, y, raw):
        p = logistic(raw)
        return p - y, p * (1 - p)

    def value(self, y, raw):
        return np.logaddexp(0, raw) - y * raw


def variant(**methods):
    return type("Variant", (LogLoss,), methods)()


CASES = {
    "right": (LogLoss(), None),
    "transformed, with a value": (
        variant(gradient_hessian=lambda _, y, p: (p - y, np.abs(p * (1 - p)))),
        "expect the prediction (after the link 'logistic')",
    ),
    "transformed, by its negative hessian": (
        losses.from_derivatives(lambda y, p: (p - y, p * (1 - p)), link="logistic"),
        "expect the prediction (after the link 'logistic')",
    ),
    "transformed, under exp": (
        lambda y, p: (p - y, p),
        "expect the prediction (after the link 'exp')",
    ),
    "value of the prediction": (
        variant(value=lambda _, y, p: -y * np.log(p) - (1 - y) * np.log(1 - p)),
        "value seems to take the prediction",
    ),
    "sign, with a value": (
        variant(gradient_hessian=lambda _, y, raw: (y - logistic(raw), np.ones_like(raw))),
        "wrong sign",
    ),
    "sign, without": (lambda y, raw: (y - raw, np.ones_like(raw)), "wrong sign"),
    "factor": (
        variant(gradient_hessian=lambda _, y, raw: (2 * (logistic(raw) - y), np.ones_like(raw))),
        "the gradient is 2 times the derivative of value",
    ),
    "another gradient": (
        variant(gradient_hessian=lambda _, y, raw: (np.tanh(raw - y), np.ones_like(raw))),
        "the gradient is not the derivative of value",
    ),
    "another hessian": (
        lambda y, raw: ((raw - y) ** 3, np.ones_like(raw)),
        "the hessian is not the derivative of the gradient",
    ),
    "surrogate": (
        losses.from_derivatives(
            lambda y, raw: ((raw - y) ** 3, np.ones_like(raw)), hessian_is_exact=False
        ),
        None,
    ),
    "negative": (lambda y, raw: (np.sin(raw - y), np.cos(raw - y)), "the hessian is negative"),
    "NaN": (lambda y, raw: (np.log(y) - raw, np.ones_like(raw)), "the gradient is nan for y = -2"),
    "shape": (lambda y, raw: ((raw - y)[None], np.ones_like(raw)), "has the shape (1, "),
    "no pair": (lambda y, raw: raw - y, "must return a pair"),
    "complex": (lambda y, raw: (raw - y + 0j, np.ones_like(raw)), "array of complex128"),
    "raises": (lambda y, raw: (raw - y).nothing, "raised AttributeError"),
    "means": (lambda y, raw: ((raw - y) / len(y), np.ones_like(raw)), "depend on the rows"),
    "value's shape": (variant(value=lambda _, y, raw: np.sum(raw - y)), "value has the shape ()"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_check_reports_what_is_wrong(case):
    loss, message = CASES[case]
    report = losses.check(loss)
    assert report.ok == bool(report) == (message is None), report
    if message is None:
        assert str(report).startswith("no problems found")
    else:
        assert message in report.problems[0]
        assert message in repr(report)


def test_the_check_reports_what_it_compared():
    assert losses.check(LogLoss()).notes == (
        "the gradient is the derivative of value",
        "the hessian is the derivative of the gradient",
    )
    assert "declared a surrogate" in losses.check("absolute_error").notes[-1]


def test_the_check_takes_names_functions_and_targets():
    assert losses.check("focal").ok
    assert losses.check("squared_error", y=1e6 + np.arange(200.0)).ok
    assert losses.check(losses.Gamma(), y=[3000.0, 4000.0, 90000.0]).ok
    logarithms = losses.from_derivatives(lambda y, raw: (raw - np.log(y), np.ones_like(raw)))
    assert not losses.check(logarithms).ok
    assert losses.check(logarithms, y=[1.0, 5.0]).ok
    with pytest.raises(ValueError, match="must not be negative"):
        losses.check("poisson", y=[-1.0])
    with pytest.raises(ValueError, match="loss == 'nothing'"):
        losses.check("nothing")


def test_a_loss_that_accepts_no_target_is_reported():
    class Picky(LogLoss):
        def check_y(self, y):
            losses.require(y > 1000, y, "must be large")

    assert "refuses all targets" in losses.check(Picky()).problems[0]


def test_jax_losses_pass_the_check():
    jnp = pytest.importorskip("jax.numpy")
    assert losses.check(losses.from_function(lambda y, raw: jnp.cosh(raw - y))).ok
    branch = losses.from_function(max)
    assert "TracerBoolConversionError" in losses.check(branch).problems[0]


@EVERY
def test_what_the_check_reports_for_the_built_in_losses(loss, y):
    report = losses.check(loss, y=None if loss.is_for_classes else y[np.abs(y) < 10])
    assert report.ok, report
    # Half way between gamma and Poisson the surrogate is the second derivative itself.
    if loss != losses.Tweedie(power=1.5):
        assert ("surrogate" in str(report)) is not loss.hessian_is_exact


# ---- joint losses --------------------------------------------------------------------------------


@pytest.mark.parametrize("with_targets", [False, True])
@pytest.mark.parametrize("case", ["derivatives", "JAX", "scaled"])
def test_a_joint_loss_that_is_right_is_in_order(case, with_targets):
    if case == "JAX":
        pytest.importorskip("jax")
    report = losses.check(JOINT[case](), stream_of_outputs()[1] if with_targets else None)
    assert report.ok, report
    assert "the hessian is the derivative of the gradient" in report.notes


def test_a_joint_loss_that_is_wrong_in_one_output_is_reported():
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
