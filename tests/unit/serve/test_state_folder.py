"""A start gives, bit for bit, the model of the logged rows."""

import shutil

import pytest

from sgtrees import checkpoint
from sgtrees.serve.errors import RequestError, StateError
from sgtrees.serve.limits import Limits
from sgtrees.serve.rows import Rows
from sgtrees.serve.state_folder import StateFolder, request_key
from tests.unit.serve.running import begin, events_of, record_of, same


def append(state, *records):
    first = state.log.append([record.encoded() for record in records])
    for sequence, record in enumerate(records, start=first):
        state.apply(record, sequence)


def records(start, n):
    sizes = [1, 1, 5, 1, 30]
    found = []
    for number in range(n):
        size = sizes[number % len(sizes)]
        found.append(record_of(*events_of(range(start, start + size)), request_id=f"r{start}"))
        start += size
    return found


@pytest.mark.parametrize("checkpoint_after", [None, 0, 7, 40])
def test_a_start_learns_the_rest_of_the_log(tmp_path, checkpoint_after):
    state = StateFolder(tmp_path / "state", begin, Limits())
    everything = records(0, 40)
    for number, record in enumerate(everything, start=1):
        append(state, record)
        if number == checkpoint_after:
            state.take()()
    # What a kill leaves behind is what is on the disk now.
    shutil.copytree(tmp_path / "state", tmp_path / "killed")
    again = StateFolder(tmp_path / "killed", begin, Limits())
    assert again.recovery.records == 40 - (checkpoint_after or 0)
    assert same(again.model, state.model)
    whole = begin()
    for record in everything:
        whole.learn(record.rows)
    assert same(again.model, whole)
    assert all(again.ids.find(request_key(record.id)) for record in everything)
    append(state, *records(1000, 20))
    append(again, *records(1000, 20))
    assert same(again.model, state.model)
    state.close()
    again.close()


def test_a_damaged_checkpoint_costs_nothing(tmp_path):
    state = StateFolder(tmp_path, begin, Limits())
    for start in (0, 1000, 2000):
        append(state, *records(start, 10))
        state.take()()
    state.close()
    last = state.checkpoints.paths()[-1]
    last.write_bytes(last.read_bytes()[:-100])
    with pytest.warns(UserWarning, match="an older checkpoint is used"):
        again = StateFolder(tmp_path, begin, Limits())
    assert again.recovery.records == 10
    assert same(again.model, state.model)
    assert again.ids.find(request_key("r0")) is not None
    again.close()


def test_what_was_refused_is_refused_again(tmp_path):
    state = StateFolder(tmp_path, begin, Limits())
    append(state, *records(0, 10))
    with pytest.raises(RequestError, match="numeric"):
        append(state, record_of({"size": "large", "kind": "a"}, request_id="bad"))
    append(state, *records(1000, 10))
    state.close()
    again = StateFolder(tmp_path, begin, Limits())
    assert same(again.model, state.model)
    assert again.ids.find(request_key("bad")) is None
    again.close()


def test_one_process_serves_from_a_folder(tmp_path):
    state = StateFolder(tmp_path, begin, Limits())
    with pytest.raises(StateError, match="another process serves from"):
        StateFolder(tmp_path, begin, Limits())
    state.close()


def test_another_model_file_is_refused_and_the_saved_one_is_not(tmp_path):
    origin = tmp_path / "model.sgt"
    model = begin()
    model.learn(Rows(events_of(range(50))))
    model.estimator.save(origin)
    state = StateFolder(tmp_path / "state", lambda: model, Limits(), origin)
    append(state, *records(0, 5))
    state.close()
    StateFolder(tmp_path / "state", begin, Limits(), origin).close()
    state.save_as(origin)
    StateFolder(tmp_path / "state", begin, Limits(), origin).close()
    begin().estimator.save(origin)
    with pytest.raises(StateError, match="is not the model that"):
        StateFolder(tmp_path / "state", begin, Limits(), origin)


def test_ids_outlive_a_checkpoint_that_could_not_be_written(tmp_path, monkeypatch):
    state = StateFolder(tmp_path, begin, Limits())
    append(state, *records(0, 5))
    write = state.take()
    monkeypatch.setattr(checkpoint, "write_file", None)
    with pytest.raises(TypeError):
        write()
    monkeypatch.undo()
    append(state, *records(1000, 5))
    state.take()()
    state.close()
    again = StateFolder(tmp_path, begin, Limits())
    assert again.recovery.records == 0
    assert again.ids.find(request_key("r0")) is not None
    again.close()
