"""The option of a single tree beside an ensemble, of `train` and `evaluate`."""

import json

import pytest

from tests.unit.cli.commands import QUICK, run, train

BOOSTED = ["--method", "boosting", "--n-estimators", 3]
FOREST = ["--method", "forest", "--n-estimators", 3]


def names_of(result):
    assert result.exit_code == 0, result.stderr
    return list(json.loads(result.stdout)["metrics"])


@pytest.mark.parametrize("method", [BOOSTED, FOREST])
def test_with_a_report_an_ensemble_has_a_single_tree_beside_it(folder, method):
    names = names_of(train(*method, "--report", "r.html", "--json"))
    assert names[:2] == [method[1], "single tree"]
    assert '"single tree"' in (folder / "r.html").read_text(encoding="utf-8")


def test_it_predicts_what_the_command_for_one_tree_predicts(folder):
    options = ["--bins", 16, "--class-weight", "balanced", "--json"]
    beside = json.loads(train(*BOOSTED, *options, "--report", "r.html").stdout)
    alone = json.loads(train(*options, model="alone.sgt").stdout)
    assert beside["metrics"]["single tree"] == alone["metrics"]["tree"]


def test_the_ensemble_is_the_same_with_and_without_it(folder):
    train(*BOOSTED, "--report", "r.html")
    train(*BOOSTED, "--report", "r.html", "--no-single-tree", model="without.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "without.sgt").read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        [*BOOSTED],
        [*BOOSTED, "--report", "r.html", "--no-single-tree"],
        ["--report", "r.html"],
    ],
    ids=["no report", "switched off", "a single tree anyway"],
)
def test_there_is_none_where_it_is_not_wanted(folder, options):
    assert "single tree" not in names_of(train(*options, "--json"))


def test_a_model_that_goes_on_has_none_as_it_has_learned_rows_before(folder):
    train(*BOOSTED, "--limit", 1000)
    again = train(*BOOSTED, "--resume", "--report", "r.html", "--json")
    assert "single tree" not in names_of(again)


def test_evaluate_has_it_for_new_models_only(folder):
    options = ["-t", "label", *BOOSTED, *QUICK, "--report", "r.html", "--json"]
    assert "single tree" in names_of(run("evaluate", "data.csv", *options))
    train(*BOOSTED)
    tested = run("evaluate", "data.csv", "--model", "m.sgt", "--report", "r.html", "--json")
    assert "single tree" not in names_of(tested)


def test_its_cost_and_its_switch_are_in_the_help():
    text = " ".join(run("train", "--help").stdout.replace("│", " ").split())
    assert "--no-single-tree" in text
    assert "the time and the memory of one tree more" in text
