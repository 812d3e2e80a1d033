"""Best constants from derivatives alone."""

import numpy as np
import pytest

from sgtrees import losses
from tests.unit.losses.built_in.samples import EXACT
from tests.unit.losses.joint_losses import distance


def test_the_generic_start_comes_back_from_where_a_step_overflows():
    class Poisson(losses.Loss):
        def gradient_hessian(self, y, raw):
            return np.exp(raw) - y, np.exp(raw)

    y = np.array([1e6, 3e6])
    assert Poisson().start(y, np.ones(2)) == pytest.approx(np.log(2e6))
    tiny = np.array([1e-6, 3e-6])
    assert Poisson().start(tiny, np.ones(2)) == pytest.approx(np.log(2e-6))


def test_the_start_of_a_joint_loss_has_no_slope_left():
    random = np.random.default_rng(0)
    y, weight = random.normal(size=(200, 3)) ** 3, random.random(200) + 0.1
    loss = losses.from_derivatives(distance, joint=True)
    start = loss.start(y, weight)
    g, _ = distance(y, np.tile(start, (len(y), 1)))
    np.testing.assert_allclose(weight @ g, 0, atol=1e-9)
    # Where the outputs have nothing to do with each other it is that of each.
    squares = losses.from_derivatives(lambda y, raw: (raw - y, np.ones_like(raw)), joint=True)
    np.testing.assert_allclose(squares.start(y, weight), np.average(y, 0, weight), rtol=1e-12)


@pytest.mark.parametrize(("loss", "y"), EXACT, ids=[repr(loss) for loss, _ in EXACT])
def test_the_generic_start_agrees_with_the_cores(loss, y):
    random = np.random.default_rng(1)
    targets, weight = random.choice(y, 31), random.uniform(0.5, 2, 31)
    generic = losses.Loss.start(loss, targets, weight)
    assert generic == pytest.approx(loss.start(targets, weight), abs=1e-8)
