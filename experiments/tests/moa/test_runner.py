import os
import sys

import numpy as np
import pytest

from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.moa import NumericStream, StreamFiles, run_moa, runner
from sgtrees_experiments.moa.stream_files import write_numbers

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")


@pytest.fixture
def program(monkeypatch, tmp_path):
    """Puts a program of some name before all others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("SGTREES_CACHE", str(tmp_path / "cache"))
    (tmp_path / "moa.jar").touch()
    monkeypatch.setenv("SGTREES_MOA_JAR", str(tmp_path / "moa.jar"))

    def write(name, script):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    write("javac", "exit 0")
    return write


@posix_only
def test_what_the_driver_prints_comes_back_line_by_line(program, files, tmp_path):
    program(
        "java",
        'echo "MOA says something"; for order in 1 2; do '
        """echo '{"seconds": 1.5, "nodes": null, "losses": [2.0, 3.0], """
        """"second_loss": 1.0, "confidence": []}'; done""",
    )
    runs = list(run_moa("trees.It", files, tmp_path / "ends", [None, None]))
    assert runs == [runner.MoaRun(1.5, None, [2.0, 3.0], 1.0, [])] * 2


@posix_only
def test_a_failure_of_moa_is_reported_with_its_message(program, files, tmp_path):
    program("java", 'echo "hint" >&2; echo "java.lang.Exception: Class not found" >&2; exit 1')
    with pytest.raises(RuntimeError, match=r"^MOA failed: java\.lang\.Exception: Class not found$"):
        list(run_moa("trees.Nonsense", files, tmp_path / "ends", [None]))


@posix_only
def test_a_driver_that_does_not_compile_leaves_moa_out(program, files, tmp_path):
    program("java", "exit 0")
    program("javac", 'echo "error: release too old" >&2; exit 1')
    with pytest.raises(AbsentError, match="does not compile: error: release too old; install"):
        list(run_moa("trees.It", files, tmp_path / "ends", [None]))


def test_without_java_moa_is_left_out(monkeypatch, files, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(AbsentError, match=r"no Java here \(java\): MOA is left out; install a JDK"):
        list(run_moa("trees.It", files, tmp_path / "ends", [None]))


@pytest.fixture
def moa(files):
    try:
        runner.command_line(files)
    except AbsentError as absent:
        pytest.skip(str(absent))


def test_moa_learns_each_order_and_reports_the_losses_at_each_end(moa, stream, files, tmp_path):
    ends = write_numbers([1000, 5000], tmp_path / "ends")
    orders = [
        write_numbers(np.random.default_rng(seed).permutation(5000), tmp_path / f"{seed}.i32")
        for seed in (0, 1, 0)
    ]
    first, second, again = run_moa("trees.HoeffdingTree", files, ends, orders)
    assert first.losses == again.losses != second.losses
    assert first.losses[0] < first.losses[1] < 0.3 * 5000
    assert first.nodes >= 1
    assert first.seconds > 0.0


def test_fewer_rows_may_be_learned_than_there_are(moa, files, tmp_path):
    ends = write_numbers([100], tmp_path / "ends")
    (run,) = run_moa("trees.HoeffdingTree -l MC", files, ends, [None])
    assert len(run.losses) == 1
    assert 0.0 < run.losses[0] <= 100.0


def test_all_regression_trees_tell_their_size(moa, stream, tmp_path):
    numeric = NumericStream(stream.X, 5.0 * stream.X[:, 0], [0, 0, 4], 0)
    files = StreamFiles.write(numeric, tmp_path)
    ends = write_numbers([5000], tmp_path / "ends")
    for learner in ("trees.FIMTDD", "trees.ORTO", "trees.StochasticGradientTree -R"):
        (run,) = run_moa(learner, files, ends, [None])
        assert run.nodes % 2 == 1
        assert 0.0 < run.losses[0] < 5000 * 2.0
