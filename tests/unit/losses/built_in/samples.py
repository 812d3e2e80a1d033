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


def grid(y, n=41, width=4.0):
    """Return each target with raw scores around it (or around 0, for logarithms and odds)."""
    raw = np.linspace(-width, width, n) + 0.0123
    middle = y if np.ptp(y) > 1 and y.min() < 0 else np.zeros_like(y)
    return np.repeat(y, n), (middle[:, None] + raw).ravel()


def difference(function, raw, step=1e-4):
    at = [function(raw + k * step) for k in (-2, -1, 1, 2)]
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step)
