"""Losses of one's own: functions, subclasses, JAX; exact in blocks; errors that say which row."""

import contextlib
import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from sgtrees import SGTClassifier, SGTRegressor, losses
from tests.unit.fingerprint import fingerprint

QUICK = {"warm_up": 60, "grace_period": 20, "delta": 0.1, "gamma": 0.01}


def squared_error(y, raw):
    return raw - y, np.ones_like(raw)


def log_loss(y, raw):
    p = 1 / (1 + np.exp(-raw))
    return p - y, p * (1 - p)


def wavy(y, raw):
    """Derivatives of a loss with exponentials, in which the last digit would show."""
    z = np.exp(0.3 * (raw - y))
    return (z - 1 / z) / 3, 0.1 * (z + 1 / z)


class Poisson(losses.Loss):
    link = "exp"
    hessian_is_exact = False

    def gradient_hessian(self, y, raw):
        return np.exp(raw) - y, (np.exp(raw) + y) / 2

    def value(self, y, raw):
        return np.exp(raw) - y * raw

    def start(self, y, weight):
        return np.log(np.average(y, weights=weight))

    def check_y(self, y):
        losses.require(y >= 0, y, "must not be negative")


def jax_wavy(y, raw):
    jnp = pytest.importorskip("jax.numpy")
    return 2 / 0.9 * jnp.cosh(0.3 * (raw - y)) + jnp.sin(raw) ** 2 / 50


def stream(n=700, seed=0):
    random = np.random.default_rng(seed)
    X = random.random((n, 3))
    return X, 4.0 * (X[:, 0] > 0.5) + 2.0 * (X[:, 1] > 0.3) + random.random(n)


def own_losses():
    yield "function", lambda: squared_error
    yield "wavy", lambda: wavy
    yield "subclass", Poisson
    yield "JAX", lambda: losses.from_function(jax_wavy)


OWN = pytest.mark.parametrize("make", [make for _, make in own_losses()], ids=dict(own_losses()))


def skip_without_jax(loss):
    if type(loss).__name__ == "FromFunction":
        pytest.importorskip("jax")


# ---- the same as the built-in ones, and the same in blocks ---------------------------------------


@pytest.mark.parametrize(
    ("own", "name"), [(squared_error, "squared_error"), (Poisson(), "poisson")]
)
def test_a_loss_of_ones_own_grows_the_built_in_ones_tree(own, name):
    X, y = stream()
    ours = SGTRegressor(loss=own, **QUICK).partial_fit(X, y)
    theirs = SGTRegressor(loss=name, **QUICK).partial_fit(X, y)
    assert ours.n_splits_ == theirs.n_splits_ > 0
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


@OWN
def test_a_block_its_parts_and_its_rows_give_the_same_model_bit_for_bit(make):
    skip_without_jax(make())
    X, y = stream()
    whole = SGTRegressor(loss=make(), **QUICK)
    predicted = whole.learn_predict(X, y)
    parts = SGTRegressor(loss=make(), **QUICK)
    in_parts = np.concatenate(
        [parts.learn_predict(X[i : i + 37], y[i : i + 37]) for i in range(0, len(y), 37)]
    )
    rows = SGTRegressor(loss=make(), **QUICK).partial_fit(X[:1], y[:1])
    for x, target in zip(X[1:].tolist(), y[1:].tolist(), strict=True):
        rows.learn_one(dict(enumerate(x)), target)
    assert whole.n_splits_ > 0
    assert fingerprint(whole) == fingerprint(parts) == fingerprint(rows)
    assert predicted.tobytes() == in_parts.tobytes()


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


def test_rows_of_weight_zero_are_passed_over():
    X, y = stream()
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.5)
    kept = weights > 0
    weighted = SGTRegressor(loss=squared_error, **QUICK).partial_fit(X, y, sample_weight=weights)
    without = SGTRegressor(loss=squared_error, **QUICK)
    without.partial_fit(X[kept], y[kept], sample_weight=weights[kept])
    assert fingerprint(weighted) == fingerprint(without)


# ---- scales --------------------------------------------------------------------------------------


class OwnQuantile(losses.Loss):
    """What `losses.Quantile` is, written in Python."""

    hessian_is_exact = False

    def __init__(self, alpha):
        self.alpha = alpha

    def find_scale(self, y, weight):
        return 0.1 * losses.spread(y, weight)

    def gradient_hessian(self, y, raw):
        h = 0.5 / np.maximum(np.abs(raw - y), self.scale_)
        return h * (raw - y) + 0.5 * (1 - 2 * self.alpha), h

    def start(self, y, weight):
        return losses.weighted_quantile(y, weight, self.alpha)


class SubclassedHuber(losses.Huber):
    """A subclass of a built-in loss is written in Python too."""


SCALED = [
    (lambda: OwnQuantile(0.8), losses.Quantile(alpha=0.8)),
    (SubclassedHuber, losses.Huber()),
    (lambda: SubclassedHuber(scale=3.0), losses.Huber(scale=3.0)),
]


@pytest.mark.parametrize(("make", "built_in"), SCALED, ids=["own", "subclass", "given"])
def test_a_loss_of_ones_own_takes_its_scale_from_the_warm_up_as_the_built_in_one_does(
    make, built_in
):
    X, y = stream()
    ours, theirs = SGTRegressor(loss=make(), **QUICK), SGTRegressor(loss=built_in, **QUICK)
    for begin in range(0, len(y), 35):  # the second block ends the warm-up
        rows = slice(begin, begin + 35)
        predicted = [model.learn_predict(X[rows], y[rows]) for model in (ours, theirs)]
        np.testing.assert_allclose(*predicted, rtol=1e-9)
        if begin >= 35:
            assert ours.loss_scale_ == theirs.loss_scale_ > 0
    assert ours.n_splits_ == theirs.n_splits_ > 0


@pytest.mark.parametrize(("make", "built_in"), SCALED, ids=["own", "subclass", "given"])
def test_a_scale_is_saved_and_the_estimators_own_loss_stays_as_it_was(make, built_in):
    X, y = stream()
    loss = make()
    model = SGTRegressor(loss=loss, **QUICK).partial_fit(100 * X[:300], 100 * y[:300])
    assert model.loss_scale_ != loss.scale_ == 1.0
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin.loss_scale_ == model.loss_scale_
        twin.partial_fit(X[300:], y[300:])
        again = copy.deepcopy(model).partial_fit(X[300:], y[300:])
        assert fingerprint(twin) == fingerprint(again)
    assert clone(model).fit(X, y).loss_scale_ != model.loss_scale_ or built_in.scale is not None


def test_without_a_warm_up_the_scale_is_one():
    X, y = stream()
    model = SGTRegressor(loss=OwnQuantile(0.5), feature_ranges=(0.0, 1.0)).partial_fit(X, y)
    assert model.loss_scale_ == 1.0


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf, "1"])
def test_a_wrong_scale_is_refused_before_the_first_row(wrong):
    class Wrong(OwnQuantile):
        def find_scale(self, y, weight):
            return wrong

    model = SGTRegressor(loss=Wrong(0.5))
    with pytest.raises(losses.LossError, match=r"find_scale gave .* for 1 targets; a scale is"):
        model.partial_fit([[1.0]], [1.0])
    assert model._model is None


def test_a_classifiers_loss_may_have_a_scale_too():
    class Rounded(losses.Loss):
        link = "logistic"

        def find_scale(self, y, weight):
            return 1.0 + np.average(y, weights=weight)

        def gradient_hessian(self, y, raw):
            g, h = log_loss(y, raw)
            return self.scale_ * g, self.scale_ * h

    X, y = labelled()
    model = SGTClassifier(loss=Rounded(), **QUICK).partial_fit(X, y)
    share = np.mean(y[:60] != y[0])
    assert model._model.core.loss_scales == pytest.approx([1 + share], rel=1e-12)


# ---- copies --------------------------------------------------------------------------------------


@OWN
def test_copies_learn_on_as_the_original_does(make):
    skip_without_jax(make())
    X, y = stream()
    model = SGTRegressor(loss=make(), **QUICK).partial_fit(X[:300], y[:300])
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    model.partial_fit(X[300:], y[300:])
    for twin in copies:
        assert fingerprint(twin.partial_fit(X[300:], y[300:])) == fingerprint(model)
    again = clone(model).fit(X, y)
    assert again.n_leaves_ > 1


def test_a_function_without_a_name_is_copied_and_cloned_but_not_pickled():
    X, y = stream()
    model = SGTRegressor(loss=lambda y, raw: (raw - y, np.ones_like(raw)), **QUICK).fit(X, y)
    clone(model).fit(X, y)
    copy.deepcopy(model).partial_fit(X, y)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(model)


# ---- a loss that is wrong from the first row on --------------------------------------------------


class Raises(losses.Loss):
    def gradient_hessian(self, y, raw):
        raise ZeroDivisionError("oh")


WRONG = {
    "no pair": (lambda _, raw: raw, "must return a pair"),
    "three": (lambda _, raw: (raw, raw, raw), "it returned 3 values"),
    "scalar": (lambda y, raw: (raw - y, 1.0), "hessian is a single number"),
    "column": (lambda y, raw: ((raw - y)[:, None], raw), r"shape \(3, 1\) for 3 rows"),
    "strings": (lambda _, raw: (raw.astype(str), raw), "array of <U"),
    "NaN": (lambda _, raw: (raw * np.nan, np.ones_like(raw)), "gradient is nan for y = 1.0"),
    "negative": (lambda y, raw: (raw - y, -np.ones_like(raw)), "hessian is negative"),
    "sign": (lambda y, raw: (y - raw, np.ones_like(raw)), "wrong sign"),
    "means": (lambda y, raw: (raw - y.mean(), np.ones_like(raw)), "depend on the rows"),
    "raises": (Raises(), "raised ZeroDivisionError: oh"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_loss_is_refused_before_the_first_row(case):
    loss, message = WRONG[case]
    model = SGTRegressor(loss=loss)
    for learn in (model.fit, model.partial_fit, model.learn_predict):
        with pytest.raises(losses.LossError, match=message):
            learn([[1.0]] * 3, [1.0, 2.0, 4.0])
    assert model._model is None


def test_a_wrong_start_or_link_is_refused_before_the_first_row():
    class Start(Poisson):
        def start(self, y, weight):
            return np.nan

    class TooShort(Poisson):
        def link(self, raw):
            return raw[:1]

    for loss, message in ((Start(), "start is nan"), (TooShort(), "a finite number for each")):
        model = SGTRegressor(loss=loss)
        with pytest.raises(losses.LossError, match=message):
            model.partial_fit([[1.0]], [1.0])
        assert model._model is None
    with pytest.raises(ValueError, match="link == 'log'"):
        SGTRegressor(loss=losses.from_derivatives(squared_error, link="log")).fit([[1.0]], [1.0])


def test_targets_outside_ones_own_domain_are_refused():
    model = SGTRegressor(loss=Poisson()).partial_fit([[1.0]], [2.0])
    before = fingerprint(model)
    with pytest.raises(ValueError, match=r"y is -1\.0 in row 2"):
        model.partial_fit([[1.0]] * 3, [1.0, 0.0, -1.0])
    with pytest.raises(ValueError, match=r"y is -1\.0"):
        model.learn_one({0: 1.0}, -1.0)
    assert fingerprint(model) == before


# ---- a loss that fails on the way ----------------------------------------------------------------

TROUBLE = 1e6


class Fails(losses.Loss):
    """Squared error but for one target."""

    def __init__(self, how):
        self.how = how

    def gradient_hessian(self, y, raw):
        bad = y == TROUBLE
        g, h = raw - y, np.ones_like(raw)
        if self.how == "raises" and bad.any():
            raise ArithmeticError("cannot do this")
        if self.how == "shape" and bad.any():
            return g[:-1], h
        g[bad] = np.nan if self.how == "NaN" else g[bad]
        h[bad] = -2.0 if self.how == "negative" else h[bad]
        return g, h

    def start(self, y, weight):
        return float(np.average(np.where(y == TROUBLE, 0.0, y), weights=weight))


HOW = {
    "NaN": (losses.LossError, "gradient nan and the hessian 1 for row {row} "),
    "negative": (losses.LossError, "the hessian -2 for row {row} "),
    "raises": (ArithmeticError, "raised by the loss for row {row} "),
    "shape": (losses.LossError, "raised by the loss for row {row} "),
}


def words(error):
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("method", ["partial_fit", "learn_predict"])
def test_the_rows_before_a_failure_are_learned_and_counted(how, method):
    error, message = HOW[how]
    X, y = stream()
    wrong = y.copy()
    wrong[512] = TROUBLE
    model = SGTRegressor(loss=Fails(how), **QUICK).partial_fit(X[:300], y[:300])
    with pytest.raises(error) as caught:
        getattr(model, method)(X[300:], wrong[300:])
    assert message.format(row=212) in words(caught.value)
    assert f"(y = {TROUBLE}, raw score = " in words(caught.value)
    assert "212 rows of the block have been learned" in words(caught.value)
    expected = SGTRegressor(loss=Fails(how), **QUICK).partial_fit(X[:512], y[:512])
    assert fingerprint(model) == fingerprint(expected)
    # It goes on as if the block had ended there.
    assert fingerprint(model.partial_fit(X[513:], y[513:])) == fingerprint(
        expected.partial_fit(X[513:], y[513:])
    )


@pytest.mark.parametrize("how", HOW)
def test_an_event_that_fails_is_not_learned(how):
    error, message = HOW[how]
    X, y = stream()
    model = SGTRegressor(loss=Fails(how), **QUICK).partial_fit(X, y)
    before = model._model.core.n_rows
    with pytest.raises(error) as caught:
        model.learn_one(dict(enumerate(X[0].tolist())), TROUBLE)
    assert message.format(row=0) in words(caught.value)
    assert "0 rows of the block have been learned" in words(caught.value)
    assert model._model.core.n_rows == before


@pytest.mark.parametrize("how", HOW)
def test_rows_are_counted_with_weights_of_zero_among_them(how):
    error, message = HOW[how]
    X, y = stream()
    weights = np.where(np.arange(len(y)) % 2 == 0, 0.0, 1.0)
    y[[300, 401]] = TROUBLE  # row 300 has no weight
    model = SGTRegressor(loss=Fails(how), **QUICK)
    with pytest.raises(error) as caught:
        model.partial_fit(X, y, sample_weight=weights)
    assert message.format(row=401) in words(caught.value)
    assert "200 rows of the block have been learned" in words(caught.value)


WAITING = QUICK | {"warm_up": 200}


@pytest.mark.parametrize("how", HOW)
def test_a_row_of_the_warm_up_that_fails_is_left_out_alone_if_it_came_before(how):
    error, message = HOW[how]
    X, y = stream()
    y[[70, 75]] = TROUBLE
    model = SGTRegressor(loss=Fails(how), **WAITING).partial_fit(X[:100], y[:100])
    with pytest.raises(error) as caught:
        model.partial_fit(X[100:300], y[100:300])
    said = words(caught.value)
    assert message.format(row=70)[:-1] + " of the warm-up, from an earlier call, " in said
    assert "it and 1 more of the warm-up are left out; the others of the warm-up and 100 " in said
    assert model._model.core.n_rows == 198
    # It goes on as if these two had never come; the warm-up's ranges and start know them, though.
    rows = SGTRegressor(loss=Fails(how), **WAITING)
    for i in range(199):
        rows.partial_fit(X[i : i + 1], y[i : i + 1])
    with pytest.raises(error) as caught:
        rows.partial_fit(X[199:200], y[199:200])
    assert "the others of the warm-up and 1 rows of the block" in words(caught.value)
    rows.partial_fit(X[200:300], y[200:300])
    model.partial_fit(X[200:300], y[200:300])
    assert fingerprint(rows) == fingerprint(model)


@pytest.mark.parametrize("how", HOW)
def test_a_row_of_the_warm_up_that_fails_in_its_own_call_ends_the_call(how):
    error, message = HOW[how]
    X, y = stream()
    y[190] = TROUBLE
    model = SGTRegressor(loss=Fails(how), **WAITING).partial_fit(X[:100], y[:100])
    with pytest.raises(error) as caught:
        model.partial_fit(X[100:], y[100:])
    assert message.format(row=90) in words(caught.value)
    assert "; 90 rows of the block have been learned" in words(caught.value)
    assert model._model.core.n_rows == 190
    rows = SGTRegressor(loss=Fails(how), **WAITING)
    for x, target in zip(X, y, strict=True):
        with contextlib.suppress(error):
            rows.partial_fit([x], [target])
    assert fingerprint(model.partial_fit(X[191:], y[191:])) == fingerprint(rows)


def test_rows_of_the_warm_up_are_counted_with_weights_of_zero_among_them():
    X, y = stream()
    weights = np.where(np.arange(len(y)) % 2 == 0, 0.0, 1.0)
    y[[141, 300, 341]] = TROUBLE  # row 300 has no weight
    model = SGTRegressor(loss=Fails("NaN"), **WAITING)
    with pytest.raises(losses.LossError, match=r"for row 141 .*; 70 rows of the block have"):
        model.partial_fit(X, y, sample_weight=weights)
    later = SGTRegressor(loss=Fails("NaN"), **WAITING)
    later.partial_fit(X[:151], y[:151], sample_weight=weights[:151])
    with pytest.raises(losses.LossError) as caught:
        later.partial_fit(X[151:], y[151:], sample_weight=weights[151:])
    assert "row 70 of the warm-up, from an earlier call, " in str(caught.value)
    # Row 341 is what ends the call: the rows between have been learned.
    learned = "it is left out; the others of the warm-up and 95 rows of the block"
    assert learned in str(caught.value)
    assert later._model.core.n_rows == 74 + 95


@pytest.mark.parametrize("which", ["start", "find_scale"])
def test_a_loss_that_knows_no_start_takes_no_row_more(which):
    class Late(losses.Loss):
        def gradient_hessian(self, y, raw):
            return raw - y, np.ones_like(raw)

        def start(self, y, weight):
            return self.refuse("start", y)

        def find_scale(self, y, weight):
            return self.refuse("find_scale", y)

        def refuse(self, what, y):
            if what == which and TROUBLE in y:
                raise ArithmeticError("no start")
            return 1.0

    X, y = stream()
    wrong = y.copy()
    wrong[199] = TROUBLE
    model = SGTRegressor(loss=Late(), **WAITING)
    with pytest.raises(ArithmeticError, match="no start") as caught:
        model.partial_fit(X, wrong)
    assert "199 rows of the block have been learned" in words(caught.value)
    assert model._model.core.n_rows == 199
    model = copy.deepcopy(model).partial_fit(X[199:], y[199:])
    assert fingerprint(model) == fingerprint(SGTRegressor(loss=Late(), **WAITING).partial_fit(X, y))


@pytest.mark.parametrize("n_rows", [700, 150])
def test_a_failed_fit_names_the_callers_row(n_rows):
    X, y = stream(n_rows)
    y[133] = TROUBLE
    weights = np.where(np.arange(n_rows) % 4 == 0, 0.0, 1.0)
    for epochs in (1, 3):
        model = SGTRegressor(loss=Fails("NaN"), random_state=0, epochs=epochs, **WAITING)
        for sample_weight in (None, weights):
            with pytest.raises(losses.LossError, match=r"for row 133 .*leaves the estimator as"):
                model.fit(X, y, sample_weight=sample_weight)


def test_a_failed_fit_leaves_the_estimator_as_it_was():
    X, y = stream()
    model = SGTRegressor(loss=Fails("NaN"), random_state=0, **QUICK).fit(X, y)
    before = fingerprint(model)
    y[512] = TROUBLE
    with pytest.raises(losses.LossError, match=r"row 512 .*leaves the estimator as it was"):
        model.fit(X, y)
    assert fingerprint(model) == before


# ---- classes -------------------------------------------------------------------------------------


def labelled(n=700, seed=0):
    random = np.random.default_rng(seed)
    X = random.random((n, 3))
    return X, np.where(X[:, 0] + 0.1 * random.normal(size=n) > 0.5, "yes", "no")


CLASS_LOSSES = ["focal", "exponential", losses.Focal(gamma=0.5), log_loss]
CLASS_NAMES = ["focal", "exponential", "Focal(0.5)", "own"]


@pytest.mark.parametrize("loss", CLASS_LOSSES, ids=CLASS_NAMES)
def test_a_classifier_learns_two_classes_under_any_loss(loss):
    X, y = labelled(3000)
    model = SGTClassifier(loss=loss, **QUICK).partial_fit(X[:2000], y[:2000])
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X[2000:], y[2000:]) > 0.85
    proba = model.predict_proba(X)
    assert (model.predict(X) == model.classes_[proba.argmax(axis=1)]).all()
    events = [dict(enumerate(x)) for x in X[:50].tolist()]
    assert [model.predict_one(x) for x in events] == model.predict(X[:50]).tolist()
    assert [list(model.predict_proba_one(x).values()) for x in events] == [
        [row[model.classes_.tolist().index(label)] for label in model.predict_proba_one(events[0])]
        for row in proba[:50].tolist()
    ]


@pytest.mark.parametrize("loss", CLASS_LOSSES, ids=CLASS_NAMES)
def test_a_block_of_classes_its_parts_and_its_rows_give_the_same_model(loss):
    X, y = labelled()
    settings = QUICK | {"loss": loss}
    whole, parts = SGTClassifier(**settings), SGTClassifier(**settings)
    rows, labels = SGTClassifier(**settings), SGTClassifier(**settings)
    y[:20] = "yes"  # one class at first
    predicted = whole.learn_predict(X, y, method="predict_proba")
    in_parts = [
        parts.learn_predict(X[i : i + 50], y[i : i + 50], method="predict_proba")
        for i in range(0, len(y), 50)
    ]
    rows.partial_fit(X[:1], y[:1])
    for x, label in zip(X[1:].tolist(), y[1:].tolist(), strict=True):
        rows.learn_one(dict(enumerate(x)), label)
    assert fingerprint(whole) == fingerprint(parts) == fingerprint(rows)
    assert predicted[50:].tobytes() == np.concatenate(in_parts[1:]).tobytes()
    assert predicted[0].tolist() == [0.0, 0.0]
    assert predicted[1:21].tolist() == [[0.0, 1.0]] * 20
    told = labels.learn_predict(X, y)
    assert (told[1:] == whole.classes_[predicted[1:].argmax(axis=1)]).all()


def test_the_log_loss_of_ones_own_agrees_with_the_committee_of_two():
    X, y = labelled()
    # A row that is handed down has its exact g and h under the built-in log loss only.
    ours = SGTClassifier(loss=log_loss, **QUICK, kept_rows=0).partial_fit(X, y)
    theirs = SGTClassifier(loss=losses.LogLoss(), **QUICK, kept_rows=0).partial_fit(X, y)
    assert ours.n_splits_ == theirs.n_splits_ > 0
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("loss", ["focal", log_loss], ids=["focal", "own"])
def test_a_third_class_is_refused_and_changes_nothing(loss):
    X, y = labelled(200)
    model = SGTClassifier(loss=loss, **QUICK).partial_fit(X, y)
    before = fingerprint(model)
    third = y.astype("<U5")
    third[50] = "maybe"
    with pytest.raises(ValueError, match=r"two classes apart, and 'maybe' is a third label"):
        model.partial_fit(X, third)
    with pytest.raises(ValueError, match="'maybe' is a third label"):
        model.learn_one({0: 1.0}, "maybe")
    with pytest.raises(ValueError, match="'maybe' is a third label"):
        model.partial_fit(X, y, classes=["yes", "no", "maybe"])
    # Which of the three it is depends on the order in which `fit` takes the rows.
    with pytest.raises(ValueError, match="is a third label"):
        model.fit(X, third)
    assert fingerprint(model) == before


def test_before_the_second_class_there_is_only_the_first():
    model = SGTClassifier(loss="focal").partial_fit([[1.0]] * 3, ["a"] * 3, classes=["a", "b"])
    assert model.predict_proba([[1.0]]).tolist() == [[1.0, 0.0]]
    assert model.predict_one({0: 1.0}) == "a"
    assert model.learn_one({0: 2.0}, "b").predict_proba_one({0: 1.0})["b"] > 0
    for loss in ("focal", "exponential", log_loss):
        one = SGTClassifier(loss=loss, warm_up=5).partial_fit([[1.0]] * 9, ["a"] * 9)
        one.partial_fit([[1.0]], ["b"])
        probability = one.predict_proba([[1.0]])[0, 1]
        assert 0 < probability < 0.4, loss


def test_ties_go_to_the_first_label():
    for labels in (["b", "a"], ["a", "b"]):
        model = SGTClassifier(loss="exponential").partial_fit([[1.0]] * 2, labels)
        assert model.predict([[1.0]]).tolist() == ["a"]
        assert model.predict_one({0: 1.0}) == "a"


def test_a_classifiers_copy_and_its_weights():
    X, y = labelled()
    model = SGTClassifier(loss="focal", class_weight={"yes": 2.0}, **QUICK)
    model.partial_fit(X[:300], y[:300])
    twin = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[300:], y[300:])
    assert fingerprint(twin.partial_fit(X[300:], y[300:])) == fingerprint(model)
    weights = np.where(y == "yes", 2.0, 1.0)
    other = SGTClassifier(loss="focal", **QUICK).partial_fit(X, y, sample_weight=weights)
    assert model.predict_proba(X).tolist() == other.predict_proba(X).tolist()


def test_a_classifier_needs_a_link_to_probabilities():
    loss = losses.from_derivatives(log_loss)
    with pytest.raises(losses.LossError, match="must give probabilities of class 1"):
        SGTClassifier(loss=loss).fit([[1.0], [2.0]], [0, 1])
    right = losses.from_derivatives(log_loss, link="logistic")
    SGTClassifier(loss=right).fit([[1.0], [2.0]], [0, 1])


def test_tags_say_how_many_classes_a_classifier_takes():
    assert SGTClassifier().__sklearn_tags__().classifier_tags.multi_class
    assert not SGTClassifier(loss="focal").__sklearn_tags__().classifier_tags.multi_class


def test_a_failure_among_classes_names_the_row():
    def fails(y, raw):
        g, h = log_loss(y, raw)
        return g, np.where(np.abs(raw) > 0.5, -1.0, h)

    X, y = labelled(3000)
    with pytest.raises(losses.LossError, match=r"hessian -1 for row \d+ .*rows of the block"):
        SGTClassifier(loss=fails, **QUICK).partial_fit(X, y)
