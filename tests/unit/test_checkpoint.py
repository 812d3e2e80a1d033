"""Checkpoints: when they are due, which stay, what damage does, and where a training goes on."""

import json
import re

import numpy as np
import pytest

import sgtrees
from sgtrees import SGTRegressor
from sgtrees.checkpoint import Checkpoints
from sgtrees.persistence import ModelFileError, NewerFormatError
from tests.fingerprint import fingerprint
from tests.fuzz.mutations import File

X = np.random.default_rng(0).random((2000, 2))
Y = 3.0 * (X[:, 0] > 0.5) + X[:, 1]


def learned(rows):
    return SGTRegressor(warm_up=50, grace_period=20, delta=0.05).partial_fit(X[:rows], Y[:rows])


def own(y, raw):
    return raw - y, np.ones_like(raw)


def rows_of(checkpoints):
    return [int(re.search("[0-9]+", path.name)[0]) for path in checkpoints.paths()]


# ---- saving --------------------------------------------------------------------------------------


def test_a_checkpoint_is_due_after_so_many_rows(tmp_path):
    checkpoints = Checkpoints(tmp_path, every_rows=100, every_seconds=None, keep=9)
    model = learned(60)
    due = [rows for rows in range(10, 500, 30) if checkpoints.after(model, rows)]
    assert due == [100, 220, 340, 460]
    assert rows_of(checkpoints) == due


def test_a_checkpoint_is_due_after_so_much_time(tmp_path, monkeypatch):
    now = 1000.0
    monkeypatch.setattr("sgtrees.checkpoint.time.monotonic", lambda: now)
    checkpoints = Checkpoints(tmp_path, every_rows=1000, every_seconds=5)
    model = learned(60)
    assert checkpoints.after(model, 10) is None
    now += 4.9
    assert checkpoints.after(model, 20) is None
    now += 0.1
    assert checkpoints.after(model, 30).name == "checkpoint-000000000030.safetensors"
    assert checkpoints.after(model, 40) is None
    assert checkpoints.after(model, 1030) is not None


def test_with_neither_only_save_saves(tmp_path):
    checkpoints = Checkpoints(tmp_path, every_seconds=None)
    assert checkpoints.after(learned(60), 10**9) is None
    assert checkpoints.save(learned(60), 10**9).exists()


def test_the_last_ones_stay(tmp_path):
    checkpoints = Checkpoints(tmp_path, keep=2)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "checkpoint-1.txt").write_text("mine")
    for rows in (100, 20, 300, 400):
        checkpoints.save(learned(60), rows)
    assert rows_of(checkpoints) == [300, 400]
    assert {path.name for path in tmp_path.iterdir()} > {"notes.txt", "checkpoint-1.txt"}


def test_a_checkpoint_is_a_model_file_too(tmp_path):
    path = Checkpoints(tmp_path / "new" / "folder").save(learned(500), 500, {"errors": 3})
    assert fingerprint(sgtrees.load(path)) == fingerprint(learned(500))


def test_a_failed_checkpoint_leaves_the_others(tmp_path, monkeypatch):
    checkpoints = Checkpoints(tmp_path, keep=1)
    checkpoints.save(learned(60), 60)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(OSError, match="not saved: No space left"):
            checkpoints.save(learned(100), 100)
    assert checkpoints.latest().rows == 60
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "parameters",
    [{"every_rows": 0}, {"every_rows": 1.5}, {"keep": 0}, {"keep": True}, {"every_seconds": -1}],
    ids=str,
)
def test_parameters_out_of_range_are_named(tmp_path, parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        Checkpoints(tmp_path, **parameters)


def test_progress_that_cannot_be_saved_is_named(tmp_path):
    with pytest.raises(TypeError, match="progress holds"):
        Checkpoints(tmp_path).save(learned(60), 60, progress={"what": object()})


# ---- resuming ------------------------------------------------------------------------------------


def test_a_training_goes_on_where_it_was(tmp_path):
    checkpoints = Checkpoints(tmp_path, every_rows=300)
    assert checkpoints.begin(resume=True) is None
    checkpoints.save(learned(700), 700, progress=("counted", np.array([1.5])))
    last = Checkpoints(tmp_path).begin(resume=True)
    assert (last.rows, last.progress[0], last.progress[1].tolist()) == (700, "counted", [1.5])
    model = last.estimator.partial_fit(X[700:], Y[700:])
    assert fingerprint(model) == fingerprint(learned(2000))


def test_rows_are_counted_from_the_last_checkpoint_on(tmp_path):
    Checkpoints(tmp_path).save(learned(60), 1000)
    checkpoints = Checkpoints(tmp_path, every_rows=100, every_seconds=None)
    checkpoints.begin(resume=True)
    assert checkpoints.after(learned(60), 1099) is None
    assert checkpoints.after(learned(60), 1100) is not None


def test_a_new_training_does_not_mix_with_an_old_one(tmp_path):
    Checkpoints(tmp_path).save(learned(60), 1234)
    with pytest.raises(FileExistsError, match=r"the last one after row 1,234; resume it, or give"):
        Checkpoints(tmp_path).begin(resume=False)
    assert Checkpoints(tmp_path / "other").begin(resume=False) is None


def test_what_a_killed_process_left_is_swept_away(tmp_path):
    (tmp_path / ".checkpoint-000000000010.safetensors.77.partial").write_bytes(b"half")
    (tmp_path / ".hidden").write_bytes(b"mine")
    Checkpoints(tmp_path).begin(resume=True)
    assert [path.name for path in tmp_path.iterdir()] == [".hidden"]


def test_an_older_checkpoint_takes_the_place_of_a_damaged_one(tmp_path):
    checkpoints = Checkpoints(tmp_path, keep=2)
    for rows in (100, 200):
        checkpoints.save(learned(rows), rows)
    newest = checkpoints.paths()[-1]
    newest.write_bytes(newest.read_bytes()[:-9])
    with pytest.warns(UserWarning, match=r"checkpoint-000000000200.*cannot be loaded.*an older"):
        assert checkpoints.latest().rows == 100
    assert newest.exists()
    with pytest.warns(UserWarning, match="an older checkpoint"):
        assert checkpoints.begin(resume=True).rows == 100
    assert newest.with_name(newest.name + ".damaged").exists()
    # It does not count any more.
    checkpoints.save(learned(150), 150)
    assert rows_of(checkpoints) == [100, 150]


def test_a_training_does_not_silently_begin_anew_where_all_checkpoints_are_damaged(tmp_path):
    path = Checkpoints(tmp_path).save(learned(60), 60)
    path.write_bytes(b"")
    with pytest.raises(ModelFileError, match=r"checkpoint-000000000060.*empty"):
        Checkpoints(tmp_path).begin(resume=True)
    assert path.exists()


def test_a_checkpoint_of_a_newer_version_is_no_damaged_one(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(learned(60), 60)
    path = checkpoints.save(learned(100), 100)
    parts = File(path.read_bytes())
    parts.texts["format_version"] = "99"
    path.write_bytes(parts.signed())
    with pytest.raises(NewerFormatError, match="upgrade"):
        checkpoints.begin(resume=True)
    assert path.exists()


def test_a_model_file_that_is_no_checkpoint_is_refused(tmp_path):
    learned(60).save(tmp_path / "checkpoint-000000000060.safetensors")
    with pytest.raises(ModelFileError, match="checkpoint is None; it must be an object"):
        Checkpoints(tmp_path).latest()


def test_an_unknown_field_of_a_checkpoint_is_refused(tmp_path):
    path = Checkpoints(tmp_path).save(learned(60), 60)
    parts = File(path.read_bytes())
    position = json.loads(parts.texts["checkpoint"])
    parts.texts["checkpoint"] = json.dumps(position | {"more": 1})
    path.write_bytes(parts.signed())
    with pytest.raises(ModelFileError, match="checkpoint has an unknown field 'more'"):
        Checkpoints(tmp_path).latest()


def test_user_defined_losses_are_passed_when_resuming(tmp_path, recwarn):
    model = SGTRegressor(loss=own).partial_fit(X, Y)
    Checkpoints(tmp_path).save(model, 2000)
    assert not recwarn.list
    with pytest.raises(ModelFileError, match=r"own.* is code"):
        Checkpoints(tmp_path).begin(resume=True)
    assert Checkpoints(tmp_path).begin(resume=True, loss=own).estimator.loss is own
