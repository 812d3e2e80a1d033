"""What the built-in losses share: the core computes derivatives, best constants and scales."""

from dataclasses import fields
from math import inf, nextafter
from typing import Any, ClassVar, Self

import numpy as np

from sgtrees import _core
from sgtrees.losses.base import Loss
from sgtrees.losses.derivatives import Floats
from sgtrees.targets.numbers import GREATEST_TARGET


class BuiltInLoss(Loss):
    """A loss that the core computes."""

    name: ClassVar[str]
    is_for_classes: ClassVar[bool] = False
    # Every number above this one, up to the greatest target, is in the domain.
    domain_above: ClassVar[float] = nextafter(-GREATEST_TARGET, -inf)

    def core_loss(self) -> _core.LossSpec:
        """Return the core's loss; ValueError if a parameter is out of range."""
        given = {name: value for name, value in self.get_params().items() if value is not None}
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise TypeError(f"loss {self!r}: {name} must be a number")
        return _core.LossSpec.built_in(self.name, {name: float(v) for name, v in given.items()})

    def gradient_hessian(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return the derivatives, as the core computes them."""
        y, raw = (np.ascontiguousarray(a, dtype=np.float64) for a in (y, raw))
        # A scale found in a warm-up is an attribute of the instance; 0 leaves it to the core.
        return self.core_loss().derivatives(y, raw, vars(self).get("scale_", 0.0))

    def find_scale(self, y: Floats, weight: Floats) -> float | None:
        """Return the scale that the core takes from a warm-up with these targets."""
        y, weight = (np.ascontiguousarray(a, dtype=np.float64) for a in (y, weight))
        return self.core_loss().find_scale(y, weight) or None

    def start(self, y: Floats, weight: Floats) -> float:
        """Return the best constant, as the core computes it."""
        y, weight = (np.ascontiguousarray(a, dtype=np.float64) for a in (y, weight))
        return self.core_loss().best_constant(y, weight)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's
        """Return the loss's parameters, for scikit-learn's clones and searches."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; a model that has started keeps those it started with."""
        for name, value in parameters.items():
            if name not in self.get_params():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}")
            setattr(self, name, value)
        return self
