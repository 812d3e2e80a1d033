import numpy as np

from sgtrees.evaluation.class_numbers import ClassNumbers


def test_labels_are_numbered_as_they_come_one_by_one_or_in_blocks():
    classes = ClassNumbers()
    assert classes.number_of("b") == 0
    assert classes.number(np.array(["a", "b", "c"])).tolist() == [1, 0, 2]
    assert classes.number_of("c") == 2
    assert (classes.labels, len(classes)) == (["b", "a", "c"], 3)


def test_what_is_no_label_has_the_number_minus_1_and_is_not_counted():
    classes = ClassNumbers()
    assert classes.number_of(None) == -1
    assert len(classes) == 0


def test_probabilities_are_put_in_the_order_of_the_numbers():
    classes = ClassNumbers()
    classes.number(["c", "a"])
    found = classes.in_order(np.array([[0.1, 0.2, 0.7]]), np.array(["a", "b", "c"]))
    assert found.tolist() == [[0.7, 0.1, 0.2]]
