from pathlib import Path

import pytest

from tests.unit.cli.commands import run

FIRST = 2**53 + 1


@pytest.fixture
def large_labels(folder):
    rows = "".join(f"{n % 9},{FIRST + n % 3}\n" for n in range(300))
    Path("large.csv").write_text("x,id\n" + rows)


@pytest.mark.usefixtures("large_labels")
def test_labels_whose_last_digits_are_lost_are_pointed_out():
    done = run("train", "large.csv", "-t", "id", "-m", "m.sgt")
    assert done.exit_code == 0, done.stderr
    assert "'id' has whole numbers above 2^53" in done.stderr
    assert "--nominal id keeps them" in done.stderr


@pytest.mark.usefixtures("large_labels")
def test_such_labels_are_kept_if_they_are_declared():
    done = run("train", "large.csv", "-t", "id", "--nominal", "id", "-m", "m.sgt")
    assert "2^53" not in done.stderr
    predicted = run("predict", "large.csv", "-m", "m.sgt").stdout.splitlines()[1:]
    assert set(predicted) <= {str(FIRST + n) for n in range(3)}


@pytest.mark.usefixtures("large_labels")
def test_a_large_number_to_be_predicted_is_no_label():
    done = run("train", "large.csv", "-t", "id", "--task", "regression", "-m", "m.sgt")
    assert "2^53" not in done.stderr
