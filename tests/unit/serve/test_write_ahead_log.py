"""The log gives back a prefix of what was appended, and all that was acknowledged."""

import errno
import itertools
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtrees.serve import gathered_write, write_ahead_log
from sgtrees.serve.write_ahead_log import LogDamagedError, LogWriteError, WriteAheadLog

GROUPS = [[b"a", b"bb"], [b""], [b"ccc" * 20, b"SGTF" * 9], [b"d"]]


def joined(groups):
    return list(itertools.chain.from_iterable(groups))


def records_of(log, first=0):
    return [record for _, record in log.read(first)]


def written(folder, groups=GROUPS, **options):
    log = WriteAheadLog(folder, **options)
    for group in groups:
        log.append(group)
    log.close()
    return log


def test_a_log_that_is_cut_at_any_byte_gives_whole_groups_and_goes_on(tmp_path):
    (path,) = written(tmp_path / "log").segments()
    content = path.read_bytes()
    prefixes = [joined(GROUPS[:n]) for n in range(len(GROUPS) + 1)]
    seen = []
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        log = WriteAheadLog(path.parent)
        kept = records_of(log)
        assert kept in prefixes
        assert log.next == len(kept)
        seen.append(len(kept))
        log.append([b"after"])
        assert records_of(log) == [*kept, b"after"]
        log.close()
        for other in log.segments():
            other.unlink()
    assert seen == sorted(seen)
    assert seen[-1] == sum(map(len, GROUPS))


def test_a_changed_bit_before_the_last_group_is_damage_and_in_it_is_a_torn_end(tmp_path):
    (path,) = written(tmp_path / "log").segments()
    content = path.read_bytes()
    last = content.rfind(b"SGTF")
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        if place < last:
            with pytest.raises(LogDamagedError, match=path.name):
                WriteAheadLog(path.parent)
        else:
            assert records_of(WriteAheadLog(path.parent)) == joined(GROUPS[:-1])


@settings(max_examples=30, deadline=None)
@given(
    groups=st.lists(st.lists(st.binary(max_size=30), min_size=1, max_size=4), max_size=12),
    segment_bytes=st.integers(1, 300),
    data=st.data(),
)
def test_segments_make_no_difference_and_are_forgotten_as_a_whole(
    tmp_path_factory, groups, segment_bytes, data
):
    log = written(tmp_path_factory.mktemp("log"), groups, segment_bytes=segment_bytes)
    everything = joined(groups)
    first = data.draw(st.integers(0, len(everything)))
    assert records_of(log, first) == everything[first:]
    log.forget(first)
    assert records_of(WriteAheadLog(log.folder), first) == everything[first:]


def test_a_missing_segment_is_damage(tmp_path):
    log = written(tmp_path, segment_bytes=1)
    log.segments()[1].unlink()
    with pytest.raises(LogDamagedError, match="records 2 to 2 of the log are missing"):
        records_of(log)


@pytest.mark.parametrize("failing", ["write", "_synchronise"])
def test_what_cannot_be_written_is_not_in_the_log(tmp_path, monkeypatch, failing):
    log = WriteAheadLog(tmp_path)
    log.append([b"before"])

    def partly(descriptor, views):
        monkeypatch.undo()
        os.write(descriptor, views[0][:20])
        raise OSError(errno.ENOSPC, "No space left on device")

    def never(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    if failing == "write":
        monkeypatch.setattr(gathered_write, "_write_some", partly)
    else:
        monkeypatch.setattr(write_ahead_log, "_synchronise", never)
    with pytest.raises(LogWriteError) as refused:
        log.append([b"lost"])
    assert refused.value.is_full is (failing == "write")
    monkeypatch.undo()
    assert log.append([b"after"]) == 1
    assert records_of(WriteAheadLog(tmp_path)) == [b"before", b"after"]


def test_a_log_that_was_lost_goes_on_at_the_checkpoint(tmp_path):
    log = WriteAheadLog(tmp_path, first=7)
    assert log.append([b"x"]) == 7
    assert list(WriteAheadLog(tmp_path, first=7).read(7)) == [(7, b"x")]
