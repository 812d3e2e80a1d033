import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.evaluation import corrected_t_test, cross_validate
from sgtrees.streams import Friedman, RandomRbf


def test_folds_are_those_of_scikit_learn():
    block = RandomRbf(n_classes=3).take(900)
    folds = cross_validate(GaussianNB(), block.X, block.y, metrics=["accuracy"], seed=4)
    cuts = StratifiedKFold(10, shuffle=True, random_state=np.random.RandomState(4))
    expected = cross_val_score(GaussianNB(), block.X, block.y, cv=cuts)
    np.testing.assert_allclose(folds.scores["accuracy"], expected)
    assert np.isnan(folds.n_nodes).all()
    assert folds.test_fraction == pytest.approx(1 / 9)


def test_size_time_repeats_and_every_metric():
    block = RandomRbf().take(1000)
    names = ["error", "kappa", "log_loss", "auc", "balanced_accuracy"]
    folds = cross_validate(
        SGTClassifier(epochs=1), block.X, block.y, n_folds=4, n_repeats=2, metrics=names
    )
    assert {len(scores) for scores in folds.scores.values()} == {8}
    assert (folds.n_nodes >= 1).all()
    assert (folds.seconds > 0).all()
    assert folds.deviation("error") > 0.0


def test_a_single_pass_can_be_chosen_and_models_compared_on_the_same_folds():
    block = Friedman().take(3000)
    data = pd.DataFrame(block.X, columns=[f"x{i}" for i in range(10)])

    def once(model, X, y):
        model.partial_fit(X, y)

    one = cross_validate(SGTRegressor.paper(), data, block.y, metrics=["mae"], learn=once)
    many = cross_validate(SGTRegressor.paper(random_state=0), data, block.y, metrics=["mae"])
    test = corrected_t_test(one.scores["mae"], many.scores["mae"], one.test_fraction)
    assert test.verdict() == 1


def test_labels_that_a_fold_does_not_know_are_wrong_and_no_error():
    X, y = np.arange(20.0).reshape(-1, 1), np.array(["a"] * 18 + ["b", "b"])
    folds = cross_validate(SGTClassifier(epochs=1), X, y, n_folds=2, metrics=["error", "log_loss"])
    assert np.isfinite(folds.scores["log_loss"]).all()
