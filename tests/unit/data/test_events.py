import numpy as np
import pandas as pd
import pytest

from sgtrees.data.columns import Kind
from sgtrees.data.events import read_event
from sgtrees.data.schema import Categories, Declaration, Feature, Schema

BY_TYPE = Declaration("from_dtype")


@pytest.fixture
def schema():
    colour = Feature("colour", Categories())
    colour.categories.extend(["red", "blue"], Kind.STRING)
    return Schema([Feature("size"), colour])


def test_known_features_are_read_in_the_schemas_order(schema):
    row, additions = read_event({"colour": "blue", "size": np.int32(3)}, schema, BY_TYPE)
    assert row.tolist() == [3, 1]
    assert not additions.features
    assert not additions.categories


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_missing_values_are_nan_in_every_column(schema, missing):
    row, _ = read_event({"size": missing, "colour": missing}, schema, BY_TYPE)
    assert np.isnan(row).all()


def test_absent_features_are_missing(schema):
    row, _ = read_event({}, schema, BY_TYPE)
    assert np.isnan(row).all()


def test_new_categories_are_noted_when_learned(schema):
    row, additions = read_event({"colour": "green"}, schema, BY_TYPE)
    assert row[1] == 2
    assert additions.categories == {1: (["green"], Kind.STRING)}
    assert schema.category_numbers[1] == {"red": 0, "blue": 1}


def test_new_categories_are_minus_one_when_predicted(schema):
    row, additions = read_event({"colour": "green"}, schema, None)
    assert row[1] == -1
    assert not additions.categories


@pytest.mark.parametrize(
    ("value", "nominal"), [("x", True), (True, True), (1.5, False), (7, False)]
)
def test_new_features_are_nominal_by_their_first_value(schema, value, nominal):
    row, additions = read_event({"new": value}, schema, BY_TYPE)
    assert len(row) == 3
    assert [(f.name, f.nominal) for f in additions.features] == [("new", nominal)]


def test_declared_names_make_new_features_nominal(schema):
    row, additions = read_event({"zip": 1234}, schema, Declaration(["zip"]))
    assert row[2] == 0
    assert additions.features[0].nominal
    assert additions.categories == {2: ([1234], Kind.NUMBER)}


def test_a_missing_value_makes_no_new_feature(schema):
    _, additions = read_event({"new": None}, schema, BY_TYPE)
    assert not additions.features


def test_new_features_are_passed_over_when_predicted(schema):
    row, additions = read_event({"new": 1.0, "size": 2.0}, schema, None)
    assert row[0] == 2
    assert len(row) == 2
    assert not additions.features


def test_features_without_names_are_known_by_number():
    schema = Schema([Feature(0), Feature(1)], named=False)
    row, _ = read_event({0: 1.0, "x1": 2.0}, schema, BY_TYPE)
    assert row.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ([1.0], TypeError, "x must be a dictionary from feature names to values, got list"),
        ({"size": "large"}, TypeError, r"x\['size'\] is numeric but holds the string 'large'"),
        ({"size": [1]}, TypeError, r"x\['size'\]: argument must be a string or a number, got list"),
        ({"size": float("inf")}, ValueError, r"x\['size'\] is infinite"),
        ({"colour": 1}, TypeError, "column 'colour' held strings so far and now holds numbers"),
        ({"colour": True}, TypeError, "column 'colour' held strings so far and now holds booleans"),
        ({"new": {}}, TypeError, r"x\['new'\]: argument must be a string or a number, got dict"),
    ],
)
def test_values_of_other_types_are_refused(schema, x, error, message):
    with pytest.raises(error, match=message):
        read_event(x, schema, BY_TYPE)


def test_unknown_keys_are_refused_where_features_have_no_names():
    schema = Schema([Feature(0), Feature(1)], named=False)
    with pytest.raises(ValueError, match=r"unknown feature 'a'.*use the keys 0 to 1"):
        read_event({"a": 1.0}, schema, None)
