"""The build of the core that makes the slip of the paper's programs; the long tests need it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sgtrees_experiments import slipped_variance
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.learners.runs import run_from
from sgtrees_experiments.moa import NumericStream, StreamFiles

CHILD = "sgtrees_experiments.execution.child"


@pytest.fixture
def build():
    try:
        slipped_variance.slipped_core()
    except AbsentError as absent:
        pytest.skip(str(absent))


def run(*command):
    return subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False
    )


def test_a_missing_build_is_an_error_that_explains_how_to_make_it(tmp_path, monkeypatch):
    monkeypatch.setattr(slipped_variance, "_BUILD", tmp_path)
    with pytest.raises(AbsentError, match=r"is not built; .* cmake --preset slipped-variance &&"):
        slipped_variance.slipped_core()


def test_the_core_is_not_replaced_once_it_is_imported():
    with pytest.raises(RuntimeError, match=r"sgtrees\._core is already imported"):
        slipped_variance.replace_core()


@pytest.mark.long
@pytest.mark.usefixtures("build")
def test_the_build_equals_an_oracle_that_makes_the_slip():
    oracle = Path(__file__).with_name("slipped_oracle.py")
    done = run(slipped_variance.__name__, "pytest", "-q", "-p", "no:cacheprovider", str(oracle))
    assert done.returncode == 0, done.stdout
    assert "13 passed" in done.stdout


@pytest.mark.long
@pytest.mark.usefixtures("build")
def test_trees_grow_later_with_the_slip(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((3000, 4))
    X[:, 3] = rng.integers(0, 3, 3000)
    y = ((X[:, 0] > 0.5) ^ (X[:, 3] == 1)).astype(float)
    StreamFiles.write(NumericStream(X, y, [0, 0, 0, 3], 2), tmp_path)
    work = {
        "engine": "sgtrees",
        "learner": "sgt",
        "settings": {"grace_period": 50, "delta": 1e-3, "warm_up": 200},
        "task": "classification",
        "folder": str(tmp_path),
        "rows": 3000,
        "seeds": [0],
    }
    right, slipped = (
        run_from(json.loads(run(*command, CHILD, json.dumps(work)).stdout))
        for command in ((), (slipped_variance.__name__,))
    )
    assert slipped.nodes <= right.nodes
    assert slipped.losses[-1] > right.losses[-1]
