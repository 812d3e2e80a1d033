"""Ensembles of classes are as sure as they are right, and keep that in all that is predicted."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sgtrees import SGTBoostingClassifier, SGTForestClassifier, load
from sgtrees.inspection import view_model

KINDS = pytest.mark.parametrize("kind", [SGTBoostingClassifier, SGTForestClassifier])
QUICK: dict[str, Any] = {"n_estimators": 10, "random_state": 0}


def factor_of(model: Any) -> float:
    share: float = getattr(model, "learning_rate", 1 / model.n_estimators)
    return view_model(model).trees[0].shrinkage / share


def rows_of(n_rows: int, seed: int = 1) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Classes on both sides of a plane: what one tree cannot tell, several can."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 6))
    return X, (X.sum(axis=1) > 3.0 + 0.1 * rng.normal(size=n_rows)).astype(int)


@KINDS
def test_probabilities_are_as_high_as_the_share_of_right_labels(kind: Any) -> None:
    X, y = rows_of(20_000)
    model = kind(**QUICK)
    p = model.learn_predict(X, y, method="predict_proba")[2000:]
    right = (model.classes_[p.argmax(axis=1)] == y[2000:]).mean()
    assert abs(p.max(axis=1).mean() - right) < 0.02
    # Without the factor they would not be.
    raw = p ** (1 / factor_of(model))
    assert (raw / raw.sum(axis=1, keepdims=True)).max(axis=1).mean() < right - 0.03


@KINDS
def test_the_factor_is_in_decision_functions_and_in_the_view(kind: Any, tmp_path: Path) -> None:
    X, y = rows_of(3000)
    model = kind(**QUICK).partial_fit(X, y)
    assert factor_of(model) != pytest.approx(1.0)
    model.save(tmp_path / "model", inference_only=True)
    for same in (model, load(tmp_path / "model")):
        p = same.predict_proba(X[:200])
        log_odds = np.log(p[:, 1] / p[:, 0])
        np.testing.assert_allclose(same.decision_function(X[:200]), log_odds, rtol=1e-9, atol=1e-12)
        assert factor_of(same) == factor_of(model)


def test_the_stage_of_the_members_in_use_is_what_is_predicted() -> None:
    X, y = rows_of(3000)
    model = SGTBoostingClassifier(**QUICK).partial_fit(X, y)
    stages = list(model.staged_predict_proba(X[:100]))
    expected = model.predict_proba(X[:100])
    np.testing.assert_array_equal(stages[model.n_members_in_use_ - 1], expected)


@KINDS
def test_a_fitted_model_is_not_calibrated(kind: Any) -> None:
    """Its rows may come again, and say nothing about others then."""
    X, y = rows_of(1500)
    model = kind(**QUICK).fit(X, y)
    assert factor_of(model) == pytest.approx(1.0)
    assert factor_of(model.partial_fit(X, y)) == pytest.approx(1.0)


@KINDS
def test_several_labels_are_not_calibrated(kind: Any) -> None:
    X, y = rows_of(2000)
    labels = np.column_stack([y == y[0], X[:, 0] > 0.5])
    assert factor_of(kind(**QUICK).partial_fit(X, labels)) == pytest.approx(1.0)


@KINDS
def test_a_merged_model_keeps_its_factor(kind: Any) -> None:
    X, y = rows_of(3000)
    model = kind(**QUICK, on_drift="ignore").partial_fit(X, y)
    factor = factor_of(model)
    model.merge(pickle.loads(pickle.dumps(model)))
    assert factor_of(model) == factor
