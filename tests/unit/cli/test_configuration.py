import json

import pytest

import sgtrees
from tests.unit.cli.commands import run, train


def test_a_file_can_hold_every_option(folder):
    (folder / "run.toml").write_text(
        'files = ["data.csv"]\ntarget = "label"\nwarm-up = 200\ngrace_period = 50\n'
        'drop = ["count"]\n[train]\nmodel = "m.sgt"\non-error = "skip"\n[evaluate]\nwindow = 500\n'
    )
    result = run("train", "--config", "run.toml", "--delta", 1e-3)
    assert result.exit_code == 0, result.stderr
    model = sgtrees.load("m.sgt")
    assert (model.warm_up, model.grace_period, model.delta) == (200, 50, 1e-3)
    assert model.n_features_in_ == 2
    # The command line overrides the file.
    run("train", "--config", "run.toml", "--warm-up", 300, "--overwrite")
    assert sgtrees.load("m.sgt").warm_up == 300
    result = run("evaluate", "--config", "run.toml", "--json")
    assert json.loads(result.stdout)["evaluation"]["settings"]["window"] == 500


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('tarrget = "label"', "has 'tarrget', which is not an option; did you mean 'target'?"),
        ("[train]\nwindow = 5", "has 'window', which is not an option"),
        ("target = ", "is not a TOML file"),
        ('grace-period = "many"', "'many' is not a valid integer"),
    ],
)
def test_a_wrong_file_is_refused(folder, text, words):
    (folder / "run.toml").write_text(text)
    result = train("--config", "run.toml")
    if "grace" in text:
        arguments = ["train", "data.csv", "-t", "label", "-m", "m.sgt", "--config", "run.toml"]
        result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
