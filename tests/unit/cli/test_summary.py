"""What the commands print about trees that were replaced."""

import pandas as pd
import pytest

from sgtrees import load
from sgtrees.streams import Agrawal, Drift
from tests.unit.cli.commands import run


@pytest.fixture
def drifting(tmp_path, monkeypatch):
    """Rows whose rule changes in the middle."""
    monkeypatch.chdir(tmp_path)
    rows = Drift(Agrawal(1), Agrawal(5, seed=1), at=4000).take(8000)
    pd.DataFrame(rows.X).assign(label=rows.y).to_csv("rows.csv", index=False)


def printed(*options):
    result = run("train", "rows.csv", "-t", "label", "-m", "m.sgt", "--overwrite", *options)
    assert result.exit_code == 0, result.stderr
    return " ".join(result.stdout.split())


def test_replaced_members_of_a_forest_are_told_with_their_rows(drifting):
    text = printed("--method", "forest", "--n-estimators", 3)
    assert "replaced: member " in text
    assert " at row 4," in text


def test_a_single_tree_that_was_replaced_is_told_with_its_rows(drifting):
    text = printed()
    assert "Members" not in text
    (replaced,) = (event for event in load("m.sgt").drifts_ if event.kind == "replaced")
    assert f"Replaced once at row {replaced.row:,} " in text


def test_trees_that_were_not_replaced_are_not_mentioned(drifting):
    assert "Replaced" not in printed("--on-drift", "ignore")
