"""Leaves that follow are exported, and explained, as they predict at that moment."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.inspection import shap_values
from tests.conformance.exports.comparison import assert_equal
from tests.conformance.exports.runtimes import RUNTIMES

N_ROWS = 3000
KINDS = ("number", "numbers", "two classes", "committee", "vector")
each_kind = pytest.mark.parametrize("kind", KINDS)


@cache
def rows() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).random((N_ROWS, 2)), columns=["a", "b"])


@cache
def following(kind: str) -> SGTClassifier | SGTRegressor:
    """A model of a stream whose level moves faster than tests move a value."""
    X = rows()
    score = X["a"].to_numpy() - 0.5 + np.sin(np.arange(N_ROWS) / 40)
    if kind == "number":
        return SGTRegressor().partial_fit(X, score)
    if kind == "numbers":
        return SGTRegressor().partial_fit(X, np.column_stack([score, -2 * score]))
    if kind == "two classes":
        return SGTClassifier().partial_fit(X, np.where(score > 0, "up", "down"))
    return SGTClassifier(multiclass=kind).partial_fit(X, np.digitize(score, [-0.6, 0.6]))


@each_kind
def test_the_leaves_do_follow(kind: str) -> None:
    core = following(kind).model_.core
    assert core.n_nodes > 1
    assert (core.state()["following/choices"] > 0).all()


@pytest.mark.parametrize("runtime", RUNTIMES)
@each_kind
def test_predictions_equal_those_of_the_library(kind: str, runtime: str, tmp_path: Path) -> None:
    assert_equal(runtime, following(kind), rows()[:200], tmp_path)


def test_shap_values_add_up_to_the_prediction() -> None:
    model, X = following("number"), rows()[:50]
    explained = shap_values(model, X)
    total = explained.values.sum(axis=1) + explained.base_values
    np.testing.assert_allclose(total.ravel(), model.predict(X), rtol=1e-9, atol=1e-9)
