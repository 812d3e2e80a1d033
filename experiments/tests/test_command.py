"""The command in this process; tests/e2e/ runs it in its own."""

import pytest
from click.testing import CliRunner

from experiments.tests.generated_data import write_bags
from sgtrees.cli import main


@pytest.fixture
def command(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SGTREES_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: CliRunner().invoke(main, ["reproduce", *words])


def test_what_there_is_can_be_listed(command, tmp_path):
    (tmp_path / "data").mkdir()
    write_bags(tmp_path / "data", "musk1", 92, 476, 166)
    done = command("--data", "data", "--list")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert any("musk1" in line and "whole" in line for line in lines)
    assert any("zurich" in line.lower() and "absent" in line for line in lines)
    assert any("vfdt-nba" in line for line in lines)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--runs", "0"), "0 is not in the range x>=1"),
        (("--rows", "5"), "5 is not in the range x>=100"),
        (("--data", "nowhere"), "Directory 'nowhere' does not exist"),
        (("--jobs", "two"), "'two' is not a valid integer"),
    ],
)
def test_a_wrong_command_line_is_refused(command, words, message):
    done = command(*words)
    assert done.exit_code == 2
    assert message in done.stderr


def test_without_data_the_report_explains_how_to_get_it(command, tmp_path):
    (tmp_path / "data").mkdir()
    done = command("--data", "data", "--datasets", "covtype,fox")
    assert done.exit_code == 5
    assert "absent: covtype; sgtrees reproduce --download --datasets covtype (11 MB)" in done.stdout
    assert "absent: fox; put fox_relational.arff of WEKA" in done.stdout
