import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from sgtrees import SGTBoostingClassifier, SGTClassifier, SGTMultiInstanceClassifier, SGTRegressor
from sgtrees.data import sparse as sparse_module
from sgtrees.inspection import shap_values
from tests.fingerprint import fingerprint


@pytest.fixture
def small_parts(monkeypatch):
    """Make parts of a few rows, as wide matrices have them."""
    monkeypatch.setattr(sparse_module, "_CELLS", 100)


def rows(n_rows=600, **options):
    X = sparse.random(n_rows, 12, density=0.2, random_state=0, format="csr", **options)
    dense = X.toarray()
    return X, (dense[:, 0] + dense[:, 1] > 0.3).astype(int)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_array"])
@pytest.mark.parametrize("method", ["fit", "partial_fit", "learn_predict"])
def test_sparse_rows_are_learned_as_dense_ones(kind, method):
    X, y = rows()
    X = getattr(sparse, kind)(X)
    weights = np.arange(len(y)) % 3 + 0.5
    models = [SGTClassifier(random_state=0, grace_period=50, warm_up=50) for _ in range(2)]
    given = [
        getattr(model, method)(block, y, sample_weight=weights)
        for model, block in zip(models, (X, X.toarray()), strict=True)
    ]
    assert fingerprint(models[0]) == fingerprint(models[1])
    if method == "learn_predict":
        np.testing.assert_array_equal(*given)
    for predict in ("predict", "predict_proba", "decision_function", "apply"):
        sparse_result, dense_result = (
            getattr(model, predict)(block)
            for model, block in zip(models, (X, X.toarray()), strict=True)
        )
        np.testing.assert_array_equal(sparse_result, dense_result)


@pytest.mark.usefixtures("small_parts")
def test_ensembles_and_explanations_take_sparse_rows():
    X, y = rows()
    model = SGTBoostingClassifier(n_estimators=2, random_state=0).fit(X, y)
    other = SGTBoostingClassifier(n_estimators=2, random_state=0).fit(X.toarray(), y)
    np.testing.assert_array_equal(model.predict(X), other.predict(X.toarray()))
    np.testing.assert_array_equal(
        shap_values(model, X[:9]).values, shap_values(model, X[:9].toarray()).values
    )


@pytest.mark.usefixtures("small_parts")
def test_a_failing_loss_names_the_row_of_sparse_rows():
    def loss(y, raw):
        return np.where(y == 99.0, np.nan, raw - y), np.ones_like(y)

    X, y = rows()
    y = y.astype(float)
    y[500] = 99.0
    model = SGTRegressor(loss=loss, warm_up=20)
    with pytest.raises(Exception, match="row 500"):
        model.partial_fit(X, y)
    assert model.n_samples_seen_ == 500


def test_missing_values_may_be_stored_and_infinities_not():
    X, y = rows()
    X.data[7] = np.nan
    model = SGTClassifier().partial_fit(X, y)
    assert fingerprint(model) == fingerprint(SGTClassifier().partial_fit(X.toarray(), y))
    X.data[7] = np.inf
    row, column = np.argwhere(np.isinf(X.toarray()))[0]
    with pytest.raises(ValueError, match=f"infinity in row {row}, column {column};"):
        model.partial_fit(X, y)


def test_float32_stays_float32_and_integers_become_floats():
    X, y = rows(dtype=np.float32)
    assert next(SGTClassifier().prepare(X, y).block.parts()).dtype == np.float32
    assert next(SGTClassifier().prepare(X.astype(np.int8), y).block.parts()).dtype == np.float64


def test_nominal_features_and_bags_are_refused_with_what_to_do():
    X, y = rows()
    with pytest.raises(TypeError, match=r"X is sparse, and column 2 is nominal: .*one-hot"):
        SGTClassifier(categorical_features=[2]).fit(X, y)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        SGTMultiInstanceClassifier().fit(X, y, groups=np.arange(len(y)) // 2)


def test_one_hot_encoded_categories_go_through_a_pipeline():
    random = np.random.default_rng(0)
    X = np.column_stack([random.integers(0, 300, 3000), random.integers(0, 3, 3000)])
    y = X[:, 1] == 1
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), [0, 1]))
    pipeline = make_pipeline(encoder, SGTClassifier(random_state=0))
    assert cross_val_score(pipeline, X, y, cv=2).min() > 0.95
    encoded = encoder.fit_transform(X)
    assert sparse.issparse(encoded)
    model = SGTClassifier()
    first = model.learn_predict(encoded[:1500], y[:1500])
    model.partial_fit(encoded[1500:2500], y[1500:2500])
    assert (first[1000:] == y[1000:1500]).mean() > 0.95
    assert (model.predict(encoded[2500:]) == y[2500:]).mean() > 0.95


def test_memory_is_that_of_the_stored_numbers_and_a_part():
    # 160 MB if it were dense.
    X = sparse.random(10_000, 2_000, density=0.001, random_state=0, format="csc")
    y = np.arange(10_000) % 2
    model = SGTClassifier(kept_rows=0, max_leaves=1, n_bins=2)
    tracemalloc.start()
    model.partial_fit(X, y).predict(X)
    _, highest = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert highest < 40e6
