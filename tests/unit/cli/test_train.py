import json

from sgtrees.checkpoint import Checkpoints
from sgtrees.evaluation import Prequential
from tests.unit.cli.commands import n_rows, train


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


def crash_after(rows, monkeypatch):
    """Let trainings crash after so many rows, and write a checkpoint at every point."""
    learn = Prequential._learn

    def crashed(self, block):
        if self._rows >= rows:
            raise CrashError
        learn(self, block)

    monkeypatch.setattr(Prequential, "_learn", crashed)
    monkeypatch.setattr("sgtrees.cli.train._SECONDS_BETWEEN_CHECKPOINTS", 0.0)


def test_checkpoints_survive_a_crash(folder, monkeypatch):
    crash_after(2000, monkeypatch)
    assert isinstance(train("--checkpoint", "points").exception, CrashError)
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
            result = train("--checkpoint", "points", "--resume")
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
        patched.setattr("sgtrees.cli.train._SECONDS_BETWEEN_CHECKPOINTS", 0.0)
        result = train("--checkpoint", "points", "--report", "r.html")
    assert result.exit_code == 1
    assert result.stderr.count("The training goes on") == 1
    assert result.stderr.count("Error: ") == 1
    assert "No space left" in result.stderr.split("Error: ")[1]
    assert (folder / "r.html").exists()
    train(model="once.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "once.sgt").read_bytes()


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
