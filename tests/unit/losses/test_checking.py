"""What `losses.check` says."""

import numpy as np
import pytest

from sgtrees import losses


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
def test_the_check_says_what_is_wrong(case):
    loss, message = CASES[case]
    report = losses.check(loss)
    assert report.ok == bool(report) == (message is None), report
    if message is None:
        assert str(report).startswith("no problems found")
    else:
        assert message in report.problems[0]
        assert message in repr(report)


def test_the_check_says_what_it_compared():
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


def test_a_loss_that_accepts_no_target_is_told():
    class Picky(LogLoss):
        def check_y(self, y):
            losses.require(y > 1000, y, "must be large")

    assert "refuses all targets" in losses.check(Picky()).problems[0]


def test_jax_losses_pass_the_check():
    jnp = pytest.importorskip("jax.numpy")
    assert losses.check(losses.from_function(lambda y, raw: jnp.cosh(raw - y))).ok
    branch = losses.from_function(max)
    assert "TracerBoolConversionError" in losses.check(branch).problems[0]


def test_a_base_class_alone_says_what_is_missing():
    assert "must define gradient_hessian" in losses.check(losses.Loss()).problems[0]
    with pytest.raises(NotImplementedError, match="does not define value"):
        losses.Loss().value(np.zeros(1), np.zeros(1))


def test_the_generic_start_comes_back_from_where_a_step_overflows():
    class Poisson(losses.Loss):
        def gradient_hessian(self, y, raw):
            return np.exp(raw) - y, np.exp(raw)

    y = np.array([1e6, 3e6])
    assert Poisson().start(y, np.ones(2)) == pytest.approx(np.log(2e6))
    tiny = np.array([1e-6, 3e-6])
    assert Poisson().start(tiny, np.ones(2)) == pytest.approx(np.log(2e-6))
