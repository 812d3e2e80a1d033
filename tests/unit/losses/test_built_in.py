"""The built-in losses: derivatives, bounds, starts, domains, parameters."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from sgtrees import SGTClassifier, SGTRegressor, losses
from sgtrees.inspection import view_trees
from sgtrees.inspection.words import prediction
from sgtrees.losses.built_in import BY_NAME
from sgtrees.losses.links import read_link

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


def test_every_built_in_loss_is_tested():
    assert {type(loss) for loss, _ in LOSSES} == set(BY_NAME.values())


@EVERY
def test_the_gradient_is_the_derivative_of_the_value(loss, y):
    y, raw = grid(y)
    g, _ = loss.gradient_hessian(y, raw)
    np.testing.assert_allclose(
        g, difference(lambda raw: loss.value(y, raw), raw), rtol=1e-7, atol=1e-8
    )


@EVERY
def test_the_hessian_is_that_of_the_loss_where_it_says_so_and_never_negative(loss, y):
    y, raw = grid(y)
    _, h = loss.gradient_hessian(y, raw)
    assert (h >= 0).all()
    if loss.hessian_is_exact:
        slope = difference(lambda raw: loss.gradient_hessian(y, raw)[0], raw)
        np.testing.assert_allclose(h, slope, rtol=1e-7, atol=1e-8)


# The others' surrogates are not those of a parabola above the loss.
OTHER_SURROGATES = losses.Focal | losses.Poisson | losses.Gamma | losses.Tweedie
REWEIGHTED = [pair for pair in SURROGATES if not isinstance(pair[0], OTHER_SURROGATES)]


@pytest.mark.parametrize(("loss", "y"), REWEIGHTED, ids=[repr(loss) for loss, _ in REWEIGHTED])
def test_the_surrogates_parabola_touches_the_loss_and_lies_above_it(loss, y):
    y, raw = grid(y, n=15)
    g, h = loss.gradient_hessian(y, raw)
    for v in np.linspace(-9, 9, 41):
        parabola = loss.value(y, raw) + g * v + h * v**2 / 2
        assert (loss.value(y, raw + v) <= parabola + 1e-9).all()


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


@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0, 5.0])
def test_the_surrogate_of_focal_loss_bounds_the_second_derivative(gamma):
    loss = losses.Focal(gamma=gamma)
    y, raw = grid(CLASSES, n=201, width=8.0)
    _, h = loss.gradient_hessian(y, raw)
    slope = difference(lambda raw: loss.gradient_hessian(y, raw)[0], raw)
    assert slope.min() < 0
    assert (h >= slope - 1e-8).all()


def jax_functions(jnp):
    """Return each loss as a scalar function in JAX's words."""

    def rounded(r, s):
        return jnp.where(jnp.abs(r) > s, jnp.abs(r), (r**2 / s + s) / 2)

    def margin(y, raw):
        return jnp.where(y > 0.5, raw, -raw)

    def log_p(m):
        return -jnp.logaddexp(0.0, -m)

    def tweedie(loss, y, raw):
        a, b = 2 - loss.power, 1 - loss.power
        return jnp.exp(a * raw) / a - y * jnp.exp(b * raw) / b

    def huber(loss, y, raw):
        r = jnp.abs(raw - y)
        return jnp.where(r <= loss.scale, r**2 / 2, loss.scale * r - loss.scale**2 / 2)

    def quantile(loss, y, raw):
        return (rounded(raw - y, loss.scale or 1.0) + (1 - 2 * loss.alpha) * (raw - y)) / 2

    return {
        "squared_error": lambda _, y, raw: (raw - y) ** 2 / 2,
        "absolute_error": lambda loss, y, raw: rounded(raw - y, loss.scale or 1.0),
        "quantile": quantile,
        "huber": huber,
        "log_cosh": lambda loss, y, raw: loss.scale**2 * jnp.log(jnp.cosh((raw - y) / loss.scale)),
        "poisson": lambda _, y, raw: jnp.exp(raw) - y * raw,
        "gamma": lambda _, y, raw: raw + y * jnp.exp(-raw),
        "tweedie": tweedie,
        "log_loss": lambda _, y, raw: -log_p(margin(y, raw)),
        "focal": lambda loss, y, raw: (
            -((1 - jnp.exp(log_p(margin(y, raw)))) ** loss.gamma) * log_p(margin(y, raw))
        ),
        "exponential": lambda _, y, raw: jnp.exp(-margin(y, raw)),
    }


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


@pytest.mark.parametrize(("loss", "y"), EXACT, ids=[repr(loss) for loss, _ in EXACT])
def test_the_generic_start_agrees_with_the_cores(loss, y):
    random = np.random.default_rng(1)
    targets, weight = random.choice(y, 31), random.uniform(0.5, 2, 31)
    generic = losses.Loss.start(loss, targets, weight)
    assert generic == pytest.approx(loss.start(targets, weight), abs=1e-8)


@EVERY
def test_what_the_check_says_of_the_built_in_losses(loss, y):
    report = losses.check(loss, y=None if loss.is_for_classes else y[np.abs(y) < 10])
    assert report.ok, report
    # Half way between gamma and Poisson the surrogate is the second derivative itself.
    if loss != losses.Tweedie(power=1.5):
        assert ("surrogate" in str(report)) is not loss.hessian_is_exact


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


# ---- domains -------------------------------------------------------------------------------------

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
    for loss, lowest in (("poisson", 0.0), ("gamma", 5e-324)):
        model = SGTRegressor(loss=loss).learn_one({0: 1.0}, lowest)
        assert model.learn_one({0: 1.0}, lowest)._model.core.n_rows == 2


# ---- parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        ("log_loss", ValueError, "loss == 'log_loss', must be 'squared_error', 'absolute_error'"),
        (losses.Focal(), ValueError, "is one for SGTClassifier"),
        (losses.Quantile, TypeError, r"give a loss: loss=Quantile\(\)"),
        (losses.Quantile(alpha=1.0), ValueError, "alpha is out of range"),
        (losses.Tweedie(power=2.0), ValueError, "power is out of range"),
        (losses.Huber(scale=-1.0), ValueError, "scale is out of range"),
        (losses.Huber(scale="1"), TypeError, "scale must be a number"),
        (7, ValueError, "loss == 7"),
    ],
)
def test_a_wrong_loss_is_refused(loss, error, message):
    model = SGTRegressor(loss=loss)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(error, match=message):
            learn([[1.0]], [1.0])
    assert model._model is None


def test_a_loss_for_numbers_is_refused_by_the_classifier():
    with pytest.raises(ValueError, match="is one for SGTRegressor"):
        SGTClassifier(loss=losses.Poisson()).fit([[1.0]], [1])
    with pytest.raises(ValueError, match="must be 'log_loss', 'focal', 'exponential'"):
        SGTClassifier(loss="poisson").fit([[1.0]], [1])


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


def test_the_scale_is_taken_from_the_warm_up_or_given():
    y = np.array([0.0, 0.0, 2.0, 8.0])
    model = SGTRegressor(loss="absolute_error", warm_up=4).partial_fit([[1.0]] * 4, y)
    assert model.loss_scale_ == pytest.approx(0.1 * 2.5)
    given = SGTRegressor(loss=losses.Huber(scale=3.0), warm_up=4).partial_fit([[1.0]] * 4, y)
    assert given.loss_scale_ == 3.0
    assert SGTRegressor().partial_fit([[1.0]], [1.0]).loss_scale_ == 0.0
