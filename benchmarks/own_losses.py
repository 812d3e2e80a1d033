"""Log loss, as the core has it and as someone would write it in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from sgtrees import losses

BUILT_IN, NUMPY, JAX = "built-in", "NumPy", "JAX"


def make(kind: str) -> Any:
    """Return what an estimator takes as its loss; one of JAX is compiled already."""
    if kind == BUILT_IN:
        return "log_loss"
    if kind == NUMPY:
        return numpy_log_loss
    import jax.numpy as jnp  # noqa: PLC0415 - an optional extra

    loss = losses.from_function(lambda y, raw: jnp.logaddexp(0.0, raw) - y * raw, link="logistic")
    loss.gradient_hessian(np.zeros(1), np.zeros(1))
    return loss


def numpy_log_loss(y: Any, raw: Any) -> tuple[Any, Any]:
    p = 1 / (1 + np.exp(-raw))
    return p - y, p * (1 - p)
