"""Losses given as a function l(y, raw), whose derivatives JAX computes (extra ``jax``)."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np

from sgtrees.extras import install_command
from sgtrees.losses.base import Loss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.links import Link, LinkFunction

ScalarFunction: TypeAlias = Callable[[Any, Any], Any]

# Every call is padded to this many rows: JAX compiles once, and each row goes through the very same
# instructions whatever its place and however many rows come with it. The core passes this many.
_ROWS = 1024


class FromFunction(Loss):
    """The loss that `from_function` returns."""

    def __init__(
        self,
        function: ScalarFunction,
        link: Link | LinkFunction | str,
        hessian: ScalarFunction | None,
        is_joint: bool,
    ) -> None:
        self.link = link
        self.hessian_is_exact = hessian is None
        self.is_joint = is_joint
        self._compiled = _Compiled(function, hessian)

    def gradient_hessian(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:
        """Return the derivatives of the function."""
        g, h = self._compiled.in_blocks("derivatives", y, raw)
        return g, h

    def value(self, y: Floats, raw: Floats) -> Floats:
        """Return the function's values."""
        (values,) = self._compiled.in_blocks("value", y, raw)
        return values

    def __repr__(self) -> str:
        function = self._compiled.function
        return f"from_function({getattr(function, '__name__', function)})"


class _Compiled:
    """A function of (y, raw), its values and its derivatives for blocks of any length.

    y and raw are numbers, or vectors of the outputs of a row.

    It is compiled when it is first used, once for all copies of a loss (every model has a copy).
    """

    def __init__(self, function: ScalarFunction, hessian: ScalarFunction | None) -> None:
        self.function = function
        self.hessian = hessian

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.function, self.hessian)

    @cached_property
    def _functions(self) -> dict[str, Any]:
        jax, function, hessian = _jax(), self.function, self.hessian
        slope = jax.grad(function, argnums=1)

        def second_derivative(y: Any, raw: Any) -> Any:
            """Return the diagonal of the hessian, without the rest of it."""
            directions = jax.numpy.eye(raw.size).reshape(-1, *raw.shape)

            def along(direction: Any) -> Any:
                _, change = jax.jvp(lambda at: slope(y, at), (raw,), (direction,))
                return (change * direction).sum()

            return jax.vmap(along)(directions).reshape(raw.shape)

        curvature = second_derivative if hessian is None else hessian

        def derivatives(y: Any, raw: Any) -> tuple[Any, Any]:
            return slope(y, raw), curvature(y, raw)

        def value(y: Any, raw: Any) -> tuple[Any]:
            return (function(y, raw),)

        return {
            "derivatives": jax.jit(jax.vmap(derivatives)),
            "value": jax.jit(jax.vmap(value)),
        }

    @cached_property
    def _cpu(self) -> Any:
        return _jax().devices("cpu")[0]

    def in_blocks(self, which: str, y: Floats, raw: Floats) -> list[Floats]:
        n_rows = len(y)
        y, raw = (_padded(a, n_rows) for a in (y, raw))
        with _double_precision(self._cpu):
            blocks = [
                self._functions[which](y[begin : begin + _ROWS], raw[begin : begin + _ROWS])
                for begin in range(0, len(y), _ROWS)
            ]
        return [
            np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])[:n_rows]
            for parts in zip(*blocks, strict=True)
        ]


def _padded(values: Floats, n_rows: int) -> Floats:
    # With copies of a real row: another value may be outside the function's domain and warn.
    padded = np.empty((max(_ROWS, -(-n_rows // _ROWS) * _ROWS), *values.shape[1:]))
    padded[:n_rows] = values
    padded[n_rows:] = values[-1] if n_rows else 1.0
    return padded


def _jax() -> Any:
    try:
        import jax  # noqa: PLC0415 - an optional extra
        import jax.experimental  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            f"losses.from_function needs JAX: {install_command('jax')}, "
            "or give the derivatives yourself (losses.from_derivatives)"
        ) from error
    return jax


def _double_precision(device: Any) -> AbstractContextManager[Any]:
    """Compute in float64 on the CPU, inside this context only: JAX's own settings stay."""
    jax = _jax()
    stack = ExitStack()
    owner = jax if hasattr(jax, "enable_x64") else jax.experimental  # in older versions
    stack.enter_context(owner.enable_x64(True))
    stack.enter_context(jax.default_device(device))
    return stack


def from_function(
    function: ScalarFunction,
    *,
    link: Link | LinkFunction | str = "identity",
    hessian: ScalarFunction | None = None,
    joint: bool = False,
) -> Loss:
    """Make a loss from a function l(y, raw); JAX computes its derivatives.

    Parameters
    ----------
    function : callable
        ``l(y, raw)`` for one row: two numbers in, one number out, written with ``jax.numpy``
        (``jnp.where`` in place of ``if``). A model is pickled with the function's name, so for
        that it must be defined at the top of a module.
    link : {"identity", "exp", "logistic"} or callable, default="identity"
        From an array of raw scores (NumPy) to predictions.
    hessian : callable, optional
        ``h(y, raw) >= 0`` for one row, in place of the second derivative if that is negative
        or vanishes.
    joint : bool, default=False
        Whether the function takes all outputs of a row at once, if there are several: two
        vectors in, one number out. The hessian is the diagonal one. Otherwise the function is
        called for each output separately.

    Returns
    -------
    Loss
        The loss. It is compiled when it is first used, and computes in float64; JAX's settings
        do not change.

    Raises
    ------
    ImportError
        If JAX is not installed, when the loss is first used.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from sgtrees import SGTRegressor, losses
    >>> def poisson(y, raw):
    ...     return jnp.exp(raw) - y * raw
    >>> loss = losses.from_function(poisson, link="exp")
    >>> losses.check(loss, y=[0.0, 1.0, 7.0]).ok
    True
    >>> SGTRegressor(loss=loss).partial_fit([[1.0], [2.0]], [1.0, 4.0]).predict([[1.5]])
    array([2.5])

    All outputs of a row at once, here the distance between two points of the plane. Its second
    derivative vanishes far away, where Newton steps would be too long, so a surrogate is given:

    >>> def distance(y, raw):
    ...     return jnp.sqrt(1.0 + jnp.sum((raw - y) ** 2))
    >>> def curvature(y, raw):
    ...     return 1.0 / distance(y, raw) * jnp.ones_like(raw)
    >>> loss = losses.from_function(distance, joint=True, hessian=curvature)
    >>> y = [[0.0, 0.0], [4.0, 1.0]]
    >>> SGTRegressor(loss=loss).partial_fit([[1.0], [2.0]], y).predict([[1.5]]).round(6)
    array([[2. , 0.5]])
    """
    return FromFunction(function, link, hessian, joint)
