"""What predictions rest on: importances, SHAP values, reasons in words."""

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTMultiInstanceClassifier, SGTRegressor
from sgtrees.inspection import (
    gain_importances,
    permutation_importances,
    shap_values,
    view_model,
    why,
)
from tests.conformance.exports.zoo import ZOO

QUICK = {"warm_up": 100, "grace_period": 50}


def rows_and_targets(n_rows=4000, seed=0):
    """Two columns that matter, the first more, and one that does not."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    return X, 10.0 * (X[:, 0] > 0.5) + 4.0 * (X[:, 1] > 0.3) + 0.1 * rng.normal(size=n_rows)


# ---- importances --------------------------------------------------------------------------------


def test_gains_tell_which_features_matter_and_add_up_to_one():
    X, y = rows_and_targets()
    importances = gain_importances(SGTRegressor(**QUICK).partial_fit(X, y))
    assert importances.values.sum() == pytest.approx(1.0)
    assert list(importances.as_dict()) == ["x0", "x1", "x2"]
    assert importances.values[0] > 0.6
    assert importances.values[2] < 0.02


def test_a_gain_counts_for_all_rows_that_come_to_its_split():
    X, y = rows_and_targets()
    model = SGTRegressor(**QUICK).partial_fit(X, y)
    expected = np.zeros(3)
    for node in view_model(model).trees[0].nodes:
        if node.split is not None:
            expected[node.split.feature.number] += node.split.gain * node.cover
    assert gain_importances(model, normalize=False).values.tolist() == expected.tolist()
    # The first split halves 25 + 4 of variance; nothing can gain more than there is.
    assert 0.5 * 25 * len(X) * 0.8 < expected[0] < 0.5 * 30 * len(X)


def test_a_root_alone_has_no_importances():
    model = SGTRegressor(max_depth=0, **QUICK).partial_fit(*rows_and_targets(300))
    assert gain_importances(model).values.tolist() == [0.0, 0.0, 0.0]


def test_shuffling_a_feature_costs_what_it_is_worth():
    X, y = rows_and_targets()
    model = SGTRegressor(**QUICK).partial_fit(X[:3000], y[:3000])
    importances = permutation_importances(model, X[3000:], y[3000:], random_state=0)
    assert importances.values[0] > importances.values[1] > 10 * abs(importances.values[2])
    assert importances.spread.shape == (3,)
    again = permutation_importances(model, X[3000:], y[3000:], random_state=0)
    assert again.values.tolist() == importances.values.tolist()


def test_shuffling_says_what_scikit_learn_says():
    inspection = pytest.importorskip("sklearn.inspection")
    X, y = rows_and_targets(2000)
    model = SGTClassifier(**QUICK).partial_fit(X, y > 7)
    for scoring in (None, "neg_log_loss", "roc_auc"):
        ours = permutation_importances(
            model, X, y > 7, scoring=scoring, n_repeats=20, random_state=1
        )
        theirs = inspection.permutation_importance(
            model, X, y > 7, scoring=scoring, n_repeats=20, random_state=2
        )
        np.testing.assert_allclose(ours.values, theirs.importances_mean, rtol=0.1, atol=0.01)


def test_shuffling_works_with_frames_strings_and_missing_values(capsys):
    case = ZOO["four classes"]()
    y = case.model.predict(case.frame)
    importances = permutation_importances(
        case.model, case.frame, y, n_repeats=1, random_state=0, verbose=1
    )
    assert importances.as_dict()["constant"] == 0.0
    assert max(importances.values) > 0.1
    assert "[permutation_importances] 9 of 9, nothing: 0" in capsys.readouterr().out


def test_shuffling_works_with_bags():
    random = np.random.default_rng(0)
    bags = [random.random((random.integers(2, 8), 2)) for _ in range(300)]
    y = ["hot" if bag[:, 0].max() > 0.9 else "cold" for bag in bags]
    model = SGTMultiInstanceClassifier(random_state=0).fit(bags, y)
    importances = permutation_importances(model, bags, y, random_state=0)
    assert importances.values[0] > 0.1
    assert abs(importances.values[1]) < 0.02
    groups = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
    grouped = permutation_importances(
        model, np.concatenate(bags), y, groups=groups, scoring="roc_auc", random_state=0
    )
    assert grouped.values[0] > 0.1


# ---- SHAP values --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["squared_error", "poisson", "late categories"])
def test_values_add_up_to_the_raw_score(name):
    case = ZOO[name]()
    explained = shap_values(case.model, case.frame)
    raw = (
        np.log(case.model.predict(case.frame))
        if name == "poisson"
        else case.model.predict(case.frame)
    )
    np.testing.assert_allclose(
        explained.values.sum(axis=1) + explained.base_values, raw, rtol=1e-10, atol=1e-10
    )
    assert explained.feature_names == tuple(case.frame.columns)
    assert explained.outputs == ()


@pytest.mark.parametrize("name", ["two classes", "two classes, the greater first", "focal"])
def test_for_two_classes_the_greater_label_is_explained(name):
    case = ZOO[name]()
    explained = shap_values(case.model, case.frame[:500])
    raw = explained.values.sum(axis=1) + explained.base_values
    assert explained.outputs == ("yes",)
    probability = case.model.predict_proba(case.frame[:500])[:, 1]
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(-raw)), probability, rtol=1e-10)


@pytest.mark.parametrize("name", ["four classes", "a class that was declared"])
def test_for_more_classes_all_labels_are_explained(name):
    case = ZOO[name]()
    explained = shap_values(case.model, case.frame[:500])
    assert explained.outputs == tuple(case.model.classes_.tolist())
    raw = explained.values.sum(axis=1) + explained.base_values
    seen = [list(explained.outputs).index(label) for label in view_model(case.model).labels]
    powers = np.exp(raw[:, seen])
    probabilities = case.model.predict_proba(case.frame[:500])[:, seen]
    np.testing.assert_allclose(powers / powers.sum(axis=1, keepdims=True), probabilities, rtol=1e-9)


@pytest.mark.parametrize("name", ["vector, five classes", "vector, two classes"])
def test_scores_of_vectors_are_explained_like_those_of_committees(name):
    case = ZOO[name]()
    explained = shap_values(case.model, case.frame[:300])
    raw = explained.values.sum(axis=1) + explained.base_values
    probabilities = case.model.predict_proba(case.frame[:300])
    if name == "vector, two classes":
        assert explained.outputs == ("d",)
        np.testing.assert_allclose(1.0 / (1.0 + np.exp(-raw)), probabilities[:, 1], rtol=1e-9)
        return
    powers = np.exp(raw)
    assert explained.outputs == tuple(case.model.classes_)
    np.testing.assert_allclose(powers / powers.sum(axis=1, keepdims=True), probabilities, rtol=1e-9)


def test_several_targets_and_several_labels_are_explained_each():
    case = ZOO["several targets"]()
    explained = shap_values(case.model, case.frame[:300])
    assert explained.outputs == ("height", "weight", "depth")
    raw = explained.values.sum(axis=1) + explained.base_values
    np.testing.assert_allclose(raw, case.model.predict(case.frame[:300]), rtol=1e-9, atol=1e-9)
    case = ZOO["several labels"]()
    explained = shap_values(case.model, case.frame[:300])
    raw = explained.values.sum(axis=1) + explained.base_values
    probabilities = case.model.predict_proba(case.frame[:300])
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(-raw)), probabilities, rtol=1e-9)


def test_instances_of_bags_are_explained():
    case = ZOO["bags"]()
    explained = shap_values(case.model, case.frame[:50])
    scores = case.model.instance_scores(case.frame[:50], groups=np.zeros(50))[0]
    raw = explained.values.sum(axis=1) + explained.base_values
    np.testing.assert_allclose(raw, scores, rtol=1e-10, atol=1e-12)
    assert explained.outputs == ("hot",)


def test_a_feature_that_is_never_asked_has_no_value():
    X, y = rows_and_targets()
    model = SGTRegressor(max_depth=1, **QUICK).partial_fit(X, y)
    values = shap_values(model, X).values
    assert (values[:, 1:] == 0.0).all()
    assert (np.sign(values[:, 0]) == np.where(X[:, 0] > 0.5, 1, -1)).mean() > 0.95


def test_an_event_is_explained_like_its_row():
    case = ZOO["squared_error"]()
    row = case.frame.iloc[7].to_dict()
    of_event = shap_values(case.model, row)
    of_row = shap_values(case.model, case.frame[7:8])
    assert of_event.values.tolist() == of_row.values.tolist()


def test_threads_change_nothing():
    case = ZOO["four classes"]()
    one, two = (shap_values(case.model, case.frame, n_threads=n).values for n in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_there_is_nothing_to_explain_without_a_tree():
    for model in (
        SGTRegressor().partial_fit([[1.0]], [1.0]),
        SGTClassifier().fit([[1.0], [2.0]], ["a", "a"]),
    ):
        with pytest.raises(ValueError, match="no tree yet"):
            shap_values(model, [[1.0]])


def test_rows_of_other_features_are_refused():
    case = ZOO["squared_error"]()
    with pytest.raises(ValueError, match="X has 2 features, but SGTRegressor is expecting 9"):
        shap_values(case.model, [[1.0, 2.0]])
    with pytest.raises(ValueError, match="X's columns are"):
        shap_values(case.model, case.frame[case.frame.columns[::-1]])
    with pytest.raises(ValueError, match="infinity in row 0, column 'age'"):
        shap_values(case.model, case.frame[:1].assign(age=np.inf))


# ---- reasons ------------------------------------------------------------------------------------


def test_a_number_is_told_with_the_rows_way_down_the_tree():
    X, y = rows_and_targets()
    model = SGTRegressor(**QUICK).partial_fit(X, y)
    reasons = why(model, [0.9, 0.1, 0.5])
    assert reasons.prediction == model.predict([[0.9, 0.1, 0.5]])[0]
    number, _, conditions = str(reasons).partition(" because ")
    assert float(number) == pytest.approx(reasons.prediction, rel=1e-3)
    assert "x0 > 0.5" in conditions or "< x0" in conditions
    (way,) = reasons.ways
    assert way.end.is_leaf
    assert len(way.nodes) == way.end.depth + 1


def test_what_is_missing_and_what_is_new_is_said():
    case = ZOO["squared_error"]()
    (tree,) = view_model(case.model).trees
    root = tree.root.split.feature.name
    assert f"{root} is missing" in str(why(case.model, {}))
    nominal = [
        node.split.feature.name
        for node in tree.nodes
        if node.split is not None and node.split.threshold is None
    ]
    assert "town" in nominal
    told = {
        str(why(case.model, {**row, "town": "Atlantis"}))
        for row in case.frame[:300].to_dict("records")
    }
    assert any("town is unknown" in words for words in told)
    assert not any("town is town" in words for words in told)


@pytest.mark.parametrize(
    "name",
    [
        "two classes",
        "two classes, the greater first",
        "four classes",
        "focal",
        "exponential",
        "vector, five classes",
        "vector, two classes",
    ],
)
def test_the_label_that_is_predicted_is_told(name):
    case = ZOO[name]()
    probabilities = case.model.predict_proba(case.frame[:200]).max(axis=1)
    labels = case.model.predict(case.frame[:200]).tolist()
    rows = case.frame[:200].to_dict("records")
    for row, label, probability in zip(rows, labels, probabilities, strict=True):
        reasons = why(case.model, row)
        assert reasons.prediction == label
        assert str(reasons).startswith(f"{label} ({100 * probability:.0f} %)")
        assert len(reasons.ways) == len(view_model(case.model).trees)


def test_in_a_committee_the_first_label_is_told_by_what_speaks_against_another():
    case = ZOO["four classes"]()
    first = view_model(case.model).labels[0]
    told = [str(why(case.model, row)) for row in case.frame[:300].to_dict("records")]
    of_first = [words for words in told if words.startswith(f"{first} ")]
    assert of_first
    assert all(" rather than " in words for words in of_first)
    assert not any(" rather than " in words for words in told if words not in of_first)


def test_all_targets_and_all_labels_are_told():
    case = ZOO["several targets"]()
    reasons = why(case.model, case.frame.iloc[0].to_dict())
    assert reasons.prediction == tuple(case.model.predict(case.frame[:1])[0].tolist())
    assert str(reasons).count(" / ") == 2
    case = ZOO["several labels"]()
    reasons = why(case.model, case.frame.iloc[0].to_dict())
    np.testing.assert_allclose(reasons.prediction, case.model.predict_proba(case.frame[:1])[0])


def test_an_instance_of_a_bag_is_told_by_its_score():
    case = ZOO["bags"]()
    assert str(why(case.model, case.frame.iloc[0].to_dict())).startswith("score ")


def test_conditions_hold_for_the_row():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.random(3000), "b": rng.random(3000)})
    model = SGTRegressor(**QUICK).partial_fit(frame, frame["a"] * frame["b"] * 10)
    for row in frame[:100].to_dict("records"):
        for condition in why(model, row).ways[0].conditions:
            # Thresholds are told with four digits: what lies within their rounding is left out.
            assert eval(condition, {}, dict(row)) or any(
                abs(row[name] - float(word)) < 1e-3
                for name in row
                for word in condition.split()
                if word.replace(".", "").isdigit()
            )


def test_there_are_no_reasons_without_a_tree():
    with pytest.raises(ValueError, match="no tree yet"):
        why(SGTRegressor().partial_fit([[1.0]], [1.0]), [1.0])
