"""Losses whose derivatives JAX computes."""

import copy

import numpy as np
import pytest
from sklearn.base import clone

from sgtrees import SGTRegressor, losses
from tests.unit.losses.custom_losses import QUICK, jax_wavy, stream
from tests.unit.losses.joint_losses import distance, jax_distance


def test_jax_gives_a_row_the_same_derivatives_in_blocks_of_any_size():
    pytest.importorskip("jax")
    random = np.random.default_rng(0)
    y, raw = random.normal(size=(2, 2500))
    loss = losses.from_function(jax_wavy)
    g, h = loss.gradient_hessian(y, raw)
    assert g.dtype == h.dtype == np.float64
    for n in (1, 2, 7, 1000, 1024, 1025):
        for begin in (0, 3, 1300):
            piece = slice(begin, begin + n)
            part_g, part_h = loss.gradient_hessian(y[piece], raw[piece])
            assert part_g.tobytes() == g[piece].tobytes()
            assert part_h.tobytes() == h[piece].tobytes()
    assert [len(a) for a in loss.gradient_hessian(y[:0], raw[:0])] == [0, 0]


def test_jax_stays_as_it_was():
    jnp = pytest.importorskip("jax.numpy")
    losses.from_function(jax_wavy).value(np.zeros(1), np.zeros(1))
    assert jnp.asarray(1.0).dtype == np.float32


def test_a_jax_loss_is_compiled_once_for_all_models_that_have_it():
    jnp = pytest.importorskip("jax.numpy")
    traced = []

    def squared(y, raw):
        traced.append(1)
        return (raw - y) ** 2 / 2 + 0 * jnp.abs(y)

    X, y = stream()
    model = SGTRegressor(loss=losses.from_function(squared), **QUICK).partial_fit(X, y)
    once = len(traced)
    clone(model).partial_fit(X, y)
    copy.deepcopy(model).partial_fit(X, y)
    assert 0 < once == len(traced)


def test_a_surrogate_hessian_goes_with_a_function_too():
    pytest.importorskip("jax")
    loss = losses.from_function(lambda y, raw: (raw - y) ** 4, hessian=lambda y, raw: 7.0 + 0 * raw)
    assert not loss.hessian_is_exact
    g, h = loss.gradient_hessian(np.zeros(2), np.array([1.0, 2.0]))
    assert (g.tolist(), h.tolist()) == ([4.0, 32.0], [7.0, 7.0])


def test_jax_finds_the_diagonal_of_the_hessian():
    pytest.importorskip("jax")
    random = np.random.default_rng(0)
    y, raw = random.normal(size=(2, 2500, 4))
    expected = distance(y, raw)
    loss = losses.from_function(jax_distance, joint=True)
    found = loss.gradient_hessian(y, raw)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(loss.value(y, raw), np.sqrt(1 + ((raw - y) ** 2).sum(axis=1)))
    for n in (1, 7, 1024, 1025):
        part = loss.gradient_hessian(y[3 : 3 + n], raw[3 : 3 + n])
        assert [a.tobytes() for a in part] == [a[3 : 3 + n].tobytes() for a in found]
    with_surrogate = losses.from_function(
        jax_distance, joint=True, hessian=lambda y, raw: 1 / jax_distance(y, raw) + 0 * raw
    )
    assert not with_surrogate.hessian_is_exact
    np.testing.assert_allclose(
        with_surrogate.gradient_hessian(y, raw)[1][:, 2], 1 / loss.value(y, raw), rtol=1e-12
    )
