"""The commands, in this process: what they refuse, what they keep, and with what code they end."""

import json
import os

import numpy as np
import pytest
from click.testing import CliRunner

import sgtrees
from sgtrees.cli import main, model_files
from sgtrees.evaluation import Prequential
from sgtrees.streams import open_stream
from tests.unit.streams import same_data

QUICK = ["--warm-up", 200, "--grace-period", 50, "--delta", 1e-3]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    same_data.write(same_data.table(3000, seed=3), tmp_path, "csv")
    return tmp_path


def run(*arguments, **options):
    return CliRunner().invoke(main, [*map(str, arguments)], **options)


def train(*arguments, model="m.sgt", **options):
    return run("train", "data.csv", "-t", "label", "-m", model, *QUICK, *arguments, **options)


def n_rows(path):
    return sgtrees.load(path)._model.core.n_rows


# ---- exit codes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["train", "data.csv", "-m", "m.sgt"], 2, "Missing option '--target'"),
        (["train", "data.csv", "-t", "label"], 2, "nothing would be kept"),
        (["train", "-t", "label", "-m", "m.sgt"], 2, "Missing argument 'FILES...'"),
        (["train", "data.csv", "-t", "label", "-m", "no/m.sgt"], 2, "'no' does not exist"),
        (
            ["train", "data.csv", "-t", "label", "-m", "m.sgt", "--loss", "l2"],
            2,
            "'l2' is not known",
        ),
        (["train", "data.csv", "-t", "label", "-m", "m.sgt", "--delta", "2"], 2, "delta == 2.0"),
        (["train", "data.csv", "-t", "size", "-m", "m.sgt", "--loss", "quantile:2"], 2, "alpha"),
        (["train", "data.csv", "-t", "label", "-m", "m.sgt", "--update"], 2, "to update"),
        (["train", "data.csv", "-t", "lable", "-m", "m.sgt"], 3, "did you mean 'label'?"),
        (["train", "nowhere.csv", "-t", "label", "-m", "m.sgt"], 3, "there is no file"),
        (
            ["train", "data.csv", "-t", "label", "-m", "m.sgt", "--task", "regression"],
            2,
            "holds words",
        ),
        (["evaluate", "data.csv", "-t", "label", "--metrics", "mae"], 2, "is for regression"),
        (["predict", "data.csv", "-m", "data.csv"], 4, "data.csv cannot be loaded"),
        (["inspect", "data.csv"], 4, "data.csv cannot be loaded"),
        (["inspect", "nowhere.sgt"], 2, "does not exist"),
    ],
)
def test_what_is_wrong_is_told_in_a_line_with_its_code(folder, arguments, code, words):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert words in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stderr
    assert not (folder / "m.sgt").exists()


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
    assert "12 rows could not be used" in result.stderr
    assert "data.csv, line 3002: 5 values instead of 4" in result.stderr
    assert "and 2 more" in result.stderr
    values = json.loads(train("--on-error", "skip", "--overwrite", "--json").stdout)
    assert (values["rows"], values["skipped"]["rows"]) == (3000, 12)
    assert len(values["skipped"]["faults"]) == 12


def test_a_full_disk_keeps_what_was_learned_elsewhere(folder, monkeypatch):
    write = model_files.write_file

    def full(path, contents):
        if path.name == "m.sgt" and path.parent == type(path)():
            raise OSError(28, "No space left on device")
        write(path, contents)

    monkeypatch.setattr(model_files, "write_file", full)
    result = train()
    assert result.exit_code == 1
    assert "m.sgt could not be written: No space left on device" in result.stderr
    path = result.stderr.split("What was learned is in ")[1].strip()
    assert n_rows(path) == 3000


def test_an_interrupt_saves_and_says_how_to_go_on(folder, monkeypatch):
    learn = Prequential._learn

    def interrupted(self, block):
        learn(self, block)
        if self._rows >= 1000:
            os.kill(os.getpid(), 2)

    monkeypatch.setattr(Prequential, "_learn", interrupted)
    result = train()
    assert result.exit_code == 130
    # Held back until the rows at hand were learned and counted.
    assert "Stopped. What was learned from 2,000 rows is in m.sgt" in result.stderr
    monkeypatch.undo()
    os.chdir(folder)
    assert n_rows("m.sgt") == 2000
    train("--resume")
    train(model="once.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "once.sgt").read_bytes()


def test_an_interrupt_before_the_first_point_saves_and_draws_nothing(folder, monkeypatch):
    learn = Prequential._learn

    def interrupted(self, block):
        learn(self, block.slice(0, 400))
        os.kill(os.getpid(), 2)

    monkeypatch.setattr(Prequential, "_learn", interrupted)
    result = train("--report", "r.html")
    assert result.exit_code == 130
    assert (folder / "m.sgt").exists()
    assert not (folder / "r.html").exists()


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


def test_identifiers_are_pointed_out(folder):
    table = same_data.table(3000, seed=3)
    named = table.append_column("id", [[f"row-{n}" for n in range(3000)]])
    same_data.write(named, folder, "csv")
    result = train()
    assert "'id' has 3,000 different values in the first 3,000 rows" in result.stderr
    assert "--drop id" in result.stderr
    assert "colour" not in result.stderr


# ---- configuration ------------------------------------------------------------------------------


def test_a_file_can_hold_every_option(folder):
    (folder / "run.toml").write_text(
        'files = ["data.csv"]\ntarget = "label"\nwarm-up = 200\ngrace_period = 50\n'
        'drop = ["count"]\n[train]\nmodel = "m.sgt"\non-error = "skip"\n[evaluate]\nwindow = 500\n'
    )
    result = run("train", "--config", "run.toml", "--delta", 1e-3)
    assert result.exit_code == 0, result.stderr
    model = sgtrees.load("m.sgt")
    assert (model.warm_up, model.grace_period, model.delta) == (200, 50, 1e-3)
    assert model.n_features_in_ == 2
    # What the command line says goes first.
    run("train", "--config", "run.toml", "--warm-up", 300, "--overwrite")
    assert sgtrees.load("m.sgt").warm_up == 300
    result = run("evaluate", "--config", "run.toml", "--json")
    assert json.loads(result.stdout)["evaluation"]["settings"]["window"] == 500


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('tarrget = "label"', "holds 'tarrget', which is no option; did you mean 'target'?"),
        ("[train]\nwindow = 5", "holds 'window', which is no option"),
        ("target = ", "is no TOML file"),
        ('grace-period = "many"', "'many' is not a valid integer"),
    ],
)
def test_a_wrong_file_is_refused(folder, text, words):
    (folder / "run.toml").write_text(text)
    result = train("--config", "run.toml")
    if "grace" in text:
        arguments = ["train", "data.csv", "-t", "label", "-m", "m.sgt", "--config", "run.toml"]
        result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr


# ---- what is predicted --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "task", "reason"),
    [
        (["-t", "label"], "classification", ""),
        (["-t", "size", "--on-error", "skip"], "regression", "holds numbers: regression"),
        (["-t", "few"], "classification", "3 distinct whole numbers"),
        (["-t", "few", "--task", "regression"], "regression", ""),
        (["-t", "few", "--loss", "poisson"], "regression", ""),
        (["-t", "size", "--on-error", "skip", "--loss", "quantile:0.9"], "regression", ""),
    ],
)
def test_the_task_is_found_out_or_said(folder, options, task, reason):
    table = same_data.table(2000)
    few = np.arange(2000) % 3
    same_data.write(table.append_column("few", [few]), folder, "csv")
    result = run("evaluate", "data.csv", *options, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["task"] == task
    assert reason in result.stderr
    if not reason:
        assert "distinct" not in result.stderr


@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet", "arrow"])
def test_predictions_are_written_in_every_format(folder, kind):
    train()
    result = run(
        "predict", "data.csv", "-m", "m.sgt", "-o", f"out.{kind}", "--keep", "colour,count"
    )
    assert result.exit_code == 0, result.stderr
    (block,) = open_stream(f"out.{kind}", nominal=["prediction"])
    assert block.X.column_names == ["colour", "count", "prediction"]
    assert len(block) == 3000
    assert set(block.X["prediction"].to_pylist()) <= {"big", "small"}


def test_columns_may_come_in_any_order_and_others_are_passed_over(folder):
    train()
    expected = run("predict", "data.csv", "-m", "m.sgt").stdout
    table = same_data.table(3000, seed=3)
    turned = table.select(["colour", "label", "count", "size"]).append_column(
        "when", [["2020-01-01"] * 3000]
    )
    same_data.write(turned, folder, "csv")
    assert run("predict", "data.csv", "-m", "m.sgt").stdout == expected
    same_data.write(table.select(["colour", "label", "size"]), folder, "csv")
    result = run("predict", "data.csv", "-m", "m.sgt")
    assert result.exit_code == 3
    assert "has no column 'count' (feature)" in result.stderr


def test_a_regressor_has_no_probabilities(folder):
    run("train", "data.csv", "-t", "count", "-m", "m.sgt", "--task", "regression")
    result = run("predict", "data.csv", "-m", "m.sgt", "--proba")
    assert result.exit_code == 2
    assert "predicts numbers" in result.stderr


# ---- the rest -----------------------------------------------------------------------------------


def test_evaluation_draws_and_reports(folder):
    result = run(
        "evaluate", "data.csv", "-t", "label", "--png", "c.png", "--report", "r.html",
        "--every", 500, "--window", 700, "--fading", 0.99, "--delay", 10,
        "--metrics", "error,auc,kappa_temporal",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert (folder / "c.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "r.html").exists()
    assert "temporal kappa" in result.stdout


def test_inspection_tells_size_importances_splits_and_rules(folder):
    train()
    result = run("inspect", "m.sgt")
    assert result.exit_code == 0, result.stderr
    for words in ("SGTClassifier of label", "3,000 rows of 3 columns", "big, small", "importance",
                  "Top splits", "Leaves of the most rows"):  # fmt: skip
        assert words in result.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_SGTREES_COMPLETE" in result.stdout


def test_the_tab_key_knows_commands_and_options():
    words = {
        "COMP_WORDS": "sgtrees train --max",
        "COMP_CWORD": "2",
        "_SGTREES_COMPLETE": "bash_complete",
    }
    result = CliRunner().invoke(main, env=words, prog_name="sgtrees")
    assert "plain,--max-memory" in result.output


def test_help_lists_all_commands_with_examples():
    result = run("--help")
    for name in ("train", "evaluate", "predict", "inspect", "demo", "completion", "version"):
        assert f"\n  {name} " in result.stdout
        assert run(name, "--help").exit_code == 0
    assert (
        "--target delay --loss absolute_error --model m.sgt --report r.html"
        in run("train", "--help").stdout
    )
