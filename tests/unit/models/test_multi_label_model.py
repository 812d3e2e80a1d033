"""Classification with several labels at once."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.neural_network import MLPClassifier

from sgtrees import SGTClassifier
from sgtrees.inspection import rules, top_splits, view_trees
from tests.fingerprint import fingerprint

QUICK = {"warm_up": 50, "grace_period": 20, "delta": 0.01, "gamma": 0.1}
LABELS = ["news", "sport", "music"]


def articles(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.random(n_rows), "b": rng.choice(["u", "v", "w"], n_rows)})
    X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    y = pd.DataFrame(
        {"news": X["a"] > 0.4, "sport": X["b"] == "u", "music": (X["a"] < 0.6) & (X["b"] != "w")}
    )
    return X, y ^ (rng.random(y.shape) < 0.05)


def test_a_block_its_halves_and_its_events_give_the_same_model():
    X, y = articles(700)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(y))
    weights[0] = 1.0
    whole = SGTClassifier(**QUICK).partial_fit(X, y, sample_weight=weights)
    halves = SGTClassifier(**QUICK)
    for rows in (slice(0, 301), slice(301, None)):
        halves.partial_fit(X[rows], y[rows], sample_weight=weights[rows])
    events = SGTClassifier(**QUICK)
    rows = zip(X.to_dict("records"), y.to_dict("records"), weights, strict=True)
    for i, (x, labels, w) in enumerate(rows):
        chosen = {label for label, has in labels.items() if has}
        forms = [labels, chosen, sorted(chosen)]
        events.learn_one(x, forms[i % 3], float(w))
    assert whole.n_splits_ > 0
    assert fingerprint(whole) == fingerprint(halves) == fingerprint(events)
    for x, probabilities, indicator in zip(
        X[:50].to_dict("records"), whole.predict_proba(X), whole.predict(X), strict=False
    ):
        assert events.predict_proba_one(x) == dict(zip(LABELS, probabilities, strict=True))
        assert events.predict_one(x) == dict(zip(LABELS, indicator == 1, strict=True))


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_learn_predict_returns_what_was_predicted_before_each_row(method):
    X, y = articles(300)
    model, step = SGTClassifier(**QUICK), SGTClassifier(**QUICK)
    found = model.learn_predict(X, y, method=method)
    assert found[0].tolist() == ([0.5] * 3 if method == "predict_proba" else [0] * 3)
    step.partial_fit(X[:1], y[:1])
    for i in range(1, 300):
        assert found[i].tolist() == getattr(step, method)(X[i : i + 1])[0].tolist()
        step.partial_fit(X[i : i + 1], y[i : i + 1])
    assert fingerprint(model) == fingerprint(step)


def test_it_answers_as_scikit_learns_classifiers_do():
    X, y = make_multilabel_classification(800, n_classes=4, random_state=0)
    model = SGTClassifier(random_state=0).fit(X, y)
    peer = MLPClassifier(max_iter=5, random_state=0)
    with pytest.warns(UserWarning, match="iterations"):
        peer.fit(X, y)
    for name in ("predict", "predict_proba", "predict_log_proba"):
        found, expected = getattr(model, name)(X), getattr(peer, name)(X)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    assert model.classes_.tolist() == peer.classes_.tolist()
    assert model.score(X, y) == accuracy_score(y, model.predict(X)) > 0.5
    scores = cross_val_score(SGTClassifier(random_state=0), X, y, cv=3, scoring="roc_auc")
    assert scores.min() > 0.65


@pytest.mark.parametrize(
    "form", ["array", "bool", "float", "list", "pandas", "polars", "csr_matrix", "csc_array"]
)
def test_all_forms_of_y_give_the_same_model(form):
    X, y = articles(400)
    array = y.to_numpy().astype(int)
    forms = {
        "array": array,
        "bool": array.astype(bool),
        "float": array.astype(np.float32),
        "list": array.tolist(),
        "pandas": y,
        "polars": pl.from_pandas(y),
        "csr_matrix": sparse.csr_matrix(array),
        "csc_array": sparse.csc_array(array),
    }
    model = SGTClassifier(**QUICK).partial_fit(X, forms[form])
    expected = SGTClassifier(**QUICK).partial_fit(X, array)
    assert model.predict_proba(X).tolist() == expected.predict_proba(X).tolist()
    assert model.classes_.tolist() == (LABELS if form in ("pandas", "polars") else [0, 1, 2])
    assert model.score(X, array) == expected.score(X, array)


def test_classes_name_the_columns():
    X, y = articles(200)
    array = y.to_numpy()
    model = SGTClassifier(**QUICK).partial_fit(X, array, classes=LABELS)
    assert model.classes_.tolist() == LABELS
    turned = y[["music", "news", "sport"]]
    again = SGTClassifier(**QUICK).partial_fit(X, turned, classes=LABELS)
    assert fingerprint(model) == fingerprint(again)
    assert fingerprint(model.partial_fit(X, turned)) == fingerprint(again.partial_fit(X, array))
    numbered = SGTClassifier(**QUICK).partial_fit(X, array, classes=[0, 1, 2])
    assert numbered.predict_one({"a": 0.5}).keys() == {0, 1, 2}
    for classes in (["news", "sport"], ["news", "news", "sport"]):
        with pytest.raises(ValueError, match="classes has 2 labels, but y has 3 columns"):
            SGTClassifier().partial_fit(X, array, classes=classes)


def test_a_copy_learns_on_as_the_original_does():
    X, y = articles(600)
    model = SGTClassifier(**QUICK).partial_fit(X[:300], y[:300])
    twin = pickle.loads(pickle.dumps(model))
    assert fingerprint(twin) == fingerprint(model)
    assert fingerprint(twin.partial_fit(X[300:], y[300:])) == fingerprint(
        model.partial_fit(X[300:], y[300:])
    )


def test_one_label_alone_is_a_binary_classifier():
    X, y = articles(500)
    alone = SGTClassifier(**QUICK, loss="log_loss").partial_fit(X, y["news"].astype(int))
    event = SGTClassifier(**QUICK)
    for x, label in zip(X.to_dict("records"), y["news"].tolist(), strict=True):
        event.learn_one(x, {"news": label})
    assert event.classes_.tolist() == ["news"]
    assert event.predict_proba(X).shape == (500, 1)
    np.testing.assert_allclose(
        event.predict_proba(X)[:, 0], alone.predict_proba(X)[:, 1], rtol=1e-9
    )


@pytest.mark.parametrize("loss", ["focal", "exponential"])
def test_other_losses_for_two_classes_act_on_each_label(loss):
    X, y = articles(2000)
    model = SGTClassifier(loss=loss, random_state=0).fit(X, y)
    assert (model.predict(X) == y.to_numpy()).mean() > 0.9


def test_a_label_that_no_row_has_had_is_improbable():
    model = SGTClassifier(**QUICK).partial_fit([[1.0]] * 20, [[1, 0]] * 20)
    ((certain, never),) = model.predict_proba([[1.0]])
    assert certain == pytest.approx(20 / 20.5)
    assert never == pytest.approx(0.5 / 20.5)


WRONG_BLOCKS = {
    "no indicator": (np.array([[0, 1, 2], [0, 1, 1]]), "it holds 2.0 in row 0, column 2"),
    "NaN": (np.array([[0, 1, 0], [0, np.nan, 1]]), "it holds nan in row 1, column 1"),
    "more": (np.ones((2, 4)), "y has 4 columns, but .* y of 3 columns: 'news'"),
    "one label for each row": (["news", "sport"], "y has one label for each row, but .* 3 columns"),
    "other names": (
        pd.DataFrame({"news": [0, 1], "sport": [0, 1], "art": [0, 1]}),
        "missing: 'music'; unknown: 'art'",
    ),
    "sets": ([{"news", "sport"}, {"news"}], "MultiLabelBinarizer"),
    "ragged": ([[0, 1, 1], [0, 1]], "as many values in every row"),
    "strings": (np.array([["a", "b", "c"]] * 2), "numbers are needed"),
}


@pytest.mark.parametrize("method", ["partial_fit", "learn_predict"])
@pytest.mark.parametrize("case", WRONG_BLOCKS)
def test_a_wrong_indicator_is_refused_and_changes_nothing(method, case):
    X, y = articles(100)
    model = SGTClassifier(**QUICK).partial_fit(X, y)
    before = fingerprint(model)
    labels, message = WRONG_BLOCKS[case]
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(X[:2], labels)
    assert fingerprint(model) == before


WRONG_EVENTS = {
    "a label": ("news", TypeError, "give the set of the event's labels"),
    "an unknown label": ({"art"}, ValueError, "unknown label 'art'; .* 3 columns: 'news'"),
    "a label twice": (["news", "news"], ValueError, "lists a label twice"),
    "a label too few": ({"news": True, "sport": False}, ValueError, "missing: 'music'"),
    "no truth": ({"news": 2, "sport": 0, "music": 0}, ValueError, r"y\['news'\] is 2"),
    "an array": (np.array([0, 1, 1]), TypeError, "y is ndarray; give the set"),
}


@pytest.mark.parametrize("case", WRONG_EVENTS)
def test_wrong_labels_of_an_event_are_refused_and_change_nothing(case):
    X, y = articles(100)
    model = SGTClassifier(**QUICK).partial_fit(X, y)
    before = fingerprint(model)
    labels, error, message = WRONG_EVENTS[case]
    with pytest.raises(error, match=message):
        model.learn_one({"a": 1.0, "new": 2.0}, labels)
    assert fingerprint(model) == before


def test_the_first_event_must_tell_the_labels():
    model = SGTClassifier()
    with pytest.raises(ValueError, match="must be known from the first row on"):
        model.learn_one({"a": 1.0}, {"news"})
    assert fingerprint(model) is None
    model.learn_one({"a": 1.0}, {"news": True, "sport": False})
    assert model.classes_.tolist() == ["news", "sport"]


def test_one_label_for_each_row_stays_so():
    model = SGTClassifier().partial_fit([[1.0], [2.0]], ["x", "y"])
    before = fingerprint(model)
    with pytest.raises(ValueError, match="y has 2 columns, but the model has learned one-dim"):
        model.partial_fit([[1.0]], [[0, 1]])
    with pytest.raises(ValueError, match="Unknown label type: set"):
        model.learn_one({0: 1.0}, {"x"})
    assert fingerprint(model) == before


@pytest.mark.parametrize("class_weight", [{0: 2.0}, "balanced"])
def test_class_weights_are_refused(class_weight):
    X, y = articles(20)
    model = SGTClassifier(class_weight=class_weight)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match="class_weight is for classes of which a row has one"):
            learn(X, y)
    assert fingerprint(model) is None


def test_each_label_gets_a_view_of_the_tree():
    X, y = articles(700)
    model = SGTClassifier(**QUICK).partial_fit(X, y)
    views = view_trees(model)
    assert [view.label for view in views] == LABELS
    for column, view in enumerate(views):
        assert top_splits(view)
        predictions = np.array([rule.prediction for rule in rules(view)])
        probabilities = model.predict_proba(X)[:, column]
        assert np.abs(probabilities[:, None] - predictions).min(axis=1).max() < 1e-12
