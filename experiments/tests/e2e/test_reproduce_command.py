"""The paper's experiments through the installed command, on small generated data."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time

import pytest
from click.testing import CliRunner

from experiments.tests.generated_data import write_all
from sgtrees.cli import main

COMMAND = shutil.which("sgtrees", path=sysconfig.get_path("scripts"))
JAVA = shutil.which("java") and shutil.which("javac")
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_all(tmp_path_factory.mktemp("data"))


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


def run_here(folder, *arguments):
    """Without a process of its own, whose start is most of what a small command takes."""
    with contextlib.chdir(folder):
        runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})
        return runner.invoke(main, ["reproduce", *map(str, arguments)])


SMALL = (
    "--datasets",
    "higgs,musk1",
    "--learners",
    "sgt,miti,qddi",
    "--rows",
    "2000",
    "--runs",
    "2",
)


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
    assert [bags["learner"] for bags in record["bags"]] == ["miti", "qddi"]
    again = run_here(tmp_path, "--data", data, *SMALL, "--out", "out")
    assert again.exit_code == 0
    assert again.stderr == ""
    assert again.stdout.splitlines()[:5] == done.stdout.splitlines()[:5]


def test_what_is_missing_is_reported_in_a_line_and_the_rest_is_run(data, tmp_path):
    shutil.copytree(data, tmp_path / "data")
    prices = tmp_path / "data" / "aws_spot_us_east_1_2016.parquet"
    prices.write_bytes(prices.read_bytes()[:1000])
    nobody = "http://127.0.0.1:9"  # a proxy that is not there
    done = run(
        tmp_path,
        *("--data", "data", "--runs", "1", "--rows", "2000", "--download"),
        *("--datasets", "higgs,aws,musk1,zurich,musc2"),
        *("--learners", "sgt,sgt-mae,vfdt,efdt,miti,vdft"),
        PATH=str(tmp_path),
        JAVA_HOME=str(tmp_path),
        no_proxy="",
        NO_PROXY="",
        https_proxy=nobody,
        http_proxy=nobody,
        SGTREES_CACHE=str(tmp_path / "cache"),
    )
    assert done.returncode == 5
    assert "downloading higgs" in done.stderr
    reported = [line for line in done.stdout.splitlines() if line.startswith(("not run", "absent"))]
    assert reported[0].startswith("absent: zurich; download 'Zurich public transport' from Kaggle")
    assert reported[1] == "not run: there is no data set 'musc2'; did you mean 'musk2'?"
    assert reported[2] == "not run: there is no learner 'vdft'; did you mean 'vfdt'?"
    assert reported[3].startswith("not run: HIGGS.csv.gz could not be downloaded from archive.ics")
    rest = "\n".join(reported[4:])
    assert len(reported) == 6
    assert (
        "not run: EFDT on higgs_16k, VFDT on higgs_16k: no Java here (java): MOA is left out; "
        "install a JDK, version 17 or newer" in rest
    )
    assert "aws_spot_us_east_1_2016.parquet cannot be read" in rest
    assert "get a good copy: download 'AWS Spot Pricing Market'" in rest
    record = json.loads((tmp_path / "sgtrees-paper" / "paper.json").read_text())
    assert [(s["data"], s["learner"]) for s in record["streams"]] == [("higgs_16k", "sgt")]
    assert [(b["data"], b["learner"]) for b in record["bags"]] == [("musk1", "miti")]
    assert len(record["problems"]) == 5


@pytest.mark.long
@needs_posix
def test_an_interrupted_run_keeps_what_it_has_and_goes_on(data, tmp_path):
    arguments = ["--data", data, "--datasets", "musk1", "--learners", "miti,sgt-bags"]
    arguments += ["--runs", "2", "--jobs", "1", "--out", "out"]
    # A shell's background jobs ignore Ctrl-C, and so do the processes that they start.
    inherited = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [COMMAND, "reproduce", *map(str, arguments)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.signal(signal.SIGINT, inherited)
    kept = tmp_path / "out" / "runs.jsonl"
    try:
        while not kept.exists():
            assert process.poll() is None
            time.sleep(0.05)
        # To this process alone, as a scheduler would: its children must end with it.
        process.send_signal(signal.SIGINT)
        _, reported = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "the same command continues with them" in reported
    before = kept.read_text().splitlines()
    assert 1 <= len(before) < 4
    done = run(tmp_path, *arguments)
    assert done.returncode == 0
    after = kept.read_text().splitlines()
    assert after[: len(before)] == before
    assert len(after) == 4


@pytest.mark.long
@pytest.mark.skipif(not JAVA, reason="MOA needs Java, which is not here")
def test_every_learner_works(data, tmp_path):
    done = run(tmp_path, "--data", data, "--rows", "1500", "--runs", "1", "--out", "out")
    record = json.loads((tmp_path / "out" / "paper.json").read_text())
    if any("could not download capymoa" in problem for problem in record["problems"]):
        pytest.skip("MOA cannot be downloaded here")
    assert done.returncode == 0, done.stdout
    assert {(entry["data"], entry["learner"]) for entry in record["streams"]} == {
        ("higgs_16k", "sgt"),
        ("higgs_16k", "sgt-paper"),
        ("higgs_16k", "vfdt"),
        ("higgs_16k", "vfdt-nba"),
        ("higgs_16k", "efdt"),
        ("higgs_16k", "moa-sgt"),
        ("higgs_16k", "river-sgt"),
        ("higgs_16k", "lightgbm"),
        ("aws_2016", "sgt-mae"),
        ("aws_2016", "sgt-squared"),
        ("aws_2016", "sgt-paper-squared"),
        ("aws_2016", "fimtdd"),
        ("aws_2016", "orto"),
        ("aws_2016", "moa-sgt"),
        ("aws_2016", "river-sgt"),
        ("aws_2016", "lightgbm"),
    }
    assert len(record["bags"]) == 6
