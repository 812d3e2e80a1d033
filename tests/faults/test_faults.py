"""Some of the runs of `tests.faults.run`; all 300 of them by ``make faults``.

It forks, so it has a process of its own: this one may have threads.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
_ROOT = Path(__file__).parents[2]


def runs(tmp_path: Path, *options: str) -> dict[str, list[int]]:
    """Make runs, and return their counts by kind."""
    page, record = tmp_path / "page.md", tmp_path / "record.json"
    page.write_text("<!-- faults -->\n<!-- end of faults -->\n")
    command = [sys.executable, "-m", "tests.faults.run", *options]
    subprocess.run([*command, f"--page={page}", f"--record={record}"], cwd=_ROOT, check=True)
    found: dict[str, list[int]] = json.loads(record.read_text())
    return found


@pytest.mark.parametrize("kind", ["train, stopped", "quota"])
def test_a_training_that_is_disturbed_ends_as_if_nothing_had_happened(tmp_path, kind):
    assert len(runs(tmp_path, "--runs=1", "--seed=1", f"--only={kind}")) == 1


@pytest.mark.long
def test_faults_of_every_kind_at_random_moments_cost_nothing(tmp_path):
    found = runs(tmp_path, "--runs=60", "--seed=2")
    assert sum(n for n, _ in found.values()) >= 50
