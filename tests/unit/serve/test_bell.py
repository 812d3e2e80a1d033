"""A bell wakes the thread that waits, or lets its next wait end."""

import threading

from sgtrees.serve.bell import Bell


def test_a_thread_that_waits_is_woken():
    bell = Bell()
    answers = []
    thread = threading.Thread(target=lambda: answers.append(bell.wait(60.0)))
    thread.start()
    bell.ring()
    thread.join(30)
    assert answers == [True]


def test_rings_before_a_wait_end_it_once():
    bell = Bell()
    for _ in range(3):
        bell.ring()
    assert bell.wait(0.0)
    assert not bell.wait(0.01)


def test_a_bell_that_is_silent_lets_nobody_wait_for_longer_than_asked():
    assert not Bell().wait(0.0)
