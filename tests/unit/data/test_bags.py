import numpy as np
import pandas as pd
import polars as pl
import pytest

from sgtrees.data.bags import read_bags
from sgtrees.data.columns import Coded, Kind
from sgtrees.targets.labels import code_labels


def read(X, groups=None, bag_column="bag"):
    return read_bags(X, groups, bag_column, "it")


def test_groups_are_numbered_in_order_of_first_appearance():
    bags = read(np.arange(10.0).reshape(5, 2), groups=["b", "a", "b", "c", "a"])
    assert bags.names == ["b", "a", "c"]
    assert bags.sizes.tolist() == [2, 2, 1]
    assert bags.order.tolist() == [0, 2, 1, 4, 3]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_bag_column_is_no_feature(frame):
    bags = read(frame({"a": [1.0, 2.0], "bag": [9, 8], "b": [3.0, 4.0]}))
    assert bags.table.names == ["a", "b"]
    assert bags.names == [9, 8]
    assert list(bags.sample.columns) == ["a", "b"]


def test_groups_go_before_a_bag_column():
    bags = read(pd.DataFrame({"bag": [1.0, 2.0]}), groups=[0, 0])
    assert bags.table.names == ["bag"]
    assert len(bags) == 1


def test_a_list_of_arrays_becomes_one_contiguous_block():
    block = read([np.asfortranarray(np.ones((3, 2))), np.zeros((1, 2))]).table.columns
    assert isinstance(block, np.ndarray)
    assert block.flags.c_contiguous
    assert block.sum(axis=1).tolist() == [2.0, 2.0, 2.0, 0.0]
    single = read([np.asfortranarray(np.ones((3, 2)))]).table.columns
    assert isinstance(single, np.ndarray)
    assert single.flags.c_contiguous
    assert read([np.ones((1, 2), dtype=np.float32)]).table.columns.dtype == np.float32


def test_categories_of_different_bags_become_one_column():
    first = pd.DataFrame({"c": pd.Categorical(["x", None, "y"])})
    second = pd.DataFrame({"c": pd.Categorical(["z", "y", "z"])})
    nothing = pd.DataFrame({"c": [np.nan]})
    column = read([first, second, nothing]).table.column(0)
    assert isinstance(column, Coded)
    assert column.kind is Kind.STRING
    values = [column.values[code] if code >= 0 else None for code in column.codes]
    assert values == ["x", None, "y", "z", "y", "z", None]


def test_kinds_must_agree_between_bags():
    with pytest.raises(TypeError, match="column 'c' holds booleans and strings in different bags"):
        read([pd.DataFrame({"c": ["x"]}), pd.DataFrame({"c": [True]})])


def test_labels_by_row_become_labels_by_bag():
    bags = read([[1.0], [2.0], [3.0]], groups=["b", "a", "b"])
    coded = bags.label_of_each(code_labels(["no", "yes", "no"]))
    assert [coded.values[code] for code in coded.codes] == ["no", "yes"]
