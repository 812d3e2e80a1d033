import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgtrees.data.class_balance import ClassTotals, balance
from sgtrees.targets.labels import code_labels


def test_all_classes_that_have_occurred_share_the_weight_of_a_row():
    y = ["a"] * 9 + ["b"]
    weights, totals = balance(code_labels(y), None, ClassTotals())
    assert weights[-1] == 10 / (2 * 1)
    assert totals == ClassTotals({"a": 9.0, "b": 1.0}, 10.0)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 10)), min_size=1, max_size=30),
    st.integers(0, 30),
)
def test_a_block_and_its_parts_get_the_same_weights(rows, cut):
    labels, weights = zip(*rows, strict=True)
    whole, totals = balance(code_labels(list(labels)), np.array(weights), ClassTotals())
    parts, after = [], ClassTotals()
    for part in (slice(0, cut), slice(cut, None)):
        if labels[part]:
            coded = code_labels(list(labels[part]))
            of_part, after = balance(coded, np.array(weights[part]), after)
            parts.append(of_part)
    assert np.concatenate(parts).tobytes() == whole.tobytes()
    assert after == totals


def test_rows_of_weight_0_do_not_count():
    y = code_labels(["a", "b", "a"])
    weights, totals = balance(y, np.array([1.0, 0.0, 1.0]), ClassTotals())
    assert weights.tolist() == [1.0, 0.0, 1.0]
    assert totals.by_label == {"a": 2.0}


def test_merged_totals_count_the_common_rows_once():
    base = ClassTotals({"a": 2.0}, 2.0)
    here, there = ClassTotals({"a": 3.0}, 3.0), ClassTotals({"a": 2.0, "b": 4.0}, 6.0)
    assert here.merged(there, base) == ClassTotals({"a": 3.0, "b": 4.0}, 7.0)
    assert here.merged(there).total == pytest.approx(9.0)
