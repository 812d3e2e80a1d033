"""Some of the damaged model files that `make fuzz` tries, in each run of the tests."""

import subprocess
import sys

import pytest

from tests.fuzz.mutations import Mutations
from tests.fuzz.seeds import model_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="its memory can be bounded there")


def run(cases, first):
    which = ["--cases", str(cases), "--first", str(first)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.model_files", "--jobs", "1", *which],
        capture_output=True,
        check=False,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout
    return done.stdout


def test_damaged_files_are_refused_or_are_models():
    assert "4,000 damaged files" in run(4000, first=0)


@pytest.mark.long
def test_many_damaged_files_are_refused_or_are_models():
    assert "100,000 damaged files" in run(100_000, first=1_000_000)


def test_a_case_is_the_same_whenever_it_is_asked_for():
    files = model_files()
    for number in range(200):
        assert Mutations(files).case(0, number) == Mutations(model_files()).case(0, number)


def test_every_kind_of_model_is_damaged():
    assert len(model_files()) > 40
    assert all(len(file) < 100_000 for file in model_files().values())
