"""Losses of two classes, in classifiers."""

import pickle

import numpy as np
import pytest

from sgtrees import SGTClassifier, losses
from tests.fingerprint import fingerprint
from tests.unit.losses.built_in.samples import CLASSES, difference, grid
from tests.unit.losses.custom_losses import QUICK, labelled, log_loss


@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0, 5.0])
def test_the_surrogate_of_focal_loss_bounds_the_second_derivative(gamma):
    loss = losses.Focal(gamma=gamma)
    y, raw = grid(CLASSES, n=201, width=8.0)
    _, h = loss.gradient_hessian(y, raw)
    slope = difference(lambda raw: loss.gradient_hessian(y, raw)[0], raw)
    assert slope.min() < 0
    assert (h >= slope - 1e-8).all()


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
    predicted_labels = labels.learn_predict(X, y)
    assert (predicted_labels[1:] == whole.classes_[predicted[1:].argmax(axis=1)]).all()


@pytest.mark.parametrize("loss", ["focal", log_loss], ids=["focal", "own"])
def test_a_third_class_is_refused_and_changes_nothing(loss):
    X, y = labelled(200)
    model = SGTClassifier(loss=loss, **QUICK).partial_fit(X, y)
    before = fingerprint(model)
    third = y.astype("<U5")
    third[50] = "maybe"
    with pytest.raises(ValueError, match=r"is for two classes, and 'maybe' is a third label"):
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


def test_tags_say_how_many_classes_a_classifier_takes():
    assert SGTClassifier().__sklearn_tags__().classifier_tags.multi_class
    assert not SGTClassifier(loss="focal").__sklearn_tags__().classifier_tags.multi_class
