"""Probabilities of ensembles are calibrated, unless `calibrate` is off."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from sgtrees import SGTBoostingClassifier, SGTForestClassifier, load

KINDS = pytest.mark.parametrize("kind", [SGTBoostingClassifier, SGTForestClassifier])


def classes(n_rows, seed, noise):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 4))
    score = X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(scale=noise, size=n_rows)
    return X, (score > 0.5).astype(int)


@KINDS
def test_classes_are_the_same_and_probabilities_are_not(kind):
    X, y = classes(4000, seed=0, noise=0.0)
    calibrated = kind(n_estimators=5, random_state=0)
    plain = kind(n_estimators=5, random_state=0, calibrate=False)
    np.testing.assert_array_equal(calibrated.learn_predict(X, y), plain.learn_predict(X, y))
    assert calibrated.n_nodes_ == plain.n_nodes_
    assert (calibrated.predict_proba(X) != plain.predict_proba(X)).any()


def test_rows_that_are_learned_several_times_are_better_left_uncalibrated():
    X, y = classes(2000, seed=1, noise=0.5)
    new_X, new_y = classes(2000, seed=2, noise=0.5)
    losses = {}
    for calibrate in (True, False):
        model = SGTBoostingClassifier(calibrate=calibrate, random_state=0)
        for _ in range(6):
            model.partial_fit(X, y)
        losses[calibrate] = log_loss(new_y, model.predict_proba(new_X))
    assert losses[False] < 0.98 * losses[True]


@KINDS
def test_it_stays_off_in_a_file(kind, tmp_path):
    X, y = classes(2000, seed=3, noise=0.0)
    model = kind(n_estimators=5, random_state=0, calibrate=False).partial_fit(X[:1000], y[:1000])
    model.save(tmp_path / "model.sgt")
    resumed = load(tmp_path / "model.sgt")
    for each in (model, resumed):
        each.partial_fit(X[1000:], y[1000:])
    assert resumed.get_params()["calibrate"] is False
    np.testing.assert_array_equal(resumed.predict_proba(X), model.predict_proba(X))
