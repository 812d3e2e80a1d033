import numpy as np
import pandas as pd
import pytest

from sgtrees._core import Columns
from sgtrees.data.columns import Kind
from sgtrees.data.encoding import (
    align,
    as_array,
    encode,
    encode_weighted,
    first_schema,
    interleave,
)
from sgtrees.data.schema import Categories, Declaration, Feature, Schema
from sgtrees.data.tables import read_table


def read(X):
    return read_table(X, "SGTClassifier")


def schema_of(X, categorical_features="from_dtype"):
    return first_schema(read(X), Declaration(categorical_features))


def learn(X, schema):
    """Encode a block and make what it adds part of the schema, as an estimator does."""
    block, additions = encode(read(X), schema.features, learn=True)
    schema.apply(additions)
    return block


def same(block, expected):
    np.testing.assert_array_equal(as_array(block), expected)


def test_a_numeric_array_is_passed_on_without_a_copy():
    X = np.ones((3, 2), dtype=np.float32)
    assert np.shares_memory(learn(X, schema_of(X)), X)


def test_words_and_booleans_are_nominal_by_their_type():
    X = pd.DataFrame({"a": ["x"], "b": [True], "c": [1.5], "d": [1]})
    assert schema_of(X).nominal == [True, True, False, False]


def test_categories_are_numbered_in_order_of_first_appearance_whatever_the_codes():
    X = pd.DataFrame({"a": pd.Categorical(["c", "a", None, "c"], categories=["a", "b", "c"])})
    schema = schema_of(X)
    same(learn(X, schema), [[0], [1], [np.nan], [0]])
    assert schema.category_numbers == [{"c": 0, "a": 1}]
    later = pd.DataFrame({"a": ["b", "a"]})
    same(learn(later, schema), [[2], [1]])


def test_encoding_alone_leaves_the_schema_as_it_was():
    X = pd.DataFrame({"a": ["x", "y"]})
    schema = schema_of(X)
    encode(read(X), schema.features, learn=True)
    assert schema.category_numbers == [{}]


def test_categories_that_were_never_learned_are_minus_one_to_a_prediction():
    schema = schema_of(pd.DataFrame({"a": ["x"]}))
    learn(pd.DataFrame({"a": ["x"]}), schema)
    block, additions = encode(read(pd.DataFrame({"a": ["y", "x"]})), schema.features, learn=False)
    assert as_array(block).tolist() == [[-1], [0]]
    assert not additions.categories


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_declared_columns_of_an_array_are_numbered(dtype):
    X = np.array([[5, 1.5], [7, 2.5], [np.nan, 3.5], [5, 4.5]], dtype=dtype)
    schema = schema_of(X, [0])
    same(learn(X, schema), [[0, 1.5], [1, 2.5], [np.nan, 3.5], [0, 4.5]])
    assert schema.category_numbers == [{5.0: 0, 7.0: 1}, None]
    block, _ = encode(read(np.array([[9.0, 0.0]])), schema.features, learn=False)
    assert block.tolist() == [[-1, 0]]


def test_declared_columns_are_numbered_alike_in_pieces_and_at_once():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 300, size=(10_000, 3)).astype(float)
    at_once, by_row = schema_of(X, [0, 2]), schema_of(X, [0, 2])
    whole = learn(X, at_once)
    pieces = [learn(X[start : start + 7], by_row) for start in range(0, len(X), 7)]
    same(np.vstack(pieces), whole)
    assert at_once.category_numbers == by_row.category_numbers


def test_declared_number_columns_of_a_frame_and_of_an_array_agree():
    X = np.array([[5, 1], [7, 2], [5, 3]])
    frame = pd.DataFrame(X, columns=["a", "b"])
    same(learn(frame, schema_of(frame, ["a"])), learn(X, schema_of(X, [0])))


def test_booleans_in_a_numeric_column_are_zero_and_one():
    frame = pd.DataFrame({"a": [True, False], "b": ["x", "y"]})
    assert as_array(learn(frame, schema_of(frame, ["b"]))).tolist() == [[1, 0], [0, 1]]


def test_strings_in_a_numeric_column_are_refused():
    frame = pd.DataFrame({"a": ["x"]})
    with pytest.raises(TypeError, match="column 'a' is numeric but holds strings, 'x' among them"):
        learn(frame, schema_of(frame, None))


@pytest.mark.parametrize(
    "later", [[1.0], pd.Categorical([1]), [True], pd.Series([1], dtype=object)]
)
def test_categories_of_another_kind_are_refused(later):
    schema = schema_of(pd.DataFrame({"a": ["x"]}))
    learn(pd.DataFrame({"a": ["x"]}), schema)
    with pytest.raises(TypeError, match="column 'a' held strings so far and now holds"):
        learn(pd.DataFrame({"a": later}), schema)


@pytest.mark.parametrize("later", [[np.nan], [None], pd.Series([np.nan], dtype=object)])
def test_a_column_of_missing_values_is_of_any_kind(later):
    schema = schema_of(pd.DataFrame({"a": ["x"]}))
    learn(pd.DataFrame({"a": ["x"]}), schema)
    assert np.isnan(as_array(learn(pd.DataFrame({"a": later}), schema))).all()


@pytest.mark.parametrize("X", [np.array([[1.0, 2.0], [3.0, -np.inf]]), [["a", 1.0], ["b", np.inf]]])
def test_infinities_are_refused_by_row_and_column(X):
    with pytest.raises(ValueError, match="infinity in row 1, column 1"):
        learn(X, schema_of(X))


def test_infinities_in_a_declared_column_are_refused():
    frame = pd.DataFrame({"a": [1.0, np.inf], "b": ["x", "y"]})
    with pytest.raises(ValueError, match="infinity in row 1, column 'a'"):
        learn(frame, schema_of(frame, ["a", "b"]))


def test_columns_are_written_side_by_side():
    columns = [np.arange(10_000.0), np.arange(10_000, dtype=np.float32)]
    block = interleave(columns, 10_000)
    assert block.dtype == np.float64
    assert block.flags.c_contiguous
    same(block, np.column_stack(columns))


def test_rows_of_weight_zero_number_no_category():
    X = pd.DataFrame({"a": ["x", "y", "z", "x"], "b": [1, 2, 3, 4]})
    schema = schema_of(X)
    weights = np.array([0.0, 1.0, 1.0, 0.0])
    block, additions = encode_weighted(read(X), schema.features, weights)
    assert additions.categories == {0: (["y", "z"], Kind.STRING)}
    assert block.tolist() == [[-1, 1], [0, 2], [1, 3], [-1, 4]]


def test_columns_are_aligned_by_name():
    schema = Schema([Feature("a"), Feature("b", Categories()), Feature("c")])
    table, features = align(
        read(pd.DataFrame({"new": ["n"], "c": [3.0], "a": [1.0]})),
        schema,
        Declaration("from_dtype"),
    )
    block, _ = encode(table, [*schema.features, *features], learn=True)
    same(block, [[1.0, np.nan, 3.0, 0.0]])
    assert [(feature.name, feature.nominal) for feature in features] == [("new", True)]


def test_columns_without_names_cannot_be_aligned():
    with pytest.raises(ValueError, match="X has no column names"):
        align(read(np.ones((1, 1))), Schema([Feature("a")]), Declaration("from_dtype"))


# ---- arrays that stand column after column ------------------------------------------------------

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def by_column(rows, dtype=np.float64):
    return np.array(rows, dtype=dtype, order="F")


@DTYPES
def test_columns_whose_categories_are_their_own_numbers_are_passed_on_without_a_copy(dtype):
    X = by_column([[0, 1.5, 0], [np.nan, 2.5, 1], [1, 3.5, 0], [2, np.nan, 1]], dtype)
    schema = schema_of(X, [0, 2])
    block = learn(X, schema)
    assert isinstance(block, Columns)
    assert block.shape == (4, 3)
    assert all(np.shares_memory(column, X) for column in block.arrays)
    assert schema.category_numbers == [{0.0: 0, 1.0: 1, 2.0: 2}, None, {0.0: 0, 1.0: 1}]


@DTYPES
def test_only_columns_with_other_numbers_are_written_anew(dtype):
    X = by_column([[1, 1.5, 0], [0, 2.5, 1], [np.nan, 3.5, -0.0]], dtype)
    before = X.copy()
    schema = schema_of(X, [0, 2])
    block = learn(X, schema)
    shared = [np.shares_memory(column, X) for column in block.arrays]
    assert shared == [False, True, True]
    same(as_array(block), [[0, 1.5, 0], [1, 2.5, 1], [np.nan, 3.5, 0]])
    same(X, before)
    assert {column.dtype for column in block.arrays} == {np.dtype(dtype)}
    later = by_column([[0, 0.0, 5], [7, 0.0, 1]], dtype)
    block, additions = encode(read(later), schema.features, learn=False)
    assert as_array(block).tolist() == [[1, 0, -1], [-1, 0, 1]]
    assert not additions.categories


@DTYPES
@pytest.mark.parametrize("values", [(0, 1), (1, 0), (0, 1, 2, 7), (0.5, 1), (-1, 0), (3,)])
def test_columns_and_rows_are_numbered_alike(dtype, values):
    rng = np.random.default_rng(len(values))
    # Categories come one after the other, so that numbers begin to differ in any piece.
    drawn = [rng.choice(values[: 1 + place * len(values) // 5000]) for place in range(5000)]
    X = np.column_stack([drawn, rng.random(5000), drawn[::-1]]).astype(dtype)
    X[rng.random(X.shape) < 0.05] = np.nan
    by_row, in_columns = schema_of(X, [0, 2]), schema_of(X, [0, 2])
    for piece in (slice(0, 3000), slice(3000, None)):
        expected, found = learn(X[piece], by_row), learn(np.asfortranarray(X[piece]), in_columns)
        same(as_array(found), expected)
    assert in_columns.category_numbers == by_row.category_numbers


@DTYPES
@pytest.mark.parametrize("nominal", [[], [0], [1], [0, 1]])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_the_first_infinity_among_columns_is_named_by_row(dtype, nominal, infinity):
    X = by_column(np.tile([0.0, 1.0], (4000, 1)), dtype)
    X[3500, 0] = X[2500, 1] = X[3000, 1] = infinity
    with pytest.raises(ValueError, match="infinity in row 2500, column 1;"):
        learn(X, schema_of(X, nominal))
    X[2500, 0] = infinity
    with pytest.raises(ValueError, match="infinity in row 2500, column 0;"):
        learn(X, schema_of(X, nominal))


def test_columns_of_another_kind_are_refused():
    X = by_column([[1.0, 2.0], [3.0, 4.0]])
    schema = schema_of([["x", 1.0], ["y", 1.0]], [0])
    learn([["x", 1.0], ["y", 1.0]], schema)
    with pytest.raises(TypeError, match="column 0 held strings so far and now holds numbers"):
        learn(X, schema)


def test_rows_of_weight_zero_number_no_category_of_a_column():
    X = by_column([[0, 5], [1, 6], [2, 7], [0, 8]])
    weights = np.array([0.0, 1.0, 1.0, 0.0])
    block, additions = encode_weighted(read(X), schema_of(X, [0]).features, weights)
    assert additions.categories == {0: ([1.0, 2.0], Kind.NUMBER)}
    assert block.tolist() == [[-1, 5], [0, 6], [1, 7], [-1, 8]]
    assert X[0, 0] == 0


def test_a_frame_of_one_type_of_numbers_is_passed_on_without_a_copy():
    X = by_column([[0.5, 1.5], [2.5, 3.5]])
    frame = pd.DataFrame(X, columns=["a", "b"], copy=False)
    block = learn(frame, schema_of(frame))
    assert all(np.shares_memory(column, X) for column in block.arrays)


def test_more_categories_than_float32_can_number_make_the_columns_float64(monkeypatch):
    monkeypatch.setattr("sgtrees.data.encoding._MOST_IN_FLOAT32", 3)
    X = by_column([[0, 1], [1, 1], [2, 1], [3, 1]], np.float32)
    block = learn(X, schema_of(X, [0]))
    assert {column.dtype for column in block.arrays} == {np.dtype(np.float64)}
    same(as_array(block), X)
