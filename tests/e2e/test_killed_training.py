"""A training that is killed at any moment, and resumed, ends with the model it would have had."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("killed_training.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")


def kill_trainings(folder, kills, seed):
    done = subprocess.run(
        [sys.executable, SCRIPT, folder, str(kills), str(seed)],
        capture_output=True,
        check=False,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_training_survives_a_few_kills(tmp_path):
    seen = kill_trainings(tmp_path, 12, seed=1)
    assert seen["killed"] == 12
    assert seen["finished"] >= 1


@pytest.mark.long
def test_trainings_survive_200_kills_at_random_moments(tmp_path):
    seen = kill_trainings(tmp_path, 200, seed=2)
    assert seen["killed"] == 200
    assert seen["finished"] >= 1
    # Else the moments would not be those that matter.
    assert seen["while_writing"] >= 20
