"""Requests are learned in order and once, together where they wait together; the disk may fail."""

import errno
import queue
import threading
import time

import pytest

from sgtrees.serve import write_ahead_log
from sgtrees.serve.errors import RequestError
from sgtrees.serve.learn_requests import label_record
from sgtrees.serve.limits import Limits
from sgtrees.serve.state_folder import StateFolder
from tests.unit.serve.running import Running, begin, events_of, record_of, same


def test_requests_that_wait_are_written_together_and_learned_in_order(tmp_path, monkeypatch):
    running = Running(tmp_path)
    synchronised = []
    monkeypatch.setattr(write_ahead_log, "_synchronise", synchronised.append)
    waiting = [running.submit(record_of(*events_of([n]))) for n in range(500)]
    assert all(w.result().learned == 1 for w in waiting)
    assert len(synchronised) < 400
    whole = begin()
    for n in range(500):
        whole.learn(record_of(*events_of([n])).rows)
    assert same(running.state.model, whole)
    assert running.errors.now()["model"].total < running.errors.now()["majority class"].total
    running.stop()


def test_requests_that_come_together_are_one_group_when_the_thread_is_woken(running):
    groups = []
    running.learner._deliver = lambda group, deliver=running.learner._deliver: (
        groups.append(len(group)),
        deliver(group),
    )
    with running.learner._lock:  # the thread waits meanwhile
        waiting = [running.submit(record_of(*events_of([n])), wake=False) for n in range(20)]
        running.learner.wake()
    assert all(w.result().learned == 1 for w in waiting)
    assert 20 in groups


def test_requests_that_come_while_the_thread_is_busy_wait_until_it_is_woken(tmp_path):
    def call(function):
        if not late:  # the first group is being learned
            late.extend(running.submit(record_of(*events_of([n])), wake=False) for n in range(5))
        return function()

    late = []
    running = Running(tmp_path, call)
    assert running.learn(record_of(*events_of([0]))).learned == 1
    assert not late[0].done.wait(0.2)
    assert running.learner.queued_requests == 5
    running.learner.wake()
    assert all(one.result().learned == 1 for one in late)
    assert running.learner.queued_requests == 0
    running.stop()


def test_a_few_rows_are_learned_where_they_are_asked_for_and_many_by_the_thread(tmp_path):
    called = []

    def call(function):
        called.append(function)
        return function()

    running = Running(tmp_path, call)
    assert running.learn(record_of(*events_of(range(100)))).learned == 100
    assert len(called) == 1
    assert running.learn(record_of(*events_of(range(1000)))).learned == 1000
    assert len(called) == 1
    running.stop()


def test_the_loop_does_not_wait_for_a_model_that_somebody_looks_at(tmp_path):
    answers = []
    asked = threading.Event()

    def call(function):
        answers.append(function())
        if len(answers) == 2:
            asked.set()
        return answers[-1]

    running = Running(tmp_path, call)
    running.learn(record_of(*events_of(range(30))))
    with running.state.model.estimator.model_.lock:
        waiting = running.submit(record_of(*events_of([5])))
        assert asked.wait(30)
        assert not waiting.done.wait(0.05)  # the thread waits instead
    assert waiting.result().learned == 1
    assert answers == [True, False]
    running.stop()


def test_the_loop_does_not_wait_for_predictions_of_many_rows(tmp_path):
    answers = []

    def call(function):
        answers.append(function())
        return answers[-1]

    running = Running(tmp_path, call)
    with running.state.model.being_read():
        assert running.learn(record_of(*events_of([5]))).learned == 1
    assert running.learn(record_of(*events_of([6]))).learned == 1
    assert answers == [False, True]
    running.stop()


class Loop:
    """An event loop that does what it is asked for when a test says so."""

    def __init__(self):
        self.asked = queue.SimpleQueue()

    def __call__(self, function):
        self.asked.put(function)

    def go_on(self):
        return self.asked.get(timeout=30)()


def test_nothing_is_written_before_a_lent_group_is_back_and_then_what_has_come(tmp_path):
    loop = Loop()
    running = Running(tmp_path, loop)
    first = running.submit(record_of(*events_of([0])))
    lent = loop.asked.get(timeout=30)
    later = [running.submit(record_of(*events_of([n])), wake=False) for n in (1, 2)]
    running.learner.wake()
    time.sleep(0.05)
    assert (running.state.log.next, running.learner.queued_requests) == (1, 2)
    assert lent()
    assert first.result().learned == 1
    assert loop.go_on()
    assert [one.result().learned for one in later] == [1, 1]
    assert (running.state.log.next, running.learner.queued_requests) == (3, 0)
    running.stop()


def test_a_checkpoint_waits_for_a_lent_group(tmp_path):
    loop = Loop()
    running = Running(tmp_path, loop)
    waiting = running.submit(record_of(*events_of([0])))
    lent = loop.asked.get(timeout=30)
    running.learner.checkpoint_soon()
    time.sleep(0.05)
    assert running.learner.checkpoints.is_wanted
    lent()
    assert waiting.result().learned == 1
    for _ in range(3000):
        if running.state.position == 1:
            break
        time.sleep(0.01)
    assert running.state.position == 1
    running.stop()


def test_stopping_waits_for_a_lent_group(tmp_path):
    loop = Loop()
    running = Running(tmp_path, loop)
    waiting = running.submit(record_of(*events_of([0])))
    lent = loop.asked.get(timeout=30)
    stopping = threading.Thread(target=running.stop)
    stopping.start()
    stopping.join(0.05)
    assert stopping.is_alive()
    lent()
    stopping.join(30)
    assert not stopping.is_alive()
    assert waiting.result().learned == 1
    again = Running(tmp_path)
    assert (again.state.model.rows, again.state.recovery.records) == (1, 0)
    again.stop()


def test_few_rows_of_many_bytes_are_learned_by_the_thread(tmp_path):
    running = Running(tmp_path, lambda function: pytest.fail("they are not few"))
    wide = {f"x{place}": 0.5 for place in range(10_000)}
    assert running.learn(record_of({**events_of([0])[0], **wide})).learned == 1
    running.stop()


def test_a_checkpoint_that_cannot_begin_is_a_failure_that_all_hear_of(running, monkeypatch):
    def fail():
        raise RuntimeError("can't start new thread")

    running.learn(record_of(*events_of([0])))
    monkeypatch.setattr(running.learner.checkpoints, "begin", fail)
    running.learner.checkpoint_soon()
    for _ in range(3000):
        if running.learner.failure:
            break
        time.sleep(0.01)
    with pytest.raises(RequestError, match="can't start new thread"):
        running.submit(record_of(*events_of([1])))


def test_an_error_where_a_few_rows_are_learned_stops_learning(tmp_path):
    def call(function):
        raise OSError("the loop has ended")

    running = Running(tmp_path, call)
    failed = running.learn(record_of(*events_of([0])))
    assert (failed.status, failed.name) == (503, "learner_failed")
    with pytest.raises(RequestError, match="the loop has ended"):
        running.submit(record_of(*events_of([1])))
    running.stop()
    again = Running(tmp_path)
    assert again.state.model.rows == 1
    again.stop()


def test_a_repeated_request_is_learned_once_and_other_rows_under_its_id_are_refused(running):
    record = record_of(*events_of(range(5)), request_id="r1")
    waiting = [running.submit(record) for _ in range(4)]
    results = [w.result() for w in waiting]
    assert [r.learned for r in results] == [5, 0, 0, 0]
    assert [r.repeated for r in results] == [0, 5, 5, 5]
    other = running.learn(record_of(*events_of(range(6)), request_id="r1"))
    assert (other.status, other.name) == (409, "id_used")
    assert running.state.model.rows == 5


def test_a_request_is_learned_as_a_whole_or_not_at_all(running):
    running.learn(record_of(*events_of(range(100))))
    before = running.state.model.rows
    rows = [*events_of(range(3)), {"size": 0.5, "colour": "r", "kind": None}]
    refused = running.learn(record_of(*rows, request_id="r1"))
    assert (refused.status, refused.name) == (422, "no_target")
    assert running.state.model.rows == before
    # Corrected, it may come under the same id.
    assert running.learn(record_of(*events_of(range(3)), request_id="r1")).learned == 3


def test_a_label_is_learned_once_with_the_prediction_that_was_given(running):
    running.learn(record_of(*events_of(range(100))))
    events = events_of(range(3))
    record = label_record(["x", "y", "z"], events, ["?", events[1]["kind"], None], None, 0.0)
    before = running.errors.rows
    assert running.learn(label_record(["x"], events[:1], ["?"], None, 0.0)).learned == 1
    rest = running.learn(record)
    assert (rest.learned, rest.repeated) == (2, 1)
    assert running.errors.rows == before + 3
    other = [{**events[0], "kind": "b" if events[0]["kind"] == "a" else "a"}]
    refused = running.learn(label_record(["x"], other, ["?"], None, 0.0))
    assert (refused.status, refused.name) == (409, "label_differs")


def test_a_full_queue_is_refused(tmp_path, monkeypatch):
    running = Running(tmp_path, queue_rows=10)
    with running.learner._lock:  # the thread waits meanwhile
        waiting = [running.submit(record_of(*events_of(range(5)))) for _ in range(2)]
        with pytest.raises(RequestError) as refused:
            running.submit(record_of(*events_of([1])))
    assert (refused.value.status, refused.value.retry_after) == (429, 1)
    assert [w.result().learned for w in waiting] == [5, 5]
    running.stop()


@pytest.mark.parametrize(
    ("code", "status", "name"),
    [(errno.ENOSPC, 507, "disk_full"), (errno.EROFS, 503, "disk_unwritable")],
)
def test_a_disk_that_cannot_be_written_refuses_learning_until_it_can(
    running, monkeypatch, code, status, name
):
    running.learn(record_of(*events_of(range(100))))

    def failing(descriptor):
        raise OSError(code, "the reason")

    monkeypatch.setattr(write_ahead_log, "_synchronise", failing)
    refused = running.learn(record_of(*events_of([1]), request_id="r1"))
    assert (refused.status, refused.name) == (status, name)
    assert "the reason" in refused.message
    assert running.state.model.rows == 100
    assert running.state.model.predict(record_of(*events_of([1])).rows)[0] in "ab"
    monkeypatch.undo()
    assert running.learn(record_of(*events_of([1]), request_id="r1")).learned == 1


def test_stopping_learns_what_waits_and_leaves_nothing_to_learn_again(tmp_path):
    running = Running(tmp_path)
    waiting = [running.submit(record_of(*events_of([n]))) for n in range(300)]
    running.stop()
    assert all(w.result().learned == 1 for w in waiting)
    again = StateFolder(tmp_path, begin, Limits())
    assert again.recovery.records == 0
    assert same(again.model, running.state.model)
    again.close()


def test_an_error_of_the_library_stops_learning_and_a_start_has_the_logged_rows(
    tmp_path, monkeypatch
):
    running = Running(tmp_path)
    running.learn(record_of(*events_of(range(50))))

    def failing(event):
        raise RuntimeError("unexpected")

    monkeypatch.setattr(running.state.model, "_learn_event", failing)
    assert running.learn(record_of(*events_of([1]))).status == 503
    with pytest.raises(RequestError, match="start the server again"):
        running.submit(record_of(*events_of([1])))
    running.stop()
    again = StateFolder(tmp_path, begin, Limits())
    assert again.model.rows == 51
    again.close()


class Slow:
    """A model whose learning of many rows waits until a test lets it go on."""

    def __init__(self, running, monkeypatch):
        self.begun, self.may_go_on = threading.Semaphore(0), threading.Semaphore(0)
        learn = running.state.model._learn_table

        def wait(rows):
            self.begun.release()
            assert self.may_go_on.acquire(timeout=30)
            return learn(rows)

        monkeypatch.setattr(running.state.model, "_learn_table", wait)


def until(is_so):
    for _ in range(3000):
        if is_so():
            return True
        time.sleep(0.01)
    return False


def test_a_group_is_written_while_the_one_before_is_learned_and_answered_when_it_is_learned(
    running, monkeypatch
):
    slow = Slow(running, monkeypatch)
    first = running.submit(record_of(*events_of(range(200))))
    assert slow.begun.acquire(timeout=30)
    second = running.submit(record_of(*events_of(range(300))))
    assert until(lambda: running.state.log.next == 2)
    third = running.submit(record_of(*events_of(range(400))))
    assert not slow.begun.acquire(timeout=0.05)
    # Two groups at most are written and not learned.
    assert (running.state.log.next, running.learner.queued_requests) == (2, 1)
    assert not any(one.done.is_set() for one in (first, second, third))
    slow.may_go_on.release(3)
    assert [one.result().learned for one in (first, second, third)] == [200, 300, 400]
    whole = begin()
    for n_rows in (200, 300, 400):
        whole.learn(record_of(*events_of(range(n_rows))).rows)
    assert same(running.state.model, whole)


def test_a_request_with_an_id_is_looked_at_when_those_before_it_are_learned(running, monkeypatch):
    slow = Slow(running, monkeypatch)
    record = record_of(*events_of(range(200)), request_id="r1")
    first = running.submit(record)
    assert slow.begun.acquire(timeout=30)
    again = running.submit(record)
    assert not again.done.wait(0.05)
    slow.may_go_on.release()
    assert (first.result().learned, again.result().repeated) == (200, 200)
    assert running.state.log.next == 1


def test_a_checkpoint_has_all_that_the_log_has(tmp_path, monkeypatch):
    running = Running(tmp_path)
    slow = Slow(running, monkeypatch)
    waiting = [running.submit(record_of(*events_of(range(200))))]
    assert slow.begun.acquire(timeout=30)
    waiting.append(running.submit(record_of(*events_of(range(300)))))
    assert until(lambda: running.state.log.next == 2)
    running.learner.checkpoint_soon()
    slow.may_go_on.release(2)
    assert all(one.result().learned for one in waiting)
    assert until(lambda: running.state.position == 2)
    running.stop()
    again = StateFolder(tmp_path, begin, Limits())
    assert (again.model.rows, again.recovery.records) == (500, 0)
    again.close()


def test_few_rows_are_lent_when_many_before_them_are_learned(tmp_path, monkeypatch):
    running = Running(tmp_path)
    slow = Slow(running, monkeypatch)
    many = running.submit(record_of(*events_of(range(200))))
    assert slow.begun.acquire(timeout=30)
    few = running.submit(record_of(*events_of([5])))
    assert not few.done.wait(0.05)
    slow.may_go_on.release()
    assert (many.result().learned, few.result().learned) == (200, 1)
    running.stop()


def begun_to_fail(folder, monkeypatch):
    """What runs, a request of 200 rows of which learning has begun, and when that may fail."""
    running = Running(folder)
    begun, may_fail = threading.Event(), threading.Event()

    def failing(rows):
        begun.set()
        assert may_fail.wait(30)
        raise RuntimeError("unexpected")

    monkeypatch.setattr(running.state.model, "_learn_table", failing)
    request = running.submit(record_of(*events_of(range(200))))
    assert begun.wait(30)
    return running, request, may_fail


def test_no_checkpoint_is_made_of_a_model_that_failed_to_learn_what_is_in_the_log(
    tmp_path, monkeypatch
):
    running, request, may_fail = begun_to_fail(tmp_path, monkeypatch)
    running.learner.checkpoint_soon()  # it waits until the group has been learned
    time.sleep(0.2)
    may_fail.set()
    assert request.result().status == 503
    running.stop()
    again = StateFolder(tmp_path, begin, Limits())
    assert (again.model.rows, again.log.next) == (200, 1)
    again.close()


def test_what_was_written_is_not_learned_after_an_error_and_a_start_learns_it(
    tmp_path, monkeypatch
):
    running, first, may_fail = begun_to_fail(tmp_path, monkeypatch)
    second = running.submit(record_of(*events_of(range(300))))
    assert until(lambda: running.state.log.next == 2)
    may_fail.set()
    assert [one.result().status for one in (first, second)] == [503, 503]
    running.stop()
    again = StateFolder(tmp_path, begin, Limits())
    assert again.model.rows == 500
    again.close()
