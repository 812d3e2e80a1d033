"""The study behind docs/accuracy.md, and the table of bars: their rules, and a part of each."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy.generated import all_generated
from benchmarks.accuracy.records import Records, Run
from benchmarks.accuracy.runs import ends_of_parts, run_ours
from benchmarks.accuracy.settings import compared, read_settings
from benchmarks.accuracy.study import Extent
from benchmarks.accuracy.summaries import Scores, together
from sgtrees import SGTClassifier, SGTRegressor

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("classification", "estimator"), [(True, SGTClassifier), (False, SGTRegressor)]
)
@pytest.mark.parametrize("quick", [True, False])
def test_settings_of_unknown_parameters_are_left_out(classification, estimator, quick):
    added = [{"no_such_parameter": 1}, {"n_bins": 17}, {"n_bins": 17}]
    found = compared(classification=classification, quick=quick, added=added)
    assert found[0] == {}
    assert found.count({"n_bins": 17}) == 1
    for settings in found:
        estimator(**settings)


def test_settings_are_read_from_text():
    text = "warm_up=100 following_rates=(0.1,0.3) on_drift=ignore"
    assert read_settings(text) == {
        "warm_up": 100,
        "following_rates": (0.1, 0.3),
        "on_drift": "ignore",
    }
    with pytest.raises(ValueError, match="must be NAME=VALUE"):
        read_settings("warm_up")


def test_a_group_of_streams_counts_as_much_as_another():
    many = Scores(["a", "b"], ["1", "2", "3"], np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]))
    one = Scores(["a", "b"], ["4"], np.array([[1.0], [0.125]]))
    assert together([many, one], "a") == pytest.approx({"a": 1.0, "b": (2.0 * 0.125) ** 0.5})
    assert many.without("2").streams == ["1", "3"]


def test_runs_are_kept_and_a_curve_is_that_of_the_parts(tmp_path):
    stream = all_generated(4_000)["sea abrupt"]
    run = run_ours(stream, stream.files(tmp_path), "file", {"warm_up": 100}, 4_000)
    assert len(run.curve) == len(ends_of_parts(4_000)) == 50
    assert np.mean(run.curve) == pytest.approx(run.measures["error"], abs=1e-5)
    Records(tmp_path / "runs.jsonl").add(run)
    (again,) = Records(tmp_path / "runs.jsonl").of.values()
    assert again == run
    assert again.key == ("sea abrupt", "file", "warm_up=100", 4_000)
    assert isinstance(again, Run)


def test_a_quick_look_is_smaller():
    assert Extent.quick_look([]).seeds < Extent().seeds
    assert len(Extent.quick_look([]).settings(classification=True)) < 10


def test_the_table_of_bars_runs_and_says_what_holds(tmp_path):
    command = [sys.executable, "-m", "benchmarks.keeping_up", "--only", "ranges", "--quick"]
    finished = subprocess.run(
        [*command, "--folder", str(tmp_path), "--set", "n_bins=16"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode in (0, 1), finished.stderr
    lines = finished.stdout.splitlines()
    names = [line.split(",")[0].removeprefix("ranges").strip() for line in lines[1:5]]
    assert names == ["scale shifts", "one outlier", "log-normal", "time stamp"]
    assert lines[-1].endswith("with {'n_bins': 16}")


def test_the_table_of_bars_refuses_unknown_parameters():
    command = [sys.executable, "-m", "benchmarks.keeping_up", "--set", "no_such=1"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert "there is no parameter no_such" in finished.stderr
