import json
import os

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


def test_checkpoints_survive_a_crash(folder, monkeypatch):
    learn = Prequential._learn

    class CrashError(Exception):
        pass

    def crashed(self, block):
        if self._rows >= 2000:
            raise CrashError
        learn(self, block)

    monkeypatch.setattr(Prequential, "_learn", crashed)
    monkeypatch.setattr("sgtrees.cli.train._SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    assert isinstance(train("--checkpoint", "points").exception, CrashError)
    assert not (folder / "m.sgt").exists()
    monkeypatch.undo()
    os.chdir(folder)
    refused = train("--checkpoint", "points")
    assert refused.exit_code == 2
    assert "--resume" in refused.stderr
    result = train("--checkpoint", "points", "--resume")
    assert result.exit_code == 0
    assert "after 2,000 rows" in result.stderr
    train(model="once.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "once.sgt").read_bytes()
