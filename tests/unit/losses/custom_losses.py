"""Custom losses of one output, and streams for them."""

import numpy as np
import pytest

from sgtrees import losses

QUICK = {"warm_up": 60, "grace_period": 20, "delta": 0.1, "gamma": 0.01}


def squared_error(y, raw):
    return raw - y, np.ones_like(raw)


def log_loss(y, raw):
    p = 1 / (1 + np.exp(-raw))
    return p - y, p * (1 - p)


def wavy(y, raw):
    """Derivatives of a loss with exponentials, in which the last digit would show."""
    z = np.exp(0.3 * (raw - y))
    return (z - 1 / z) / 3, 0.1 * (z + 1 / z)


class Poisson(losses.Loss):
    link = "exp"
    hessian_is_exact = False

    def gradient_hessian(self, y, raw):
        return np.exp(raw) - y, (np.exp(raw) + y) / 2

    def value(self, y, raw):
        return np.exp(raw) - y * raw

    def start(self, y, weight):
        return np.log(np.average(y, weights=weight))

    def check_y(self, y):
        losses.require(y >= 0, y, "must not be negative")


def jax_wavy(y, raw):
    jnp = pytest.importorskip("jax.numpy")
    return 2 / 0.9 * jnp.cosh(0.3 * (raw - y)) + jnp.sin(raw) ** 2 / 50


class OwnQuantile(losses.Loss):
    """What `losses.Quantile` is, written in Python, to leaves that keep no rows."""

    hessian_is_exact = False

    def __init__(self, alpha):
        self.alpha = alpha

    def find_scale(self, y, weight):
        return 0.3 * losses.spread(y, weight)

    def gradient_hessian(self, y, raw):
        r = raw - y
        return 0.5 * (np.sign(r) + 1 - 2 * self.alpha), 0.5 / (np.abs(r) + self.scale_)

    def start(self, y, weight):
        return losses.weighted_quantile(y, weight, self.alpha)


def stream(n=700, seed=0):
    random = np.random.default_rng(seed)
    X = random.random((n, 3))
    return X, 4.0 * (X[:, 0] > 0.5) + 2.0 * (X[:, 1] > 0.3) + random.random(n)


def labelled(n=700, seed=0):
    random = np.random.default_rng(seed)
    X = random.random((n, 3))
    return X, np.where(X[:, 0] + 0.1 * random.normal(size=n) > 0.5, "yes", "no")


def own_losses():
    yield "function", lambda: squared_error
    yield "wavy", lambda: wavy
    yield "subclass", Poisson
    yield "JAX", lambda: losses.from_function(jax_wavy)


OWN = pytest.mark.parametrize("make", [make for _, make in own_losses()], ids=dict(own_losses()))


def skip_without_jax(loss):
    if type(loss).__name__ == "FromFunction":
        pytest.importorskip("jax")
