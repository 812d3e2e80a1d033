"""A group begins when half of the open requests wait for it."""

from sgtrees.serve.gathering import Gathering


def gathering_of(n_open):
    gathering = Gathering()
    for _ in range(n_open):
        gathering.open()
    return gathering


def test_half_of_the_requests_that_are_open_are_enough():
    gathering = gathering_of(64)
    assert not gathering.is_enough(31)
    assert gathering.is_enough(32)


def test_a_client_that_is_alone_waits_for_nobody():
    gathering = Gathering()
    for _ in range(3):
        gathering.open()
        assert gathering.is_enough(1)
        gathering.begin_group()
        gathering.close(1)


def test_the_clients_of_a_group_that_was_answered_are_expected_again():
    gathering = gathering_of(64)
    gathering.begin_group()
    gathering.close(32)
    assert not gathering.is_enough(20)


def test_clients_that_have_gone_are_forgotten():
    gathering = gathering_of(10_000)
    gathering.close(10_000)
    groups = 0
    while not gathering.is_enough(1):
        gathering.begin_group()
        groups += 1
    assert groups < 200


def test_requests_that_are_open_are_not_forgotten():
    gathering = gathering_of(64)
    for _ in range(100):
        gathering.begin_group()
    assert not gathering.is_enough(31)
