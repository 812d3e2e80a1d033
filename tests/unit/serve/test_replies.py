"""Replies are JSON, whatever was predicted."""

import json

import pytest

from sgtrees.serve.learn_requests import Outcome
from sgtrees.serve.replies import json_response, learned_response

PREDICTIONS = [
    None,
    [],
    ["late"],
    ['"\\\n\x00é☃'],
    [None],
    [True],
    [3],
    [0.1],
    ["a", "b"],
    [1.5, 2],
]


@pytest.mark.parametrize("predictions", PREDICTIONS)
def test_a_reply_that_is_put_together_is_the_one_of_the_encoder(predictions):
    reply = learned_response(Outcome(1, 2, predictions), 7, with_predictions=True)
    document = {"learned": 1, "repeated": 2, "predictions": predictions, "model_rows": 7}
    assert json.loads(reply.body) == document
    assert (reply.body, reply.headers) == (
        json_response(document).body,
        json_response(document).headers,
    )


def test_a_reply_without_predictions_does_not_name_them():
    reply = learned_response(Outcome(1, 0, ["late"]), 7, with_predictions=False)
    assert json.loads(reply.body) == {"learned": 1, "repeated": 0, "model_rows": 7}


def test_half_a_character_in_a_reply_is_replaced():
    reply = learned_response(Outcome(1, 0, ["\ud800"]), 7, with_predictions=True)
    assert json.loads(reply.body)["predictions"] == ["?"]
