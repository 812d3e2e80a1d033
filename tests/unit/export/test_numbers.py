import numpy as np
import pytest

from sgtrees.export import as_numbers
from sgtrees.inspection import view_model
from tests.conformance.exports.models import MODELS


@pytest.fixture(scope="module")
def case():
    return MODELS["squared_error"]()


def test_rows_become_numbers(case):
    numbers = as_numbers(case.model, case.frame)
    assert numbers.dtype == np.float64
    frame = case.frame
    np.testing.assert_array_equal(numbers[:, 0], frame["size"])
    np.testing.assert_array_equal(numbers[:, 3], frame["grade"])
    categories = view_model(case.model).features[2].categories
    for number, colour in zip(numbers[:, 2], frame["colour"], strict=True):
        assert np.isnan(number) if colour is None else categories[int(number)] == colour
    known = frame["known"].map({True: 1.0, False: 0.0, None: np.nan}).astype(float)
    np.testing.assert_array_equal(numbers[:, 6], known)


def test_rows_that_do_not_fit_become_no_numbers(case):
    with pytest.raises(ValueError, match="X has 1 columns, but the model has 9 features"):
        as_numbers(case.model, [[1.0]])
    with pytest.raises(ValueError, match="infinity in row 0, column 'age'"):
        as_numbers(case.model, case.frame[:2].assign(age=np.inf))
    with pytest.raises(TypeError, match="column 'size' is numeric but holds strings, 'big'"):
        as_numbers(case.model, case.frame[:1].assign(size="big"))
