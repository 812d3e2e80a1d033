from functools import cache

import pytest

from tests.conformance.exports.comparison import assert_equal
from tests.conformance.exports.models import MODELS, Case
from tests.conformance.exports.rows import edge_rows
from tests.conformance.exports.runtimes import RUNTIMES


@cache
def case(name: str) -> Case:
    return MODELS[name]()


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", MODELS)
def test_predictions_equal_those_of_the_library(name, runtime, tmp_path):
    model, frame = case(name).model, case(name).frame
    assert_equal(runtime, model, edge_rows(model, frame), tmp_path)
