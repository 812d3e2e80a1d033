"""The built-in losses: derivatives, starts, links and parameters."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from sgtrees import SGTClassifier, SGTRegressor, losses
from sgtrees.inspection import view_trees
from sgtrees.inspection.predictions import prediction
from sgtrees.losses.built_in import BY_NAME
from sgtrees.losses.links import read_link
from tests.unit.losses.built_in.samples import EVERY, LOSSES, difference, grid, jax_functions


def test_every_built_in_loss_is_tested_and_public():
    assert {type(loss) for loss, _ in LOSSES} == set(BY_NAME.values())
    assert {loss.__name__ for loss in BY_NAME.values()} < set(losses.__all__)


@EVERY
def test_the_gradient_is_the_derivative_of_the_value(loss, y):
    y, raw = grid(y)
    g, _ = loss.gradient_hessian(y, raw)
    np.testing.assert_allclose(
        g, difference(lambda raw: loss.value(y, raw), raw), rtol=1e-7, atol=1e-8
    )


@EVERY
def test_the_hessian_is_exact_where_the_loss_declares_it_and_never_negative(loss, y):
    y, raw = grid(y)
    _, h = loss.gradient_hessian(y, raw)
    assert (h >= 0).all()
    if loss.hessian_is_exact:
        slope = difference(lambda raw: loss.gradient_hessian(y, raw)[0], raw)
        np.testing.assert_allclose(h, slope, rtol=1e-7, atol=1e-8)


@EVERY
def test_jax_finds_the_same_derivatives(loss, y):
    jnp = pytest.importorskip("jax.numpy")
    function = jax_functions(jnp)[loss.name]
    theirs = losses.from_function(lambda y, raw: function(loss, y, raw))
    y, raw = grid(y)
    g, h = loss.gradient_hessian(y, raw)
    their_g, their_h = theirs.gradient_hessian(y, raw)
    np.testing.assert_allclose(g, their_g, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(loss.value(y, raw), theirs.value(y, raw), rtol=1e-10, atol=1e-12)
    if loss.hessian_is_exact:
        np.testing.assert_allclose(h, their_h, rtol=1e-10, atol=1e-12)


@EVERY
def test_the_start_is_the_best_constant(loss, y):
    random = np.random.default_rng(0)
    targets, weight = random.choice(y, 31), random.uniform(0.5, 2, 31)
    if loss.get_params().get("scale", 1.0) is None:
        loss = deepcopy(loss).set_params(scale=0.1)

    def total(raw):
        return weight @ loss.value(targets, np.full(31, raw))

    best = minimize_scalar(total, bounds=(-60, 60), method="bounded", options={"xatol": 1e-9})
    start = loss.start(targets, weight)
    # The median of a rounded loss is the best constant of the loss that is not rounded.
    exact = "scale" not in loss.get_params() or isinstance(loss, losses.Huber | losses.LogCosh)
    assert total(start) <= best.fun + 1e-9 * abs(best.fun) + (0.0 if exact else 2.0 * loss.scale)


@EVERY
def test_predictions_are_where_the_link_puts_them(loss, y):
    random = np.random.default_rng(0)
    X, targets = random.random((400, 2)), random.choice(y, 400)
    settings = {"warm_up": 50, "grace_period": 20, "delta": 0.1}
    if loss.is_for_classes:
        model = SGTClassifier(loss=loss, **settings).partial_fit(X, targets)
        predicted = model.predict_proba(X)
        np.testing.assert_allclose(predicted.sum(axis=1), 1)
        assert ((predicted >= 0) & (predicted <= 1)).all()
        return
    model = SGTRegressor(loss=loss, **settings)
    neutral = float(read_link(loss.link)(np.zeros(1))[0])
    assert model.predict_one({0: 1.0}) == neutral
    assert model.learn_predict(X, targets)[0] == neutral
    predicted = model.predict(X)
    if loss.link is not losses.Loss.link:
        assert predicted.min() > 0
    assert predicted.tolist() == [model.predict_one({0: a, 1: b}) for a, b in X.tolist()]


def test_trees_are_shown_as_they_predict():
    X, y = np.arange(200.0).reshape(-1, 1), np.repeat([1.0, 20.0], 100)
    model = SGTRegressor(loss="poisson", warm_up=50, gamma=0.0).fit(X, y)
    (tree,) = view_trees(model)
    shown = {prediction(tree, leaf) for leaf in tree.leaves}
    assert shown == set(model.predict(X).tolist())
    classes = SGTClassifier(loss="exponential", warm_up=50, gamma=0.0).fit(X, y > 10)
    (tree,) = view_trees(classes)
    shown = {prediction(tree, leaf, True) for leaf in tree.leaves}
    assert sorted(shown) == pytest.approx(sorted(set(classes.predict_proba(X)[:, 1].tolist())))


# ---- parameters ----------------------------------------------------------------------------------


def test_losses_are_parameters_like_others():
    model = SGTRegressor(loss=losses.Quantile(alpha=0.9))
    assert repr(model) == "SGTRegressor(loss=Quantile(alpha=0.9, scale=None))"
    assert "Quantile" in model._repr_html_()
    assert clone(model).loss == model.loss
    assert clone(model).loss is not model.loss
    assert model.get_params()["loss__alpha"] == 0.9
    model.set_params(loss__alpha=0.2)
    assert model.loss == losses.Quantile(alpha=0.2)
    with pytest.raises(ValueError, match="no parameter 'beta'"):
        model.loss.set_params(beta=1)


def test_a_model_keeps_the_parameters_that_it_started_with():
    X, y = np.random.default_rng(0).random((300, 1)), np.random.default_rng(1).random(300)
    model, other = (SGTRegressor(loss=losses.Quantile(alpha=0.9), warm_up=100) for _ in range(2))
    for estimator in (model, other):
        estimator.partial_fit(X, y)
    model.set_params(loss__alpha=0.1)
    twin = pickle.loads(pickle.dumps(model)).partial_fit(X, y)
    assert twin.predict(X).tolist() == other.partial_fit(X, y).predict(X).tolist()


def test_a_grid_search_over_losses_and_their_parameters():
    X, y = np.random.default_rng(0).random((300, 1)), np.random.default_rng(1).random(300)
    model = SGTRegressor(loss=losses.Quantile(), epochs=1)
    search = GridSearchCV(model, {"loss__alpha": [0.05, 0.5]}, scoring="r2", cv=3).fit(X, y)
    assert search.best_params_ == {"loss__alpha": 0.5}


@pytest.mark.parametrize(
    "loss", ["absolute_error", losses.Quantile(alpha=0.9), "huber", "log_cosh", "poisson"]
)
def test_a_copy_learns_on_as_the_original_does(loss):
    random = np.random.default_rng(0)
    X, y = random.random((600, 2)), random.poisson(3.0, 600)
    model = SGTRegressor(loss=loss, warm_up=100, grace_period=50, delta=0.1)
    model.partial_fit(X[:300], y[:300])
    copies = [pickle.loads(pickle.dumps(model)), deepcopy(model)]
    expected = model.partial_fit(X[300:], y[300:]).predict(X).tolist()
    for copy in copies:
        assert copy.loss_scale_ == model.loss_scale_
        assert copy.partial_fit(X[300:], y[300:]).predict(X).tolist() == expected
