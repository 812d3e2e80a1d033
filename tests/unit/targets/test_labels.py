import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sgtrees.data.columns import Kind
from sgtrees.targets.labels import Labels, code_label, code_labels, number_labels


def number(y, labels, counts=None):
    """Number a block's labels and make the new ones known, as an estimator does."""
    numbered = number_labels(code_labels(y), labels, counts)
    labels.extend(numbered.new, numbered.kind)
    return numbered.numbers


@pytest.mark.parametrize(
    "y",
    [
        np.array([5, 3, 5, -2]),
        np.array([5, 3, 5, -2], dtype=np.int8),
        np.array([5.0, 3.0, 5.0, -2.0]),
        np.array([5, 3, 5, -2], dtype=object),
        np.array([5 * 10**9, 3, 5 * 10**9, -2]),
        [5, 3, 5, -2],
        ["a", "c", "a", "b"],
        np.array(["a", "c", "a", "b"], dtype=object),
        pd.Series(["a", "c", "a", "b"]),
        pd.Series(["a", "c", "a", "b"], dtype="category"),
        pd.Series([5, 3, 5, -2], dtype="category"),
        pd.Series([5, 3, 5, -2], index=[9, 8, 7, 6]),
        pl.Series(["a", "c", "a", "b"]),
        pl.Series([5, 3, 5, -2]),
        pa.chunked_array([["a", "c"], ["a", "b"]]),
        pa.chunked_array([[5, 3], [5, -2]]),
    ],
)
def test_labels_are_numbered_in_order_of_first_appearance(y):
    labels = Labels()
    numbers = number(y, labels)
    assert numbers.dtype == np.int32
    assert numbers.tolist() == [0, 1, 0, 2]
    assert number(y, labels).tolist() == [0, 1, 0, 2]


def test_booleans_are_labels():
    labels = Labels()
    assert number(np.array([True, False, True]), labels).tolist() == [0, 1, 0]
    assert labels.ordering.classes.tolist() == [False, True]


def test_new_labels_may_come_later():
    labels = Labels()
    number(["b"], labels)
    assert number(["a", "b"], labels).tolist() == [1, 0]
    assert labels.ordering.classes.tolist() == ["a", "b"]
    assert labels.ordering.by_number.tolist() == ["b", "a"]
    assert labels.ordering.rank.tolist() == [1, 0]


def test_rows_that_do_not_count_make_no_label_known():
    labels = Labels()
    numbers = number(["a", "b", "c"], labels, np.array([False, True, True]))
    assert numbers.tolist() == [0, 0, 1]
    assert labels.seen == ["b", "c"]


def test_declared_labels_have_no_number_until_they_are_seen():
    labels = Labels()
    labels.declare([1, 2, 3], Kind.NUMBER)
    assert number(np.array([3, 2]), labels).tolist() == [0, 1]
    assert labels.ordering.classes.tolist() == [1, 2, 3]
    assert labels.ordering.rank.tolist() == [2, 1]
    assert labels.unseen == [1]


def test_numbering_alone_leaves_the_labels_as_they_were():
    labels = Labels()
    number_labels(code_labels(["a"]), labels)
    assert labels.seen == []


def test_an_ordering_never_changes():
    labels = Labels()
    number(["b"], labels)
    before = labels.ordering
    number(["a"], labels)
    assert before.classes.tolist() == ["b"]


@pytest.mark.parametrize("later", [[1], [True], np.array([1.0])])
def test_labels_of_another_type_are_refused(later):
    labels = Labels()
    number(["a"], labels)
    with pytest.raises(TypeError, match="but the class labels so far are strings"):
        number(later, labels)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([0.5, 1.0], ValueError, "Unknown label type: continuous"),
        (np.array([0.5], dtype=object), ValueError, "Unknown label type: continuous"),
        ([1.0, np.nan], ValueError, "Input y contains NaN in row 1"),
        ([1.0, np.inf], ValueError, "Input y contains infinity in row 1"),
        (np.array(["a", None], dtype=object), ValueError, "contains NaN or None in row 1"),
        (pd.Series(["a", None]), ValueError, "contains NaN or None in row 1"),
        (np.array(["a", 1], dtype=object), TypeError, "y mixes numbers and strings"),
        (np.array([[1, 2], [3, 4]]), ValueError, "1d array"),
        (np.array(["2020"], dtype="datetime64[Y]"), ValueError, "Unknown label type"),
    ],
)
def test_other_labels_are_refused(y, error, message):
    with pytest.raises(error, match=message):
        code_labels(y)


@pytest.mark.parametrize(
    ("y", "label"), [("a", "a"), (np.int8(3), 3), (2.0, 2), (np.bool_(True), True)]
)
def test_one_label_becomes_a_plain_value(y, label):
    plain, _ = code_label(y)
    assert plain == label
    assert type(plain) is type(label)


@pytest.mark.parametrize("y", [None, float("nan"), 0.5, [1], (1, 2), b"a"])
def test_one_label_that_is_none_is_refused(y):
    with pytest.raises(ValueError, match=r"y is missing|Unknown label type"):
        code_label(y)
