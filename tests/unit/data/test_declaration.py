import numpy as np
import pytest

from sgtrees.data.declaration import Declaration


def test_from_dtype_goes_by_the_data():
    declared = Declaration("from_dtype")
    assert declared.is_nominal(0, "a", by_type=True)
    assert not declared.is_nominal(0, "a", by_type=False)


def test_none_declares_no_feature():
    assert not Declaration(None).is_nominal(0, "a", by_type=True)


@pytest.mark.parametrize("given", [["b"], np.array(["b"]), [1], np.array([1]), [False, True]])
def test_names_numbers_and_masks_declare_the_same_feature(given):
    declared = Declaration(given)
    declared.check(["a", "b"], 2)
    nominal = [declared.is_nominal(i, name, by_type=False) for i, name in enumerate("ab")]
    assert nominal == [False, True]


def test_an_empty_list_declares_no_feature():
    assert not Declaration([]).is_nominal(0, "a", by_type=True)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("dtype", ValueError, "categorical_features='dtype' is not known"),
        ([[0]], ValueError, "must be one-dimensional"),
        ([-1], ValueError, "column numbers start at 0"),
        ([0.5], TypeError, "must hold names, or column numbers, or booleans"),
        (np.array(["a", 1], dtype=object), TypeError, "all of one type"),
    ],
)
def test_declarations_that_mean_nothing_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        Declaration(given)


@pytest.mark.parametrize(
    ("given", "names", "message"),
    [
        (["c"], ["a", "b"], r"names \['c'\], which the data do not have"),
        (["a"], None, "holds names, but the data have none"),
        ([2], ["a", "b"], "names column 2, but the data have 2 columns"),
        ([True], ["a", "b"], "has 1 booleans, but the data have 2 columns"),
    ],
)
def test_declarations_that_do_not_fit_the_data_are_refused(given, names, message):
    with pytest.raises(ValueError, match=message):
        Declaration(given).check(names, 2)
