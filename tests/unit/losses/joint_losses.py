"""Custom losses where there are several outputs: of each output, and joint ones."""

import numpy as np
import pytest

from sgtrees import _core, losses
from sgtrees.losses.adapter import LossAdapter
from tests.unit.losses.custom_losses import QUICK

N_OUTPUTS = 3


def stream_of_outputs(n=700, seed=0):
    random = np.random.default_rng(seed)
    X = random.random((n, 3))
    y = np.column_stack([4.0 * (X[:, j] > 0.5) + random.random(n) for j in range(N_OUTPUTS)])
    return X, y * np.array([1.0, 10.0, 0.1])


def distance(y, raw):
    """Derivatives of sqrt(1 + |raw - y|^2), one matter of all outputs."""
    r = raw - y
    d = np.sqrt(1.0 + (r**2).sum(axis=1, keepdims=True))
    return r / d, (d**2 - r**2) / d**3


def jax_distance(y, raw):
    jnp = pytest.importorskip("jax.numpy")
    return jnp.sqrt(1.0 + jnp.sum((raw - y) ** 2))


class QuantileOfOne(losses.Loss):
    """The built-in one, as someone would write it for a single output."""

    hessian_is_exact = False

    def find_scale(self, y, weight):
        assert y.ndim == 1
        return 0.3 * losses.spread(y, weight)

    def gradient_hessian(self, y, raw):
        assert y.ndim == raw.ndim == 1
        r = raw - y
        return 0.5 * np.sign(r) - 0.3, 0.5 / (np.abs(r) + self.scale_)

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


JOINT = {
    "derivatives": lambda: losses.from_derivatives(distance, joint=True),
    "JAX": lambda: losses.from_function(jax_distance, joint=True),
    "scaled": ScaledDistance,
    "apart": QuantileOfOne,
}


def learner(loss, **changed):
    if isinstance(loss, losses.Loss) and not isinstance(loss, losses.Quantile):
        core_loss = LossAdapter(loss, for_classes=False).core_loss()
    else:
        core_loss = loss.core_loss()
    options = _core.Options(**QUICK | changed)
    return _core.LossLearner(options, [False] * 3, None, core_loss, N_OUTPUTS)


def state(core):
    return {name: array.tobytes() for name, array in core.state().items()}
