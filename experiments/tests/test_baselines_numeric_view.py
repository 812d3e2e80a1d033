import numpy as np
import pandas as pd

from sgtrees.data.schema import Declaration
from sgtrees.data.tables import read_table
from sgtrees_experiments.multi_instance.numeric_view import NumericView


def learned(frame, declaration="from_dtype"):
    return NumericView.learn(read_table(frame, "it"), Declaration(declaration))


def test_numbers_stay_as_they_are_and_missing_ones_become_the_mean():
    view, matrix = learned(pd.DataFrame({"a": [1.0, np.nan, 5.0], "b": [7, 8, 9]}))
    assert matrix.tolist() == [[1.0, 7.0], [3.0, 8.0], [5.0, 9.0]]
    later = read_table(pd.DataFrame({"a": [np.nan, 0.0], "b": [1, 1]}), "it")
    assert view.of(later).tolist() == [[3.0, 1.0], [0.0, 1.0]]


def test_each_category_becomes_a_column_and_unknown_ones_are_none_of_them():
    frame = pd.DataFrame({"c": ["u", "v", None, "u"], "x": [0.0, 1.0, 2.0, 3.0]})
    view, matrix = learned(frame)
    assert matrix[:, :2].tolist() == [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    later = read_table(pd.DataFrame({"c": ["w", "v"], "x": [0.0, 0.0]}), "it")
    assert view.of(later).tolist() == [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def test_a_column_without_any_value_is_zero():
    _, matrix = learned(pd.DataFrame({"a": [np.nan, np.nan]}))
    assert matrix.tolist() == [[0.0], [0.0]]


def test_numbers_may_be_declared_nominal():
    _, matrix = learned(np.array([[4.0], [9.0], [4.0]]), [0])
    assert matrix.tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
