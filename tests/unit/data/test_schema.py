"""Features, their categories, and what the user declares about them."""

import pickle

import numpy as np
import pytest

from sgtrees import _core
from sgtrees.data.columns import Kind
from sgtrees.data.schema import Additions, Categories, Declaration, Feature, Schema


def test_categories_are_numbered_in_order_of_appearance():
    categories = Categories()
    categories.extend(["b", "a"], Kind.STRING)
    categories.extend(["c"], Kind.STRING)
    assert categories.numbers == {"b": 0, "a": 1, "c": 2}


def test_the_core_has_one_table_of_the_categories_to_which_new_ones_are_appended():
    colours = Categories()
    assert len(colours.table) == 0  # of no kind yet
    colours.extend([3.0, 1.0], Kind.NUMBER)
    table = colours.table
    assert len(table) == 2
    colours.extend([2.0], None)
    assert colours.table is table
    assert len(table) == 3
    numbers = np.empty(5)
    new = _core.encode_categories(np.array([2.0, 7.0, 1.0, np.nan, 7.0]), table, numbers, True)
    np.testing.assert_array_equal(numbers, [2.0, 3.0, 1.0, np.nan, 3.0])
    assert new.tolist() == [7.0]
    assert len(table) == 3  # what is new is known when it has been appended


def test_values_that_another_thread_has_appended_already_are_left_out():
    table = _core.KnownCategories()
    table.append(0, np.array([5.0, 6.0]))
    table.append(1, np.array([6.0, 7.0]))
    assert len(table) == 3
    numbers = np.empty(3)
    _core.encode_categories(np.array([7.0, 6.0, 5.0]), table, numbers, False)
    np.testing.assert_array_equal(numbers, [2.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="beyond"):
        table.append(5, np.array([8.0]))


def test_strings_have_no_table_in_the_core_and_tables_are_not_pickled():
    strings, numbers = Categories(), Categories()
    strings.extend(["red"], Kind.STRING)
    assert len(strings.table) == 0
    numbers.extend([4.0, 9.0], Kind.NUMBER)
    before = numbers.memory_bytes
    assert len(numbers.table) == 2
    assert numbers.memory_bytes > before
    copied = pickle.loads(pickle.dumps(numbers))
    assert copied.numbers == numbers.numbers
    assert len(copied.table) == 2


def test_a_change_of_kind_is_refused_naming_the_column():
    categories = Categories()
    categories.extend(["b"], Kind.STRING)
    with pytest.raises(TypeError, match="column 'c' held strings so far and now holds numbers"):
        categories.check_kind(Kind.NUMBER, "column 'c'")


def test_the_kind_of_a_column_without_values_fits_all():
    categories = Categories()
    categories.extend(["b"], Kind.STRING)
    categories.check_kind(None, "column 'c'")


def test_a_named_schema_knows_features_by_name():
    schema = Schema([Feature("a"), Feature("b", Categories())])
    assert schema.index == {"a": 0, "b": 1}
    assert schema.nominal == [False, True]
    assert schema.string_names == ["a", "b"]


def test_an_unnamed_schema_knows_features_by_number():
    schema = Schema([Feature(0), Feature(1)], named=False)
    assert schema.index == {0: 0, "x0": 0, 1: 1, "x1": 1}
    assert schema.string_names is None


def test_names_that_are_not_all_strings_are_no_string_names():
    assert Schema([Feature("a"), Feature(7)]).string_names is None


def test_applied_additions_append_features_and_categories():
    schema = Schema([Feature("a", Categories())])
    additions = Additions(features=[Feature("b", Categories())])
    additions.note(0, ["x"], Kind.STRING)
    additions.note(1, [True], Kind.BOOLEAN)
    schema.apply(additions)
    assert schema.index == {"a": 0, "b": 1}
    assert schema.category_numbers == [{"x": 0}, {True: 0}]


def test_the_lookup_shares_the_dictionaries_of_the_features():
    schema = Schema([Feature("a", Categories())])
    schema.features[0].categories.extend(["x"], Kind.STRING)
    assert schema.category_numbers == [{"x": 0}]


def test_from_dtype_goes_by_the_data():
    declared = Declaration("from_dtype")
    assert declared.is_nominal(0, "a", by_type=True)
    assert not declared.is_nominal(0, "a", by_type=False)


def test_none_declares_no_feature():
    assert not Declaration(None).is_nominal(0, "a", by_type=True)


@pytest.mark.parametrize("given", [["b"], np.array(["b"]), [1], np.array([1]), [False, True]])
def test_names_numbers_and_masks_declare_the_same_feature(given):
    declared = Declaration(given)
    declared.first_schema(["a", "b"], [False, False])
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
        Declaration(given).first_schema(names, [False, False])
