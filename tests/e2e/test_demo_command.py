"""The installed command, in a process and a folder of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig

import pytest

import sgtrees

COMMAND = shutil.which("sgtrees", path=sysconfig.get_path("scripts"))
PNG = b"\x89PNG\r\n\x1a\n"


def run(folder, *arguments, **environment):
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        env=os.environ | {"COLUMNS": "80", "NO_COLOR": "1"} | environment,
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def test_the_demonstration_prints_its_results_and_writes_its_picture(tmp_path):
    done = run(tmp_path, "demo", "--rows", "20000", "--png", "curve.png")
    assert (done.returncode, done.stderr) == (0, "")
    for words in (
        "rows/s",
        "the majority class so far",
        "best possible",
        "leaves",
        "Error over time",
        "20,000",
        "Top splits",
        "inbound_delay_min > ",
        "Picture  curve.png",
    ):
        assert words in done.stdout
    assert max(len(line.rstrip()) for line in done.stdout.splitlines()) <= 80
    assert [path.name for path in tmp_path.iterdir()] == ["curve.png"]
    assert (tmp_path / "curve.png").read_bytes().startswith(PNG)


def test_json_goes_to_the_standard_output_alone_and_is_all_there_is(tmp_path):
    done = run(tmp_path, "demo", "--rows", "20000", "--seed", "3", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    values = json.loads(done.stdout)
    assert (values["rows"], values["seed"], values["complete"]) == (20_000, 3, True)
    error = values["error"]
    assert 0.05 < error["best_possible"] < error["tree"] < error["majority_class"] < 0.4
    assert values["tree"]["n_leaves"] == values["curve"][-1]["n_leaves"] > 10
    assert values["rows_per_second"] > 0
    assert values["top_splits"][0]["share"] == 1.0
    assert values["picture"] == "sgtrees-demo.png"
    assert (tmp_path / "sgtrees-demo.png").exists()


def test_with_core_dependencies_only_there_is_a_hint_instead_of_a_picture(tmp_path):
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    for name in ("matplotlib", "pandas", "polars", "pyarrow"):
        (shadow / f"{name}.py").write_text("raise ImportError('not here')\n")
    folder = tmp_path / "empty"
    folder.mkdir()
    # Into a file of a system that knows ASCII only, too.
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run(folder, "demo", "--rows", "5000", PYTHONPATH=str(shadow), **ascii_only)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert re.search(r"pip install '(sgtrees\[plot\]|matplotlib)", done.stderr)
    assert done.stdout.isascii()
    assert "Top splits" in done.stdout
    assert "Picture" not in done.stdout
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither terminals nor signals")
def test_the_bar_shows_the_progress_and_an_interrupt_ends_it(tmp_path):
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [COMMAND, "demo", "--rows", "1000000000"],
        cwd=tmp_path,
        env=os.environ | {"COLUMNS": "120", "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    shown = b""
    try:
        while b"leaves" not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        # A terminal that is not read would make its writer wait.
        while piece := read(ours):
            shown += piece
        printed, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        os.close(ours)
    assert process.returncode == 130
    for words in (b"rows/s", b"% error", b"left", b"Stopped after"):
        assert words in shown
    assert "Error over time" in printed
    assert list(tmp_path.iterdir()) == []


def read(terminal):
    """Read from a terminal; nothing where its other side has been closed, as Linux puts it."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_the_version_is_that_of_the_package(tmp_path):
    assert run(tmp_path, "--version").stdout == f"sgtrees {sgtrees.__version__}\n"
