import pytest

from sgtrees.data.schema import Additions, Categories, Feature, Schema
from sgtrees.data.values import Kind


def test_categories_are_numbered_in_order_of_appearance():
    categories = Categories()
    categories.extend(["b", "a"], Kind.STRING)
    categories.extend(["c"], Kind.STRING)
    assert categories.numbers == {"b": 0, "a": 1, "c": 2}


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
