"""The command if it is interrupted or fails."""

import json

import pytest
from click.testing import CliRunner

from sgtrees.cli import main
from sgtrees.evaluation import Evaluation, Prequential


def run(*arguments):
    return CliRunner().invoke(main, ["demo", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def interrupt_after(monkeypatch, n_windows):
    learn = Prequential._learn

    def interrupted(self, block):
        if len(self._points) == n_windows:
            raise KeyboardInterrupt
        return learn(self, block)

    monkeypatch.setattr(Prequential, "_learn", interrupted)


def test_an_interrupt_prints_the_result_so_far(folder, monkeypatch):
    interrupt_after(monkeypatch, 7)
    result = run("--rows", 100_000)
    assert result.exit_code == 130
    assert "Stopped after 7,000 of 100,000 rows" in result.stderr
    assert "Top splits" in result.stdout
    assert list(folder.iterdir()) == []


def test_an_interrupt_leaves_json_whole(folder, monkeypatch):
    interrupt_after(monkeypatch, 2)
    result = run("--rows", 100_000, "--json")
    assert result.exit_code == 130
    values = json.loads(result.stdout)
    assert (values["complete"], values["rows"], values["picture"]) == (False, 2000, None)


def test_an_interrupt_before_the_first_window_is_reported(folder, monkeypatch):
    interrupt_after(monkeypatch, 0)
    result = run()
    assert (result.exit_code, result.stdout) == (130, "")
    assert "before anything was learned" in result.stderr


def test_an_interrupt_while_drawing_prints_one_word(folder, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Evaluation, "plot", interrupted)
    result = run("--rows", 1000)
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")


def test_a_picture_that_cannot_be_written_is_an_error(folder, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Evaluation, "plot", full)
    result = run("--rows", 1000)
    assert result.exit_code == 1
    assert "No space left on device" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "999"], "999 is not in the range"),
        (["--rows", "many"], "not a valid integer"),
        (["--seed", "-1"], "-1 is not in the range"),
        (["--png", "nowhere/curve.png"], "'nowhere' does not exist"),
        (["--png", "."], "is a directory"),
        (["--colour"], "No such option"),
    ],
)
def test_a_wrong_command_line_is_refused_before_anything_is_learned(folder, arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_help_has_examples():
    assert "sgtrees demo --rows 100000 --seed 7 --png curve.png\n" in run("--help").stdout
