import json

import numpy as np
import pytest

import sgtrees
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


@pytest.mark.parametrize(
    ("method", "target", "name"),
    [
        ("tree", "label", "SGTClassifier"),
        ("boosting", "label", "SGTBoostingClassifier"),
        ("forest", "label", "SGTForestClassifier"),
        ("boosting", "size", "SGTBoostingRegressor"),
        ("forest", "size", "SGTForestRegressor"),
    ],
)
def test_the_method_says_which_model_learns(folder, method, target, name):
    same_data.write(same_data.table(1000), folder, "csv")
    members = [] if method == "tree" else ["--n-estimators", 3, "--seed", 5]
    result = run(
        "train", "data.csv", "-t", target, "-m", "m.sgt", "--on-error", "skip", "--json",
        "--method", method, *members,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert next(iter(json.loads(result.stdout)["metrics"])) == method
    model = sgtrees.load("m.sgt")
    assert type(model).__name__ == name
    if members:
        assert (model.n_estimators, model.random_state) == (3, 5)
    again = run("train", "data.csv", "-m", "m.sgt", "--update", "--on-error", "skip", "--json")
    assert again.exit_code == 0, again.stderr
    assert next(iter(json.loads(again.stdout)["metrics"])) == method


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--n-estimators", 3], "--n-estimators goes with --method boosting or --method forest"),
        (
            ["--learning-rate", 0.1, "--method", "forest"],
            "--learning-rate goes with --method boosting",
        ),
        (["--method", "boosting", "--learning-rate", 2], "learning_rate == 2.0, must be > 0.0"),
        (["--method", "boosting", "--n-estimators", 0], "n_estimators == 0, must be >= 1"),
        (["--method", "forest", "--paper"], "--paper goes with --method tree"),
    ],
)
def test_options_of_other_methods_are_refused(folder, options, message):
    same_data.write(same_data.table(1000), folder, "csv")
    result = train(*options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
