"""Losses under a logarithmic link: surrogates and domains."""

import pickle

import numpy as np
import pytest

from sgtrees import SGTRegressor, losses


@pytest.mark.parametrize("loss", [losses.Poisson(), losses.Gamma(), losses.Tweedie(power=1.2)])
def test_the_surrogate_of_a_log_linked_loss_never_passes_the_best_step(loss):
    random = np.random.default_rng(0)
    for _ in range(200):
        y = random.gamma(0.5, 10.0 ** random.uniform(-3, 3), size=20)
        start = random.uniform(-8, 8)
        g, h = loss.gradient_hessian(y, np.full(20, start))
        step, best = -g.sum() / h.sum(), np.log(y.mean()) - start
        assert abs(step) <= min(abs(best) * (1 + 1e-9), 2)
        assert step * best >= 0


DOMAINS = [
    ("poisson", -1.0, "must not be negative"),
    ("tweedie", -1.0, "must not be negative"),
    ("gamma", 0.0, "must be above 0"),
]


@pytest.mark.parametrize(("loss", "wrong", "message"), DOMAINS)
def test_targets_outside_the_domain_are_refused_by_the_first_row(loss, wrong, message):
    model = SGTRegressor(loss=loss, warm_up=2).partial_fit([[1.0]] * 3, [1.0, 2.0, 3.0])
    before = pickle.dumps(model._model.core.state())
    y = [1.0, wrong, 2.0, wrong]
    for learn in (model.partial_fit, model.learn_predict, model.fit):
        with pytest.raises(ValueError, match=rf"y is {wrong} in row 1; .* {message}"):
            learn([[1.0]] * 4, y)
    with pytest.raises(ValueError, match=message):
        model.learn_one({0: 1.0}, wrong)
    assert pickle.dumps(model._model.core.state()) == before
    model.learn_one({0: 1.0}, 5.0)
    assert model._model.core.n_rows == 4


def test_the_smallest_target_of_the_domain_is_learned_event_by_event():
    for loss, lowest in (("poisson", 0.0), ("gamma", 1e-50)):
        model = SGTRegressor(loss=loss).learn_one({0: 1.0}, lowest)
        assert model.learn_one({0: 1.0}, lowest)._model.core.n_rows == 2
