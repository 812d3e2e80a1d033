import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sgtrees
from sgtrees.checkpoint import Checkpoints
from sgtrees.evaluation import Prequential
from sgtrees.persistence import ModelFileError
from tests.unit.cli.commands import n_rows, run, train


def test_a_model_that_is_there_is_not_replaced_by_mistake(folder):
    assert train().exit_code == 0
    result = train()
    assert result.exit_code == 2
    for words in ("--resume", "--update", "--overwrite"):
        assert words in result.stderr
    assert train("--overwrite").exit_code == 0
    assert n_rows("m.sgt") == 3000
    assert train("--update").exit_code == 0
    assert n_rows("m.sgt") == 6000


def test_resuming_what_is_complete_changes_nothing(folder):
    train()
    before = (folder / "m.sgt").read_bytes()
    result = train("--resume")
    assert result.exit_code == 0, result.stderr
    assert (folder / "m.sgt").read_bytes() == before


def test_limits_can_be_resumed_from(folder):
    train("--limit", 1000)
    assert n_rows("m.sgt") == 1000
    train("--resume")
    train(model="once.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "once.sgt").read_bytes()


def test_shuffled_rows_can_be_resumed_too(folder):
    shuffle = ["--shuffle", 500, "--seed", 7]
    train("--limit", 1700, *shuffle)
    train("--resume", *shuffle)
    train(*shuffle, model="once.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "once.sgt").read_bytes()


def test_rows_can_be_skipped_and_are_listed(folder):
    with (folder / "data.csv").open("a") as file:
        file.write("too,many,values,in,here\n" * 12)
    result = train("--on-error", "skip")
    assert result.exit_code == 0
    assert "12 invalid rows were skipped" in result.stderr
    assert "data.csv, line 3002: 5 values instead of 4" in result.stderr
    assert "and 2 more" in result.stderr
    values = json.loads(train("--on-error", "skip", "--overwrite", "--json").stdout)
    assert (values["rows"], values["skipped"]["rows"]) == (3000, 12)
    assert len(values["skipped"]["faults"]) == 12


class CrashError(Exception):
    pass


# A checkpoint after every block.
OFTEN = ["--checkpoint-seconds", "0"]


def crash_after(rows, monkeypatch):
    """Let trainings crash after so many rows."""
    learn = Prequential._learn

    def crashed(self, block):
        if self._rows >= rows:
            raise CrashError
        learn(self, block)

    monkeypatch.setattr(Prequential, "_learn", crashed)


def test_checkpoints_survive_a_crash(folder, monkeypatch):
    crash_after(2000, monkeypatch)
    assert isinstance(train("--checkpoint", "points", *OFTEN).exception, CrashError)
    assert not (folder / "m.sgt").exists()
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    refused = train("--checkpoint", "points")
    assert refused.exit_code == 2
    assert "--resume" in refused.stderr
    result = train("--checkpoint", "points", "--resume")
    assert result.exit_code == 0
    assert "after 2,000 rows" in result.stderr
    train(model="once.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "once.sgt").read_bytes()


def test_a_second_crash_learns_no_row_twice(folder, monkeypatch):
    with monkeypatch.context() as patched:
        crash_after(1000, patched)
        for seen in ("", "after 1,000 rows"):
            result = train("--checkpoint", "points", *OFTEN, "--resume")
            assert isinstance(result.exception, CrashError)
            assert seen in result.stderr
    assert Checkpoints("points").latest().rows == 2000
    result = train("--checkpoint", "points", "--resume")
    assert "after 2,000 rows" in result.stderr
    assert Checkpoints("points").latest().rows == 3000
    train(model="once.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "once.sgt").read_bytes()


# ---- disks that are full -------------------------------------------------------------------------


def full_disk(path, contents):
    raise OSError(28, f"the model was not saved: No space left on device: {path}")


def test_a_full_disk_of_checkpoints_does_not_cost_the_model(folder, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("sgtrees.checkpoint.write_file", full_disk)
        result = train("--checkpoint", "points", *OFTEN, "--report", "r.html")
    assert result.exit_code == 1
    assert result.stderr.count("The training goes on") == 1
    assert result.stderr.count("Error: ") == 1
    assert "No space left" in result.stderr.split("Error: ")[1]
    assert (folder / "r.html").exists()
    train(model="once.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "once.sgt").read_bytes()


def test_a_checkpoint_that_cannot_be_made_does_not_stop_the_training(folder, monkeypatch):
    def refused(*_, **__):
        raise ModelFileError("this model cannot be saved")

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoints, "after", refused)
        result = train("--checkpoint", "points", *OFTEN)
    assert result.exit_code == 0, result.stderr
    assert "No checkpoint: this model cannot be saved. The training goes on." in result.stderr
    assert n_rows("m.sgt") == 3000


def test_a_full_disk_of_models_costs_neither_checkpoint_nor_report(folder, monkeypatch):
    monkeypatch.setattr("sgtrees.cli.model_files.write_file", full_disk)
    result = train("--checkpoint", "points", "--report", "r.html")
    assert result.exit_code == 1
    assert "m.sgt could not be written" in result.stderr
    assert Checkpoints("points").latest().rows == 3000
    assert (folder / "r.html").exists()


def test_a_report_that_cannot_be_written_costs_nothing(folder, monkeypatch):
    monkeypatch.setattr("sgtrees.cli.summary.write_report", full_disk)
    result = train("--checkpoint", "points", "--report", "r.html")
    assert result.exit_code == 1
    assert "No space left" in result.stderr
    assert n_rows("m.sgt") == 3000
    assert Checkpoints("points").latest().rows == 3000


def test_an_error_in_the_data_is_reported_with_what_could_not_be_saved(folder, monkeypatch):
    with (folder / "data.csv").open("a") as file:
        file.write("1,2\n")
    monkeypatch.setattr("sgtrees.checkpoint.write_file", full_disk)
    result = train("--checkpoint", "points")
    assert result.exit_code == 3
    assert "The model after 3,000 rows is in m.sgt" in result.stderr
    assert "No space left" in result.stderr


def test_rare_classes_weigh_more_and_passes_repeat(folder):
    random = np.random.default_rng(0)
    rows = pd.DataFrame({"a": random.random(3000).round(4)})
    rows["t"] = np.where(random.random(3000) < 0.2 * rows["a"], "rare", "usual")
    rows.to_csv("rare.csv", index=False)
    arguments = ("train", "rare.csv", "-t", "t", "-m", "rare.sgt")
    assert run(*arguments, "--class-weight", "balanced").exit_code == 0
    predicted = sgtrees.load("rare.sgt").predict(rows[["a"]])
    assert 0.2 < (predicted == "rare").mean() < 0.8
    weights = ("--class-weight", "rare=1000", "--epochs", 3, "--overwrite", "-q")
    assert run(*arguments, *weights).output == ""
    model = sgtrees.load("rare.sgt")
    assert model.n_samples_seen_ == 9000
    assert (model.predict(rows[["a"]]) == "rare").all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--class-weight", "big"], "'big' is no label with a weight"),
        (["--class-weight", "big=x"], "'big=x' is no label with a weight"),
        (["--class-weight", "balanced", "-t", "size"], "--class-weight is for classification"),
        (["--epochs", 2, "--resume"], "--resume is for a single pass"),
        (["--epochs", 2, "--dask", "local"], "--epochs cannot be combined with --dask"),
        (["--epochs", 0], "0 is not in the range"),
        (["--decimal", "12"], "give one character"),
        (["--encoding", "utf-99"], "the encoding 'utf-99' is unknown"),
        (["--time", "size", "--numeric", "size"], "'size' is given as both numeric and time"),
    ],
)
def test_wrong_options_say_what_is_right(folder, arguments, words):
    result = train(*arguments)
    assert result.exit_code in (2, 3)
    assert words in result.stderr


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "a.csv is empty"),
        (b"\n\n", "a.csv is empty"),
        (b"a,label\n", "a.csv has a header, but no rows"),
        (b"a,label\n1,2\n\0\0\0,1\n", "line 3: there is a NUL byte"),
        (b"\xff\xfea\0,\0l\0\n\0\x00\xd8\x00\xd8", "line 2: these bytes are not UTF-16"),
        (b"a,label\n1,x\n2,y,z\n", "line 3: 3 values instead of 2"),
        (b'a,label\n1,x\n"2,y\n', "line 3"),
        (b"a" * 5_000_000, "line 1: field larger than field limit (131072); is this a table"),
        (b"a,label\n1,x\n" + b"a" * 200_000 + b"\n", "line 3"),
        (b"label\nx\n", "no column to learn from"),
    ],
)
def test_a_hostile_file_gets_a_sentence_with_the_place(folder, data, words):
    Path("a.csv").write_bytes(data)
    result = run("train", "a.csv", "-t", "label", "-m", "h.sgt")
    assert result.exit_code == 3
    assert words in result.stderr
    assert len(result.stderr) < 600


def test_ten_thousand_columns_are_learned(folder):
    names = [f"c{place}" for place in range(10_000)]
    values = ",".join(["1"] * 9_999)
    lines = [",".join(names), *(f"{values},{row % 2}" for row in range(30))]
    Path("wide.csv").write_text("\n".join(lines))
    result = run("train", "wide.csv", "-t", "c9999", "-m", "w.sgt")
    assert result.exit_code == 0
    assert sgtrees.load("w.sgt").n_features_in_ == 9_999
