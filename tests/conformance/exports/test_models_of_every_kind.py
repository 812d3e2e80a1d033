from functools import cache

import pytest

from tests.conformance.exports.comparing import assert_equal
from tests.conformance.exports.rows import nasty_rows
from tests.conformance.exports.runtimes import RUNTIMES
from tests.conformance.exports.zoo import ZOO, Case


@cache
def case(name: str) -> Case:
    return ZOO[name]()


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", ZOO)
def test_predictions_are_the_librarys(name, runtime, tmp_path):
    model, frame = case(name).model, case(name).frame
    assert_equal(runtime, model, nasty_rows(model, frame), tmp_path)
