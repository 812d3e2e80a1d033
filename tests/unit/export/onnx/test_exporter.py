import sys

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTRegressor
from sgtrees.export import to_onnx
from tests.conformance.exports.models import MODELS
from tests.conformance.exports.runtimes import onnx_inputs, onnx_session


@pytest.fixture(scope="module")
def case():
    return MODELS["squared_error"]()


def test_there_is_one_input_where_all_are_numbers_and_one_for_each_feature_otherwise(case):
    numbers = MODELS["numbers"]().model
    assert [tensor.name for tensor in to_onnx(numbers).graph.input] == ["X"]
    by_column = to_onnx(numbers, by_column=True).graph.input
    assert [tensor.name for tensor in by_column] == ["x0", "x1", "x2", "x3"]
    columns = to_onnx(case.model, missing_string="?").graph.input
    assert [tensor.name for tensor in columns] == list(case.frame.columns)


def test_one_block_cannot_hold_strings(case):
    with pytest.raises(ValueError, match="feature 'colour' holds strings"):
        to_onnx(case.model, by_column=False)


def test_the_string_for_missing_values_must_be_no_category(case):
    frame = case.frame[:200].assign(colour=["", "red"] * 100)
    model = SGTRegressor(warm_up=50).partial_fit(frame, np.arange(200.0))
    with pytest.raises(ValueError, match="missing_string='' is a category of feature 'colour'"):
        to_onnx(model)
    to_onnx(model, missing_string="?")


def test_inputs_by_column_need_names_of_their_own():
    model = SGTRegressor(warm_up=2)
    for i in range(10):
        model.learn_one({1: float(i), "1": "a"}, float(i))
    with pytest.raises(ValueError, match="feature 1 is named '1', but inputs by column need"):
        to_onnx(model)


def test_float32_rows_are_compared_in_float64():
    case = MODELS["float32"]()
    X = case.frame.to_numpy()
    session = onnx_session(to_onnx(case.model, float32=True))
    assert session.get_inputs()[0].type == "tensor(float)"
    outputs = session.run(["prediction"], onnx_inputs(session, case.frame))
    assert outputs[0].tolist() == case.model.predict(X).tolist()


def test_a_link_of_the_users_own_is_named_and_only_raw_scores_are_given():
    graph = to_onnx(MODELS["own link"]().model, missing_string="?")
    assert [tensor.name for tensor in graph.graph.output] == ["raw"]
    assert "the link '_cube'" in graph.doc_string


def test_an_export_stays_as_it_is_while_the_model_learns_on():
    frame = pd.DataFrame({"a": np.arange(600.0) % 7})
    model = SGTRegressor(warm_up=50).partial_fit(frame, frame["a"])
    session = onnx_session(to_onnx(model))
    before = model.predict(frame)
    model.partial_fit(frame, -frame["a"])
    (after,) = session.run(["prediction"], onnx_inputs(session, frame))
    assert after.tolist() == before.tolist() != model.predict(frame).tolist()


def test_absent_onnx_is_named_with_the_command_that_installs_it(case, monkeypatch):
    for module in [m for m in sys.modules if m.startswith("sgtrees.export.onnx.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install '.*onnx"):
        to_onnx(case.model)
