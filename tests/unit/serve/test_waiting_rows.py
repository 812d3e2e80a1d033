"""Rows wait for labels within limits of number and time, also when the process ends."""

from sgtrees.serve.remembered_ids import Learned
from sgtrees.serve.waiting_rows import WaitingRow, WaitingRows


def row(name, time=0.0):
    return WaitingRow(name, "{}", "1", time)


def test_the_latest_rows_wait_and_survive(tmp_path):
    path = tmp_path / "waiting.sqlite"
    store = WaitingRows(path, most=3, seconds=100.0)
    for name in "abcde":
        store.keep([row(name)])
    assert set(store.find(list("abcde"))) == set("cde")
    store.drop(["d", "unknown"])
    store.close()
    again = WaitingRows(path, most=3, seconds=100.0)
    assert set(again.find(list("abcde"))) == set("ce")
    again.keep([row("f", time=101.0)])
    assert set(again.find(list("abcdef"))) == {"f"}
    assert again.count() == 1
    again.close()


def test_a_row_under_the_same_id_replaces_the_one_before(tmp_path):
    store = WaitingRows(tmp_path / "waiting.sqlite", most=10, seconds=100.0)
    store.keep([row("a")])
    store.keep([WaitingRow("a", '{"x": 1}', "2", 1.0)])
    assert store.find(["a"])["a"].predicted == "2"
    assert store.count() == 1
    store.close()


def test_many_ids_are_found_at_once(tmp_path):
    store = WaitingRows(tmp_path / "waiting.sqlite", most=5000, seconds=100.0)
    names = [str(n) for n in range(1700)]
    store.keep([row(name) for name in names])
    assert len(store.find(names)) == 1700
    store.close()


def test_ids_of_records_after_a_checkpoint_are_not_restored(tmp_path):
    store = WaitingRows(tmp_path / "waiting.sqlite", most=10, seconds=100.0)
    learned = [Learned(str(n), n, float(n), "") for n in range(10)]
    store.save_learned(learned, most=6, oldest=2.0)
    assert [found.sequence for found in store.learned_before(7)] == [4, 5, 6]
    store.close()
