import pytest

from sgtrees.data.columns import Kind
from sgtrees.models.bag_model import two_labels
from sgtrees.targets.labels import Labels, code_labels


def test_the_greater_label_is_positive_by_default():
    y = code_labels([2, 1, 2])
    assert two_labels(y, range(3), Labels()).positive == 2
    assert two_labels(y, range(3), Labels(), positive_label=1).positive == 1
    assert two_labels(y, range(3), Labels(), positive_label=1).targets(y).tolist() == [
        0.0,
        1.0,
        0.0,
    ]


def test_labels_that_are_known_need_not_occur_again():
    known = Labels()
    known.declare(["a", "b"], Kind.STRING)
    assert two_labels(code_labels(["a"]), [0], known).positive == "b"
    with pytest.raises(ValueError, match="bag 7 has the label 'c', a third one"):
        two_labels(code_labels(["a", "c"]), [3, 7], known)


def test_a_third_label_is_named_with_its_first_bag():
    with pytest.raises(ValueError, match=r"bag 'q' has the label 9, a third one after \[0, 4\]"):
        two_labels(code_labels([0, 4, 9, 9]), ["m", "n", "q", "r"], Labels())
