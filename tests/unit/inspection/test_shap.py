import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.inspection import (
    shap_values,
    view_model,
)
from tests.conformance.exports.models import ENSEMBLES, MODELS

QUICK = {"warm_up": 100, "grace_period": 50}


def rows_and_targets(n_rows=4000, seed=0):
    """Two columns that matter, the first more, and one that does not."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    return X, 10.0 * (X[:, 0] > 0.5) + 4.0 * (X[:, 1] > 0.3) + 0.1 * rng.normal(size=n_rows)


@pytest.mark.parametrize("name", ["squared_error", "poisson", "late categories"])
def test_values_add_up_to_the_raw_score(name):
    case = MODELS[name]()
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
    assert explained.output_names == ()


@pytest.mark.parametrize("name", ["two classes", "two classes, the greater first", "focal"])
def test_for_two_classes_the_greater_label_is_explained(name):
    case = MODELS[name]()
    explained = shap_values(case.model, case.frame[:500])
    raw = explained.values.sum(axis=1) + explained.base_values
    assert explained.output_names == ("yes",)
    probability = case.model.predict_proba(case.frame[:500])[:, 1]
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(-raw)), probability, rtol=1e-10)


@pytest.mark.parametrize("name", ["four classes", "a class that was declared"])
def test_for_more_classes_all_labels_are_explained(name):
    case = MODELS[name]()
    explained = shap_values(case.model, case.frame[:500])
    assert explained.output_names == tuple(case.model.classes_.tolist())
    raw = explained.values.sum(axis=1) + explained.base_values
    seen = [list(explained.output_names).index(label) for label in view_model(case.model).labels]
    powers = np.exp(raw[:, seen])
    probabilities = case.model.predict_proba(case.frame[:500])[:, seen]
    np.testing.assert_allclose(powers / powers.sum(axis=1, keepdims=True), probabilities, rtol=1e-9)


@pytest.mark.parametrize("name", ["vector, five classes", "vector, two classes"])
def test_scores_of_vectors_are_explained_like_those_of_committees(name):
    case = MODELS[name]()
    explained = shap_values(case.model, case.frame[:300])
    raw = explained.values.sum(axis=1) + explained.base_values
    probabilities = case.model.predict_proba(case.frame[:300])
    if name == "vector, two classes":
        assert explained.output_names == ("d",)
        np.testing.assert_allclose(1.0 / (1.0 + np.exp(-raw)), probabilities[:, 1], rtol=1e-9)
        return
    powers = np.exp(raw)
    assert explained.output_names == tuple(case.model.classes_)
    np.testing.assert_allclose(powers / powers.sum(axis=1, keepdims=True), probabilities, rtol=1e-9)


def test_several_targets_and_several_labels_are_explained_each():
    case = MODELS["several targets"]()
    explained = shap_values(case.model, case.frame[:300])
    assert explained.output_names == ("height", "weight", "depth")
    raw = explained.values.sum(axis=1) + explained.base_values
    np.testing.assert_allclose(raw, case.model.predict(case.frame[:300]), rtol=1e-9, atol=1e-9)
    case = MODELS["several labels"]()
    explained = shap_values(case.model, case.frame[:300])
    raw = explained.values.sum(axis=1) + explained.base_values
    probabilities = case.model.predict_proba(case.frame[:300])
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(-raw)), probabilities, rtol=1e-9)


def test_instances_of_bags_are_explained():
    case = MODELS["bags"]()
    explained = shap_values(case.model, case.frame[:50])
    scores = case.model.instance_scores(case.frame[:50], groups=np.zeros(50))[0]
    raw = explained.values.sum(axis=1) + explained.base_values
    np.testing.assert_allclose(raw, scores, rtol=1e-10, atol=1e-12)
    assert explained.output_names == ("hot",)


def test_a_feature_without_splits_has_the_value_0():
    X, y = rows_and_targets()
    model = SGTRegressor(max_depth=1, **QUICK).partial_fit(X, y)
    values = shap_values(model, X).values
    assert (values[:, 1:] == 0.0).all()
    assert (np.sign(values[:, 0]) == np.where(X[:, 0] > 0.5, 1, -1)).mean() > 0.95


def test_an_event_is_explained_like_its_row():
    case = MODELS["squared_error"]()
    row = case.frame.iloc[7].to_dict()
    of_event = shap_values(case.model, row)
    of_row = shap_values(case.model, case.frame[7:8])
    assert of_event.values.tolist() == of_row.values.tolist()


def test_threads_change_nothing():
    case = MODELS["four classes"]()
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
    case = MODELS["squared_error"]()
    with pytest.raises(ValueError, match="X has 2 features, but SGTRegressor is expecting 9"):
        shap_values(case.model, [[1.0, 2.0]])
    with pytest.raises(ValueError, match="X's columns are"):
        shap_values(case.model, case.frame[case.frame.columns[::-1]])
    with pytest.raises(ValueError, match="infinity in row 0, column 'age'"):
        shap_values(case.model, case.frame[:1].assign(age=np.inf))


def test_values_of_an_ensemble_do_not_depend_on_the_number_of_threads():
    case = ENSEMBLES["boosting, numbers"]()
    one, two = (shap_values(case.model, case.frame[:500], n_threads=n).values for n in (1, 2))
    assert np.array_equal(one, two)
