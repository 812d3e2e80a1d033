import pytest

from sgtrees.export import c_header, to_c
from tests.conformance.exports.models import MODELS


@pytest.fixture(scope="module")
def case():
    return MODELS["squared_error"]()


def test_names_in_c_begin_with_the_prefix(case):
    source, header = to_c(case.model, name="price"), c_header(case.model, name="price")
    assert "double price_predict(const double *x) {" in source
    assert "double price_predict(const double *x);" in header
    assert "#define PRICE_N_FEATURES 9" in header
    assert "NAME_" not in source


@pytest.mark.parametrize("name", ["", "9lives", "a b", "a-b", "é"])
def test_a_prefix_that_is_no_name_in_c_is_refused(case, name):
    for export in (to_c, c_header):
        with pytest.raises(ValueError, match="must be letters, digits and underscores"):
            export(case.model, name=name)
