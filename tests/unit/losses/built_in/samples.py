"""Every built-in loss with targets of its domain."""

import numpy as np
import pytest

from sgtrees import losses

NUMBERS = np.array([-7.5, -2.0, -0.3, 0.0, 0.4, 3.0, 40.0])


COUNTS = np.array([0.0, 0.2, 1.0, 3.0, 40.0])


AMOUNTS = np.array([0.01, 0.2, 1.0, 3.0, 40.0])


CLASSES = np.array([0.0, 1.0])


LOSSES = [
    (losses.SquaredError(), NUMBERS),
    (losses.AbsoluteError(scale=0.7), NUMBERS),
    (losses.AbsoluteError(), NUMBERS),
    (losses.Quantile(alpha=0.1, scale=0.7), NUMBERS),
    (losses.Quantile(alpha=0.9), NUMBERS),
    (losses.Huber(scale=1.7), NUMBERS),
    (losses.LogCosh(scale=1.7), NUMBERS),
    (losses.Poisson(), COUNTS),
    (losses.Gamma(), AMOUNTS),
    (losses.Tweedie(), COUNTS),
    (losses.Tweedie(power=1.9), COUNTS),
    (losses.LogLoss(), CLASSES),
    (losses.Focal(), CLASSES),
    (losses.Focal(gamma=0.5), CLASSES),
    (losses.Exponential(), CLASSES),
]


EVERY = pytest.mark.parametrize(("loss", "y"), LOSSES, ids=[repr(loss) for loss, _ in LOSSES])


EXACT = [pair for pair in LOSSES if pair[0].hessian_is_exact]


SURROGATES = [pair for pair in LOSSES if not pair[0].hessian_is_exact]


def jax_functions(jnp):
    """Return each loss as a scalar function, written with JAX."""

    def rounded(r, s):
        return jnp.where(jnp.abs(r) > s, jnp.abs(r), (r**2 / s + s) / 2)

    def margin(y, raw):
        return jnp.where(y > 0.5, raw, -raw)

    def log_p(m):
        return -jnp.logaddexp(0.0, -m)

    def tweedie(loss, y, raw):
        a, b = 2 - loss.power, 1 - loss.power
        return jnp.exp(a * raw) / a - y * jnp.exp(b * raw) / b

    def huber(loss, y, raw):
        r = jnp.abs(raw - y)
        return jnp.where(r <= loss.scale, r**2 / 2, loss.scale * r - loss.scale**2 / 2)

    def quantile(loss, y, raw):
        return (jnp.abs(raw - y) + (1 - 2 * loss.alpha) * (raw - y)) / 2

    return {
        "squared_error": lambda _, y, raw: (raw - y) ** 2 / 2,
        "absolute_error": lambda loss, y, raw: rounded(raw - y, loss.scale or 1.0),
        "quantile": quantile,
        "huber": huber,
        "log_cosh": lambda loss, y, raw: loss.scale**2 * jnp.log(jnp.cosh((raw - y) / loss.scale)),
        "poisson": lambda _, y, raw: jnp.exp(raw) - y * raw,
        "gamma": lambda _, y, raw: raw + y * jnp.exp(-raw),
        "tweedie": tweedie,
        "log_loss": lambda _, y, raw: -log_p(margin(y, raw)),
        "focal": lambda loss, y, raw: (
            -((1 - jnp.exp(log_p(margin(y, raw)))) ** loss.gamma) * log_p(margin(y, raw))
        ),
        "exponential": lambda _, y, raw: jnp.exp(-margin(y, raw)),
    }


def grid(y, n=41, width=4.0):
    """Return each target with raw scores around it (or around 0, for logarithms and odds)."""
    raw = np.linspace(-width, width, n) + 0.0123
    middle = y if np.ptp(y) > 1 and y.min() < 0 else np.zeros_like(y)
    return np.repeat(y, n), (middle[:, None] + raw).ravel()


def difference(function, raw, step=1e-4):
    at = [function(raw + k * step) for k in (-2, -1, 1, 2)]
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step)
