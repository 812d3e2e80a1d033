"""A start gives, bit for bit, the model of the logged rows."""

import shutil

import pyarrow as pa
import pytest

from sgtrees import checkpoint
from sgtrees.serve.errors import RequestError, StateError
from sgtrees.serve.limits import Limits
from sgtrees.serve.records import Record
from sgtrees.serve.rows import Rows, read_rows
from sgtrees.serve.state_folder import StateFolder, request_key
from tests.unit.serve.running import begin, events_of, record_of, same


def append(state, *records):
    first = state.log.append([record.encoded() for record in records])
    return state.apply(records, first)


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
    bad = record_of({"size": "large", "kind": "a"}, request_id="bad")
    (refusal,) = append(state, bad)
    assert "numeric" in refusal.message
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


def table_record(events, request_id=None):
    table = pa.Table.from_pylist(events)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    body = sink.getvalue().to_pybytes()
    return Record(read_rows(body, "arrow"), "arrow", body, request_id, 0.0)


def mixed_records():
    """Tables, rows and objects; late categories, labels and features; and what is refused."""
    found = [table_record(events_of(range(start, start + 7))) for start in range(0, 210, 7)]
    late = [{"size": 0.5, "colour": "violet", "kind": "c"}] * 3
    found[11:11] = [table_record(late), table_record(events_of(range(40)))]
    found.insert(15, table_record([{"size": 0.5, "colour": "r", "kind": None}]))
    found.insert(16, table_record([{"size": 0.5, "colour": "r", "kind": "a", "new": 1.5}] * 4))
    found.insert(20, table_record([{"size": 0.5, "colour": "r"}] * 2))
    found.insert(22, record_of(*events_of(range(3))))
    found[25:25] = [
        table_record([{"size": "x", "colour": "r", "kind": "a"}]),
        table_record([{"size": "y", "colour": "r", "kind": "a"}]),
    ]
    found[30:30] = [record_of(event) for event in (*events_of(range(9)), {"size": 0.5})]
    return found


def learned_or_refused(model, record):
    try:
        return model.learn(record.rows)
    except RequestError as error:
        return error


def told(result):
    return result.message if isinstance(result, RequestError) else [list(one) for one in result]


def test_tables_that_are_learned_as_one_give_the_model_of_one_by_one(tmp_path):
    everything = mixed_records()
    together = StateFolder(tmp_path / "together", begin, Limits())
    first = together.log.append([record.encoded() for record in everything])
    results = together.apply(everything, first)
    alone = begin()
    expected = [learned_or_refused(alone, record) for record in everything]
    assert [told(result) for result in results] == [told(result) for result in expected]
    assert sum(isinstance(result, RequestError) for result in results) == 5
    assert same(together.model, alone)
    together.close()
    # A start learns the log in other groups.
    again = StateFolder(tmp_path / "together", begin, Limits())
    assert again.recovery.records == len(everything)
    assert same(again.model, alone)
    again.close()
