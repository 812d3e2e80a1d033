"""Labels, class weights and outputs of documents: wrong ones are refused by their position."""

import pytest

from sgtrees.data.columns import Kind
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Fields
from sgtrees.persistence.targets import (
    class_weight_from_document,
    labels_from_document,
    labels_to_document,
    outputs_from_document,
)
from sgtrees.targets.labels import Labels


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (["a", -1.0], "a label and a weight of at least 0"),
        ([["a"], 1.0], "a label and a weight of at least 0"),
        ([{"dict": []}, 1.0], "a label and a weight of at least 0"),
        (["a", 1.0, 2.0], "a pair of label and weight"),
        ("ab", "a pair of label and weight"),
        (["a", "b"], "a number"),
    ],
)
def test_wrong_class_weights_are_refused(pair, message):
    fields = Fields({"balanced": False, "by_label": [["x", 0.0], pair]}, "here")
    with pytest.raises(ModelFileError, match=rf"here\.by_label\[1\] is .* must be {message}"):
        class_weight_from_document(fields)


def test_labels_that_were_seen_and_declared_come_back_in_their_order():
    labels = Labels()
    labels.extend(["spam", "ham"], Kind.STRING)
    labels.declare(["late"], Kind.STRING)
    again = labels_from_document(Fields(labels_to_document(labels), "here"))
    assert (again.seen, again.declared, again.kind) == (["spam", "ham"], {"late"}, Kind.STRING)
    assert again.unseen == ["late"]


def test_labels_that_are_no_integers_are_refused():
    fields = Fields({"kind": Kind.NUMBER.value, "seen": [1, 1.5], "declared": []}, "here")
    with pytest.raises(ModelFileError, match=r"here\.seen is .* must be a list of integers"):
        labels_from_document(fields)


@pytest.mark.parametrize("names", [["a"], ["a", "a"], ["a", "b", "c"]])
def test_names_of_outputs_are_as_many_as_there_are_and_differ(names):
    fields = Fields({"outputs": {"count": 2, "names": names}}, "here")
    with pytest.raises(ModelFileError, match="must be a list of 2 different names"):
        outputs_from_document(fields)
