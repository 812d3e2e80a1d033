"""Some of the damaged model files that `make fuzz` tries, in each run of the tests."""

import sys

import pytest

from tests.fuzz.command import run
from tests.fuzz.mutations import Mutations
from tests.fuzz.seeds import model_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="its memory can be bounded there")


def test_damaged_files_are_refused_or_are_models():
    assert "2,000 damaged files" in run("model_files", 2000, 0, "--jobs", "1")


@pytest.mark.long
def test_many_damaged_files_are_refused_or_are_models():
    assert "100,000 damaged files" in run("model_files", 100_000, 1_000_000, "--jobs", "1")


def test_a_case_is_the_same_in_every_call():
    one, other = Mutations(model_files()), Mutations(model_files())
    for number in range(200):
        assert one.case(0, number) == other.case(0, number)


def test_every_kind_of_model_is_damaged():
    files = model_files()
    assert len(files) > 40
    assert all(len(file) < 100_000 for file in files.values())
