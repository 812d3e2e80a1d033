"""Labels that come again while they are being learned are repeated, not unknown."""

from sgtrees.serve.labels import read_labels, wait_for_labels, with_labels
from sgtrees.serve.rows import Rows
from tests.unit.serve.running import events_of, record_of


def test_a_label_that_is_learned_while_its_repeat_is_looked_at_is_known(running, monkeypatch):
    running.learn(record_of(*events_of(range(100))))
    state, learner = running.state, running.learner
    wait_for_labels(state, ["x"], Rows([{"size": 0.5, "colour": "r"}]), ["a"])
    labels = read_labels(b'{"id": "x", "label": "a"}', "json", 10)
    first, _ = with_labels(state, learner, labels, "request", 0.0)
    find = state.waiting.find

    def find_after_the_first_is_learned(ids):
        assert running.learn(first).learned == 1
        state.waiting.drop(["x"])
        return find(ids)

    monkeypatch.setattr(state.waiting, "find", find_after_the_first_is_learned)
    assert with_labels(state, learner, labels, "request", 0.0) == (None, 1)
    assert state.model.rows == 101
