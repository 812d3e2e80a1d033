"""Labels as codes are the same labels: in replies, in errors, in parts."""

import json

import numpy as np
import pytest

from sgtrees import SGTClassifier
from sgtrees.evaluation.tasks import Task
from sgtrees.serve.learn_requests import Outcome
from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.replies import json_response, learned_response
from sgtrees.serve.row_labels import LabelSet, RowLabels

LABELS = [
    np.array(["late", 'in "time"\n', "é☃"]),
    np.array([7, -3, 12]),
    np.array([False, True, True]),
    np.array(["a", "a\0", "\ud800"], dtype=object),
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: str(labels.dtype))
def test_they_are_in_a_reply_as_a_list_would_be(labels):
    rows = RowLabels(LabelSet(labels), np.array([2, 0, 1, 1, 2], dtype=np.int32))
    listed = labels[[2, 0, 1, 1, 2]].tolist()
    assert list(rows) == listed
    assert list(rows[1:3]) == listed[1:3]
    for part, expected in ((rows, listed), (rows[:1], listed[:1]), (rows[:0], [])):
        reply = learned_response(Outcome(5, 0, part), 7, with_predictions=True)
        document = {"learned": 5, "repeated": 0, "predictions": expected, "model_rows": 7}
        assert reply.body == json_response(document).body
        json.loads(reply.body)


def test_errors_are_those_of_lists_however_both_come():
    random = np.random.default_rng(0)
    labels = np.array(["c", "a", "b", "never"])
    y, predicted = random.integers(0, 3, 9000), random.integers(0, 3, 9000)
    as_codes, as_lists, as_both = (LiveErrors(Task.CLASSIFICATION) for _ in range(3))
    known = LabelSet(labels)
    for number, first in enumerate(range(0, 9000, 500)):
        part = slice(first, first + 500)
        coded = RowLabels(known, y[part]), RowLabels(known, predicted[part])
        listed = tuple(list(labels_of) for labels_of in coded)
        as_codes.add(*coded)
        as_lists.add(*listed)
        as_both.add((coded if number % 3 else listed)[0], (coded if number % 2 else listed)[1])
    assert as_codes.now() == as_lists.now() == as_both.now()
    assert as_codes.rows == 9000


def test_places_of_predictions_are_those_of_the_labels():
    X = np.random.default_rng(1).random((2000, 2))
    y = np.where(X[:, 0] > 0.4, "b", np.where(X[:, 1] > 0.5, "a", "c"))
    one, other = SGTClassifier(), SGTClassifier()
    for part in (slice(0, 3), slice(3, 900), slice(900, 2000)):
        batch = one.prepare(X[part], y[part])
        places = batch.learn_predict("places")
        one.model_ = batch.model
        np.testing.assert_array_equal(one.classes_[places], other.learn_predict(X[part], y[part]))
