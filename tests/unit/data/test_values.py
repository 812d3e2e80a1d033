import numpy as np
import pandas as pd
import pytest

from sgtrees.data.values import Kind, is_missing, kind_of_type, plain


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, np.float32("nan"), pd.NA])
def test_none_nan_and_na_are_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", ["", "nan", 0, False, float("inf"), [], {}])
def test_other_values_are_not_missing(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("a", Kind.STRING),
        (np.str_("a"), Kind.STRING),
        (True, Kind.BOOLEAN),
        (np.bool_(True), Kind.BOOLEAN),
        (1, Kind.NUMBER),
        (np.uint8(1), Kind.NUMBER),
        (np.float32(1), Kind.NUMBER),
        (b"a", None),
        ([1], None),
        (1j, None),
    ],
)
def test_a_type_says_what_kind_its_values_are(value, kind):
    assert kind_of_type(type(value)) is kind


def test_plain_values_are_of_pythons_own_types():
    values = [np.str_("a"), np.bool_(False), np.int64(3), np.float32(0.5)]
    assert [type(plain(value)) for value in values] == [str, bool, int, float]


def test_plain_refuses_other_objects():
    with pytest.raises(TypeError, match="must be a string or a number, got list"):
        plain([1])
