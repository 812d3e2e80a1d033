import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.moa import NumericStream, StreamFiles, jar, moa_jar, run_moa, running
from sgtrees_experiments.moa.stream_files import write_numbers

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")


@pytest.fixture
def stream(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((5000, 3))
    X[:, 2] = rng.integers(0, 4, 5000)
    return NumericStream(X, (X[:, 0] > X[:, 1]).astype(float), [0, 0, 4], 2)


@pytest.fixture
def files(stream, tmp_path):
    return StreamFiles.write(stream, tmp_path)


def test_what_was_written_is_read(stream, files):
    again = files.read()
    assert (again.X == stream.X).all()
    assert (again.y == stream.y).all()
    assert (again.cardinalities, again.classes, again.nominal) == ([0, 0, 4], 2, [2])


# ---- the jar -------------------------------------------------------------------------------------


@pytest.fixture
def nothing_installed(monkeypatch, tmp_path):
    monkeypatch.delenv("SGTREES_MOA_JAR", raising=False)
    monkeypatch.setenv("SGTREES_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jar.importlib.util, "find_spec", lambda name: None)
    return tmp_path / "cache"


def test_a_jar_that_is_named_is_taken(monkeypatch, tmp_path):
    (tmp_path / "my.jar").touch()
    monkeypatch.setenv("SGTREES_MOA_JAR", str(tmp_path / "my.jar"))
    assert moa_jar() == tmp_path / "my.jar"
    monkeypatch.setenv("SGTREES_MOA_JAR", str(tmp_path / "none.jar"))
    with pytest.raises(AbsentError, match=r"there is no file .*none\.jar, which SGTREES_MOA_JAR"):
        moa_jar()


def test_an_installed_capymoa_has_it(monkeypatch, tmp_path):
    monkeypatch.delenv("SGTREES_MOA_JAR", raising=False)
    (tmp_path / "capymoa" / "jar").mkdir(parents=True)
    (tmp_path / "capymoa" / "jar" / "moa.jar").touch()
    (tmp_path / "capymoa" / "__init__.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert moa_jar() == tmp_path / "capymoa" / "jar" / "moa.jar"


def pip_that_gives(content):
    """Stand in for pip: a wheel with this jar, or none."""

    def run(command, **_):
        folder = Path(command[command.index("--dest") + 1])
        if content is not None:
            with zipfile.ZipFile(folder / "capymoa.whl", "w") as wheel:
                wheel.writestr("capymoa/jar/moa.jar", content)
        return subprocess.CompletedProcess(command, int(content is None), "", "no network")

    return run


def test_without_a_network_the_error_says_what_to_do(nothing_installed, monkeypatch):
    monkeypatch.setattr(jar.subprocess, "run", pip_that_gives(None))
    with pytest.raises(AbsentError, match=r"could not download capymoa .* SGTREES_MOA_JAR"):
        moa_jar()
    assert not nothing_installed.exists()


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(nothing_installed, monkeypatch):
    monkeypatch.setattr(jar.subprocess, "run", pip_that_gives(b"something else"))
    with pytest.raises(AbsentError, match="wrong checksum"):
        moa_jar()
    assert not nothing_installed.exists()


def test_the_download_is_kept(nothing_installed, monkeypatch):
    monkeypatch.setattr(jar.subprocess, "run", pip_that_gives(b"a jar"))
    monkeypatch.setattr(jar, "_SHA256", jar.hashlib.sha256(b"a jar").hexdigest())
    kept = moa_jar()
    assert kept.read_bytes() == b"a jar"
    monkeypatch.setattr(jar.subprocess, "run", pip_that_gives(None))
    assert moa_jar() == kept
    assert [path.name for path in nothing_installed.iterdir()] == [kept.name]


# ---- a Java that is none -------------------------------------------------------------------------


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
    assert runs == [running.MoaRun(1.5, None, [2.0, 3.0], 1.0, [])] * 2


@posix_only
def test_a_failure_of_moa_is_told_in_its_own_words(program, files, tmp_path):
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


# ---- MOA itself ----------------------------------------------------------------------------------


@pytest.fixture
def moa(files):
    try:
        running.command_line(files)
    except AbsentError as absent:
        pytest.skip(str(absent))


def test_moa_learns_each_order_and_tells_the_losses_on_the_way(moa, stream, files, tmp_path):
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
