"""Losses of the residual: surrogates and scales."""

import numpy as np
import pytest

from sgtrees import SGTRegressor, losses
from tests.unit.losses.built_in.samples import SURROGATES, grid

# The others' surrogates are not those of a parabola above the loss.
OTHER_SURROGATES = losses.Focal | losses.Poisson | losses.Gamma | losses.Tweedie | losses.Quantile


REWEIGHTED = [pair for pair in SURROGATES if not isinstance(pair[0], OTHER_SURROGATES)]


@pytest.mark.parametrize(("loss", "y"), REWEIGHTED, ids=[repr(loss) for loss, _ in REWEIGHTED])
def test_the_surrogates_parabola_touches_the_loss_and_lies_above_it(loss, y):
    y, raw = grid(y, n=15)
    g, h = loss.gradient_hessian(y, raw)
    for v in np.linspace(-9, 9, 41):
        parabola = loss.value(y, raw) + g * v + h * v**2 / 2
        assert (loss.value(y, raw + v) <= parabola + 1e-9).all()


def test_the_scale_is_taken_from_the_warm_up_or_given():
    y = np.array([0.0, 0.0, 2.0, 8.0])
    model = SGTRegressor(loss="absolute_error", warm_up=4).partial_fit([[1.0]] * 4, y)
    assert model.loss_scale_ == pytest.approx(0.1 * 2.5)
    given = SGTRegressor(loss=losses.Huber(scale=3.0), warm_up=4).partial_fit([[1.0]] * 4, y)
    assert given.loss_scale_ == 3.0
    assert SGTRegressor().partial_fit([[1.0]], [1.0]).loss_scale_ == 0.0
