"""Some damaged partial statistics in each run of the tests."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="its memory can be bounded there")


def run(cases, first):
    which = ["--cases", str(cases), "--first", str(first)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.partials", *which],
        capture_output=True,
        check=False,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout
    return done.stdout


def test_damaged_partial_statistics_are_refused_or_added():
    assert "2,000 damaged partial statistics" in run(2000, first=0)


@pytest.mark.long
def test_many_damaged_partial_statistics_are_refused_or_added():
    assert "100,000 damaged partial statistics" in run(100_000, first=1_000_000)
