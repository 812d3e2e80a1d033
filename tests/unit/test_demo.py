import json

import pytest
from click.testing import CliRunner
from rich.console import Console

from sgtrees import __version__
from sgtrees.cli import main
from sgtrees.cli.demo_report import print_report
from sgtrees.demo import MAJORITY, TREE, Demo
from sgtrees.evaluation import Evaluation, Prequential


def run(*arguments):
    return CliRunner().invoke(main, ["demo", *map(str, arguments)])


def error_of(point):
    return point.models[TREE].window["error"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- what the demonstration does ----------------------------------------------------------------


def test_the_tree_learns():
    demo = Demo(rows=50_000)
    points = list(demo.run())
    result = demo.result()
    assert result.complete
    assert result.evaluation.points == tuple(points)
    errors = [result.evaluation.total("error", name) for name in (TREE, MAJORITY)]
    assert result.best_error < errors[0] < 0.7 * errors[1]
    assert error_of(points[-1]) < error_of(points[0])
    assert len(result.tree.leaves) == points[-1].models[TREE].n_leaves > 20
    assert len(result.top_splits) == 5


def test_the_same_seed_gives_the_same_result():
    def curve(seed):
        demo = Demo(rows=5000, seed=seed)
        return [error_of(point) for point in demo.run()], demo.result().top_splits

    assert curve(1) == curve(1) != curve(2)


def test_the_first_rows_of_a_long_run_are_those_of_a_short_one():
    long, short = Demo(rows=30_000), Demo(rows=3000)
    points = [next(run) for run in [long.run()] for _ in range(3)]
    assert [error_of(p) for p in points] == [error_of(p) for p in short.run()]


def test_there_is_a_result_at_any_time():
    demo = Demo(rows=50_000)
    assert not demo.result().complete
    assert demo.result().top_splits == ()
    steps = demo.run()
    next(steps)
    next(steps)
    result = demo.result()
    assert not result.complete
    assert (result.rows, result.requested_rows) == (2000, 50_000)
    assert len(result.tree.leaves) > 1


def test_the_result_is_ready_for_json():
    demo = Demo(rows=3000)
    list(demo.run())
    values = json.loads(json.dumps(demo.result().as_dict()))
    assert values["rows"] == 3000
    assert len(values["curve"]) == 3
    assert 0.0 < values["error"]["best_possible"] < values["error"]["tree"] < 1.0


# ---- what the command does when something is in the way -----------------------------------------


def interrupt_after(monkeypatch, n_windows):
    learn = Prequential._learn

    def interrupted(self, block):
        if len(self._points) == n_windows:
            raise KeyboardInterrupt
        return learn(self, block)

    monkeypatch.setattr(Prequential, "_learn", interrupted)


def test_an_interrupt_tells_what_was_learned_so_far(folder, monkeypatch):
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


def test_an_interrupt_before_the_first_window_says_so(folder, monkeypatch):
    interrupt_after(monkeypatch, 0)
    result = run()
    assert (result.exit_code, result.stdout) == (130, "")
    assert "before anything was learned" in result.stderr


def test_an_interrupt_while_drawing_ends_in_a_word(folder, monkeypatch):
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


def test_a_tree_without_a_split_is_told_too(capsys):
    demo = Demo(rows=100)
    list(demo.run())
    print_report(demo.result(), None, Console())
    printed = capsys.readouterr().out
    assert "No split yet" in printed
    assert "Top splits" not in printed


# ---- the other commands -------------------------------------------------------------------------


def test_help_has_examples():
    assert "sgtrees demo --rows 100000 --seed 7 --png curve.png\n" in run("--help").stdout


def test_a_command_that_does_not_exist_is_refused():
    result = CliRunner().invoke(main, ["dance"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such command" in result.stderr


def test_the_version_is_told_with_what_a_report_of_a_bug_needs():
    lines = CliRunner().invoke(main, ["version"]).stdout.splitlines()
    assert lines[0].split() == ["sgtrees", __version__]
    assert {line.split()[0] for line in lines} >= {"Python", "NumPy", "scikit-learn", "system"}
