"""A helper does one thing at a time, in order, while the other thread goes on."""

import threading

import pytest

from sgtrees.serve.helper_thread import HelperThread


@pytest.fixture
def helper():
    thread = HelperThread("helper")
    thread.start()
    yield thread
    thread.stop()


def test_it_works_while_the_other_thread_goes_on(helper):
    may_end, done = threading.Event(), []
    helper.begin(lambda: (may_end.wait(30), done.append(threading.current_thread().name)))
    assert done == []
    may_end.set()
    helper.finish()
    assert done == ["helper"]


def test_one_thing_is_done_after_the_other(helper):
    done = []
    for number in range(300):
        helper.begin(lambda number=number: done.append(number))
        assert done[: number - 1] == list(range(number))[: number - 1]
    helper.finish()
    helper.finish()
    assert done == list(range(300))


def test_an_error_ends_only_the_work_that_has_it(helper, caplog):
    def fail():
        raise ValueError("the reason")

    done = []
    helper.begin(fail)
    helper.begin(lambda: done.append(1))
    helper.finish()
    assert done == [1]
    assert "the reason" in caplog.text


def test_it_ends_when_it_has_done_what_it_was_given():
    helper, done = HelperThread("helper"), []
    helper.start()
    helper.begin(lambda: done.append(1))
    helper.stop()
    assert done == [1]
    assert "helper" not in {thread.name for thread in threading.enumerate()}
