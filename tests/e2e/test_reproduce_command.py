"""The paper's experiments through the installed command, on small generated data."""

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

from tests.unit.paper_data import write_all

COMMAND = shutil.which("sgtrees", path=sysconfig.get_path("scripts"))
JAVA = shutil.which("java") and shutil.which("javac")
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_all(tmp_path_factory.mktemp("data"))


@pytest.fixture
def no_java(tmp_path):
    """An environment in which nobody finds Java."""
    return {"PATH": str(tmp_path), "JAVA_HOME": str(tmp_path)}


def run(folder, *arguments, **environment):
    return subprocess.run(
        [COMMAND, "reproduce", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"COLUMNS": "200", "NO_COLOR": "1"} | environment,
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        timeout=600,
    )


SMALL = ("--datasets", "higgs,musk1", "--learners", "sgt,miti,qddi", "--rows", "2000", "--runs", "2")


def test_tables_and_files_come_out_and_the_next_start_has_nothing_to_do(data, tmp_path):
    done = run(tmp_path, "--data", data, *SMALL, "--out", "out", "--markdown", "docs/paper.md")
    assert done.returncode == 0, done.stderr
    for words in ("What holds", "Classification (table 2", "higgs_16k (part)", "30.10", "musk1"):
        assert words in done.stdout
    assert "6 of 6: " in done.stderr
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"runs.jsonl", "paper", "paper.json", "paper.tex", "paper.html", "paper.md"}
    assert (tmp_path / "docs" / "paper" / "higgs_16k.svg").exists()
    record = json.loads((tmp_path / "out" / "paper.json").read_text())
    (stream,) = record["streams"]
    assert (stream["data"], stream["runs"], stream["rows"]) == ("higgs_16k", 2, 2000)
    assert 10.0 < stream["loss"] < 50.0
    assert [bags["learner"] for bags in record["bags"]] == ["qddi", "miti"]
    again = run(tmp_path, "--data", data, *SMALL, "--out", "out")
    assert again.returncode == 0
    assert again.stderr == ""
    assert again.stdout.splitlines()[:5] == done.stdout.splitlines()[:5]


def test_without_java_the_rest_is_run_and_the_exit_code_says_partial(data, tmp_path, no_java):
    done = run(
        tmp_path, "--data", data, "--datasets", "higgs", "--learners", "sgt,vfdt,efdt",
        "--rows", "2000", "--runs", "1", **no_java,
    )  # fmt: skip
    assert done.returncode == 3
    (line,) = [line for line in done.stdout.splitlines() if "no Java" in line]
    assert line == (
        "not run: VFDT on higgs_16k, EFDT on higgs_16k: no Java here (java): MOA is left out; "
        "install a JDK, version 17 or newer"
    )
    record = json.loads((tmp_path / "sgtrees-paper" / "paper.json").read_text())
    assert [stream["learner"] for stream in record["streams"]] == ["sgt"]
    assert len(record["problems"]) == 1


def test_unknown_names_and_absent_data_are_said_with_their_remedy(data, tmp_path):
    done = run(
        tmp_path, "--data", data, "--datasets", "musk1,zurich,musc2", "--learners", "miti,vdft",
        "--runs", "1",
    )  # fmt: skip
    assert done.returncode == 3
    assert "not run: there is no data set 'musc2'; did you mean 'musk2'?" in done.stdout
    assert "not run: there is no learner 'vdft'; did you mean 'vfdt'?" in done.stdout
    assert "absent: zurich; download 'Zurich public transport' from Kaggle" in done.stdout


def test_a_truncated_file_keeps_its_data_set_out_and_no_other(data, tmp_path):
    shutil.copytree(data, tmp_path / "data")
    whole = (tmp_path / "data" / "higgs_16k.parquet").read_bytes()
    (tmp_path / "data" / "higgs_16k.parquet").write_bytes(whole[:1000])
    done = run(tmp_path, "--data", "data", *SMALL, "--runs", "1")
    assert done.returncode == 3
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("not run")]
    assert "higgs_16k.parquet cannot be read" in line
    assert "get a good copy: sgtrees reproduce --download --datasets higgs" in line
    record = json.loads((tmp_path / "sgtrees-paper" / "paper.json").read_text())
    assert {bags["data"] for bags in record["bags"]} == {"musk1"}


def test_without_a_network_a_download_fails_in_one_line(data, tmp_path):
    # A proxy that is not there.
    nobody = {"https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
    done = run(
        tmp_path, "--data", data, "--datasets", "msd,musk1", "--learners", "miti", "--runs", "1",
        "--download", **nobody, no_proxy="", NO_PROXY="", SGTREES_CACHE=str(tmp_path / "cache"),
    )  # fmt: skip
    assert done.returncode == 3
    assert "downloading msd" in done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("not run")]
    assert "YearPredictionMSD.txt.zip could not be downloaded from archive.ics.uci.edu" in line


def test_what_there_is_can_be_listed(data, tmp_path):
    done = run(tmp_path, "--data", data, "--list")
    assert done.returncode == 0
    for words in ("higgs_16k", "stand-in", "absent", "vfdt-nba", "to get it: "):
        assert words in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_command_line_is_refused(tmp_path):
    assert run(tmp_path, "--runs", "0").returncode == 2
    assert run(tmp_path, "--data", "nowhere").returncode == 2


def test_without_the_extra_there_is_a_hint(tmp_path):
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    (shadow / "pyarrow.py").write_text("raise ModuleNotFoundError('no', name='pyarrow')\n")
    done = run(tmp_path, PYTHONPATH=str(shadow))
    assert done.returncode == 1
    assert "pyarrow is not installed" in done.stderr
    assert "pip install 'sgtrees[paper]'" in done.stderr


@needs_posix
def test_an_interrupted_run_keeps_what_it_has_and_goes_on(data, tmp_path):
    arguments = ["--data", data, "--datasets", "musk1,atoms", "--learners", "qddi,miti,sgt-bags"]
    arguments += ["--runs", "4", "--jobs", "1", "--out", "out"]
    process = subprocess.Popen(
        [COMMAND, "reproduce", *map(str, arguments)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    kept = tmp_path / "out" / "runs.jsonl"
    try:
        while not kept.exists():
            assert process.poll() is None
            time.sleep(0.05)
        # To this process alone, as a scheduler would: its children must end with it.
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "the same command goes on from here" in said
    before = kept.read_text().splitlines()
    assert 1 <= len(before) < 24
    done = run(tmp_path, *arguments)
    assert done.returncode == 0
    after = kept.read_text().splitlines()
    assert after[: len(before)] == before
    assert len(after) == 24


@pytest.mark.skipif(not JAVA, reason="MOA needs Java, which is not here")
def test_every_learner_works(data, tmp_path):
    done = run(tmp_path, "--data", data, "--rows", "1500", "--runs", "1", "--out", "out")
    record = json.loads((tmp_path / "out" / "paper.json").read_text())
    if any("could not download capymoa" in problem for problem in record["problems"]):
        pytest.skip("MOA cannot be downloaded here")
    assert done.returncode == 0, done.stdout
    assert {(entry["data"], entry["learner"]) for entry in record["streams"]} == {
        ("higgs_16k", "sgt"),
        ("higgs_16k", "sgt-tuned"),
        ("higgs_16k", "vfdt"),
        ("higgs_16k", "vfdt-nba"),
        ("higgs_16k", "efdt"),
        ("higgs_16k", "moa-sgt"),
        ("higgs_16k", "river-sgt"),
        ("higgs_16k", "lightgbm"),
        ("aws_2016", "sgt-mae"),
        ("aws_2016", "sgt-squared"),
        ("aws_2016", "fimtdd"),
        ("aws_2016", "orto"),
        ("aws_2016", "moa-sgt"),
        ("aws_2016", "river-sgt"),
        ("aws_2016", "lightgbm"),
    }
    assert len(record["bags"]) == 6
