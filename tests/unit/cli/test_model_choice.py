import json

import numpy as np
import pytest

from tests.unit.cli.commands import run, train
from tests.unit.streams import same_data


def test_identifiers_are_pointed_out(folder):
    table = same_data.table(3000, seed=3)
    named = table.append_column("id", [[f"row-{n}" for n in range(3000)]])
    same_data.write(named, folder, "csv")
    result = train()
    assert "'id' has 3,000 different values in the first 3,000 rows" in result.stderr
    assert "--drop id" in result.stderr
    assert "colour" not in result.stderr


@pytest.mark.parametrize(
    ("options", "task", "reason"),
    [
        (["-t", "label"], "classification", ""),
        (["-t", "size", "--on-error", "skip"], "regression", "holds numbers: regression"),
        (["-t", "few"], "classification", "3 distinct whole numbers"),
        (["-t", "few", "--task", "regression"], "regression", ""),
        (["-t", "few", "--loss", "poisson"], "regression", ""),
        (["-t", "size", "--on-error", "skip", "--loss", "quantile:0.9"], "regression", ""),
    ],
)
def test_the_task_is_derived_or_given(folder, options, task, reason):
    table = same_data.table(2000)
    few = np.arange(2000) % 3
    same_data.write(table.append_column("few", [few]), folder, "csv")
    result = run("evaluate", "data.csv", *options, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["task"] == task
    assert reason in result.stderr
    if not reason:
        assert "distinct" not in result.stderr
