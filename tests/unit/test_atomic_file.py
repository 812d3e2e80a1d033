"""Files are written completely or not at all, whoever else writes or reads them."""

import os
import socket
import stat
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import pytest

import sgtrees
from sgtrees import SGTRegressor
from sgtrees.atomic_file import NotAFileError, atomic_file, write_atomically
from sgtrees.evaluation import Evaluation, MeanSoFar, prequential
from sgtrees.report.page import Page, write_report
from sgtrees.streams import Friedman

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files are tested")

# Longer than a buffer, so that a file that two write at once would be seen to be mixed.
LENGTH = 50_000
SAVES = 40


def contents(number):
    return bytes([number]) * LENGTH


def write_again_and_again(path, number):
    for _ in range(SAVES):
        write_atomically(path, [contents(number)[:7], contents(number)[7:]])
        found = path.read_bytes()
        # Of one of the writers, whole.
        assert found == contents(found[0])


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param(lambda: ThreadPoolExecutor(6), id="threads"),
        pytest.param(lambda: ProcessPoolExecutor(2, get_context("spawn")), id="processes"),
    ],
)
def test_many_may_write_one_path_and_every_reader_sees_a_whole_file(tmp_path, workers):
    path = tmp_path / "file"
    write_atomically(path, [contents(0)])
    with workers() as pool:
        list(pool.map(write_again_and_again, repeat(path), range(6)))
    assert list(tmp_path.iterdir()) == [path]


def test_threads_that_save_models_to_one_path_damage_nothing(tmp_path):
    path = tmp_path / "model"
    models = [SGTRegressor().partial_fit([[1.0]] * n, [float(n)] * n) for n in range(1, 5)]

    def save(model):
        for _ in range(20):
            model.save(path)
            sgtrees.load(path)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(save, models))
    assert list(tmp_path.iterdir()) == [path]


# ---- every writer --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evaluated():
    model = SGTRegressor()
    result = prequential(Friedman().head(2_000), {"tree": model, "mean": MeanSoFar()})
    return model, result


def save_model(evaluated, path):
    evaluated[0].save(path)


def save_evaluation(evaluated, path):
    evaluated[1].save(path)


def save_picture(evaluated, path):
    pytest.importorskip("matplotlib")
    evaluated[1].plot(path=path)


def save_report(evaluated, path):
    write_report(Page(evaluated[1], evaluated[0], "y"), path)


@pytest.fixture(params=[save_model, save_evaluation, save_picture, save_report])
def writer(request, evaluated):
    return lambda path: request.param(evaluated, path)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o400])
def test_a_file_keeps_the_permissions_that_it_had(tmp_path, writer, mode):
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)
    writer(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.stat().st_size > 0


def test_what_is_no_file_is_refused_and_stays(tmp_path, writer):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "device").symlink_to("/dev/null")
    (tmp_path / "loop").symlink_to(tmp_path / "pool")
    (tmp_path / "pool").symlink_to(tmp_path / "loop")
    (tmp_path / "itself").symlink_to("itself")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))
    entries = {entry: entry.lstat().st_mode for entry in tmp_path.iterdir()}
    device = Path("/dev/null").stat()
    for name, words in {
        "fifo": "a FIFO",
        "device": "a device",
        "loop": "a loop of symbolic links",
        "itself": "a loop of symbolic links",
        "socket": "a socket",
    }.items():
        with pytest.raises(
            NotAFileError, match=f"that is {words}; give the path of a file.*{name}"
        ):
            writer(tmp_path / name)
    with pytest.raises(IsADirectoryError, match="that is a directory; give the path of a file"):
        writer(tmp_path)
    assert {entry: entry.lstat().st_mode for entry in tmp_path.iterdir()} == entries
    assert Path("/dev/null").stat().st_rdev == device.st_rdev


def test_a_symbolic_link_stays_one_and_its_file_is_replaced(tmp_path, writer):
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to("there/file")
    for _ in range(2):
        writer(link)
    assert link.is_symlink()
    assert not (tmp_path / "there" / "file").is_symlink()
    assert (tmp_path / "there" / "file").stat().st_size > 0


def test_a_write_that_fails_leaves_what_was_there(tmp_path, writer, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def no_space(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        writer(path)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_names_may_be_as_long_as_the_file_system_allows(tmp_path, writer):
    path = tmp_path / ("ü" * 120)
    writer(path)
    assert list(tmp_path.iterdir()) == [path]


# ---- details -------------------------------------------------------------------------------------


def test_a_private_file_is_private_while_it_is_written(tmp_path):
    path = tmp_path / "file"
    path.touch(0o600)
    with atomic_file(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
        assert path.stat().st_size == 0


def test_the_contents_are_on_the_disk_before_the_name_is_theirs(tmp_path, monkeypatch):
    path = tmp_path / "file"
    synced = []
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: synced.append((os.fstat(descriptor), path.exists()))
    )
    write_atomically(path, [b"abc"])
    file, folder = synced
    assert file[0].st_size == 3
    assert not file[1]
    assert stat.S_ISDIR(folder[0].st_mode)
    assert folder[1]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_root_leaves_a_file_to_its_owner(tmp_path):
    path = tmp_path / "file"
    path.touch(0o600)
    os.chown(path, 1234, 2345)
    write_atomically(path, [b"abc"])
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_saved_evaluation_can_be_read_after_many_have_saved_it(tmp_path, evaluated):
    path = tmp_path / "result.json"
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(evaluated[1].save, [path] * 12))
    assert Evaluation.load(path) == evaluated[1]
