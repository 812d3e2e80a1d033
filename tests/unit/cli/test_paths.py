import os
import sys
from pathlib import Path

import pytest

from tests.unit.cli.commands import run, train

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files are tested")


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", "x", "--report", "x"],
        ["-m", "x", "--report", "./x"],
        ["-m", "data.csv"],
        ["--report", "link.csv"],
        ["--report", "hard.csv"],
    ],
    ids=str,
)
def test_a_file_is_not_written_over_another_one_of_the_command(folder, arguments):
    before = (folder / "data.csv").read_bytes()
    (folder / "link.csv").symlink_to("data.csv")
    (folder / "hard.csv").hardlink_to(folder / "data.csv")
    result = run("train", "data.csv", "-t", "label", *arguments, "--overwrite")
    assert result.exit_code == 2
    assert "are the same file" in result.stderr
    assert (folder / "data.csv").read_bytes() == before
    assert not (folder / "x").exists()


def test_predictions_are_not_written_over_the_model_or_the_rows(folder):
    train()
    files = {path: path.read_bytes() for path in folder.iterdir()}
    for output in ("m.sgt", "data.csv"):
        result = run("predict", "data.csv", "-m", "m.sgt", "-o", output)
        assert result.exit_code == 2
        assert f"are the same file, {output}" in result.stderr.replace("\n", " ")
    assert {path: path.read_bytes() for path in folder.iterdir()} == files


def test_a_picture_is_not_written_over_the_report(folder):
    result = run("evaluate", "data.csv", "-t", "label", "--report", "x", "--png", "x")
    assert result.exit_code == 2
    assert "--report and --png are the same file, x" in result.stderr


def test_a_device_or_a_fifo_is_refused_before_the_training(folder):
    os.mkfifo(folder / "fifo")
    for path in ("fifo", "/dev/null"):
        result = run("train", "data.csv", "-t", "label", "-m", path, "--overwrite")
        assert result.exit_code == 2
        assert "is not a file; give the path of one" in result.stderr
    assert not Path("/dev/null").is_file()


def test_predictions_may_go_to_a_device(folder):
    train()
    assert run("predict", "data.csv", "-m", "m.sgt", "-o", "/dev/null").exit_code == 0
    assert not Path("/dev/null").is_file()
