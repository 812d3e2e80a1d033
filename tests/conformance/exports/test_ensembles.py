"""Ensembles: every runtime, and explanations, against the library."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sgtrees.inspection import shap_values, view_model, why
from sgtrees.inspection.rows import encoded_rows
from tests.conformance.exports.comparison import assert_equal
from tests.conformance.exports.models import ENSEMBLES, LINEAR_ENSEMBLES, Case
from tests.conformance.exports.rows import edge_rows
from tests.conformance.exports.runtimes import RUNTIMES, ends
from tests.conformance.exports.test_linear_leaves import DIGITS

# How far sums may be apart in runtimes that add trees up in an order of their own.
ROUNDING = {"onnx": 1e-14, "treelite": 1e-14}


@cache
def case(name: str) -> Case:
    return ENSEMBLES[name]()


@cache
def linear_case(name: str) -> Case:
    return LINEAR_ENSEMBLES[name]()


@pytest.mark.parametrize("name", [name for name in ENSEMBLES if name.endswith("classes")])
def test_those_of_classes_are_calibrated(name):
    """Otherwise the tests below would not see the factor."""
    model = case(name).model
    share = model.learning_rate if "boosting" in name else 1 / model.n_estimators
    assert all(tree.shrinkage != share for tree in view_model(model).trees)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", ENSEMBLES)
def test_predictions_equal_those_of_the_library(name, runtime, tmp_path):
    model, frame = case(name).model, case(name).frame
    assert_equal(runtime, model, edge_rows(model, frame, 300), tmp_path, ROUNDING.get(runtime, 0.0))


@pytest.mark.parametrize("runtime", DIGITS)
@pytest.mark.parametrize("name", LINEAR_ENSEMBLES)
def test_linear_leaves_too(name, runtime, tmp_path):
    model, frame = linear_case(name).model, linear_case(name).frame
    assert_equal(runtime, model, edge_rows(model, frame, 300), tmp_path, 10 * DIGITS[runtime])


@pytest.mark.parametrize("name", ENSEMBLES)
def test_shap_values_add_up_to_the_raw_score(name):
    model, frame = case(name).model, case(name).frame[:50]
    explained, view = shap_values(model, frame), view_model(model)
    raw = np.array(
        [
            view.raw([t.nodes[n] for t, n in zip(view.trees, at, strict=True)])
            for at in ends(model, frame)
        ]
    )
    total = explained.base_values + explained.values.sum(axis=1)
    if view.is_softmax and len(view.labels) == 2:
        sign = 1.0 if view.labels[1] == max(view.labels) else -1.0
        raw = sign * (raw[:, 1] - raw[:, 0])
    elif view.is_softmax:
        raw = raw[:, np.argsort(view.labels)]
    elif view.labels and view.labels[1] != max(view.labels):
        raw = -raw
    np.testing.assert_allclose(total.reshape(len(frame), -1), raw.reshape(len(frame), -1), 1e-9)


@pytest.mark.parametrize("name", ["boosting, numbers", "forest, three classes"])
def test_reasons_predict_what_the_library_does(name):
    model, frame = case(name).model, case(name).frame[:20]
    reasons = [why(model, row) for row in frame.to_numpy(dtype=object).tolist()]
    found = [reason.prediction for reason in reasons]
    if name.startswith("boosting"):
        np.testing.assert_allclose(found, model.predict(frame), rtol=1e-12)
    else:
        assert found == model.predict(frame).tolist()
    assert all("(the largest contribution of 4 trees)" in str(reason) for reason in reasons)


def test_trees_that_are_not_in_use_are_left_out():
    model, frame = linear_case("choice, numbers").model, linear_case("choice, numbers").frame
    view = view_model(model)
    assert (len(view.trees), view.n_unused, model.n_trees_) == (1, 1, 2)
    (tree,) = view.trees
    assert tree.number == tree.member == int(view.is_linear)
    rows = encoded_rows(model, frame[:50])
    raw = [
        view.raw([tree.nodes[at]], row)[0]
        for (at,), row in zip(ends(model, frame[:50]), rows.tolist(), strict=True)
    ]
    np.testing.assert_allclose(raw, model.predict(frame[:50]), rtol=1e-12)
