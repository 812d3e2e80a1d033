"""scikit-learn's own catalogue of checks for estimators."""

import pytest
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

from sgtrees import (
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTClassifier,
    SGTForestClassifier,
    SGTForestRegressor,
    SGTRegressor,
)

# Rows are learned one after the other, so a row of weight 2 is not the row twice: weights count in
# all sums, rows in the grace period and in the test.
_REASON = "a weight of 2 is not the row twice where rows are learned one after the other"
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": _REASON,
    "check_sample_weight_equivalence_on_sparse_data": _REASON,
}


@parametrize_with_checks(
    [
        SGTClassifier(),
        SGTClassifier(multiclass="vector"),
        SGTRegressor(),
        SGTBoostingClassifier(),
        SGTBoostingClassifier(multiclass="vector"),
        SGTBoostingRegressor(),
        SGTForestClassifier(),
        SGTForestClassifier(multiclass="committee"),
        SGTForestRegressor(),
    ],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
def test_the_estimator_passes(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [SGDClassifier(max_iter=5), SGDRegressor(max_iter=5)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_fails_here_fails_for_scikit_learns_stochastic_gradient_descent_too(estimator):
    checks = (
        check_sample_weight_equivalence_on_dense_data,
        check_sample_weight_equivalence_on_sparse_data,
    )
    assert {check.__name__ for check in checks} == set(EXPECTED_FAILURES)
    for check in checks:
        with pytest.raises(AssertionError, match="not equivalent"):
            check(type(estimator).__name__, estimator)


def test_the_tags_promise_good_scores_and_missing_values():
    for estimator in (SGTClassifier(), SGTRegressor()):
        tags = get_tags(estimator)
        specific = tags.classifier_tags or tags.regressor_tags
        assert not specific.poor_score
        assert tags.input_tags.allow_nan
        assert tags.input_tags.sparse
    assert get_tags(SGTClassifier()).classifier_tags.multi_class
    assert get_tags(SGTClassifier()).classifier_tags.multi_label
    assert get_tags(SGTRegressor()).target_tags.multi_output
