import json

import pytest

from tests.unit.cli.commands import run, train


@pytest.mark.parametrize(
    ("target", "options", "baselines"),
    [
        ("label", [], ["majority class", "last label"]),
        ("size", ["--task", "regression"], ["mean so far", "last value"]),
        ("size", ["--loss", "absolute_error", "--delay", 50], ["median so far", "last value"]),
        ("size", ["--loss", "quantile:0.9"], ["quantile so far"]),
    ],
)
def test_the_result_is_told_in_words_beside_the_baselines(folder, target, options, baselines):
    # Some targets are missing, and those rows are left out for all.
    command = ["evaluate", "data.csv", "-t", target, *options, "--report", "r.html"]
    command += ["--on-error", "skip"]
    result = run(*command)
    assert result.exit_code == 0, result.stderr
    told = " ".join(result.stdout.split())
    found = json.loads(run(*command, "--json").stdout)
    assert f"Result {found['verdict']}" in told
    assert all(f"the {name} (" in found["verdict"] for name in baselines)
    assert list(found["metrics"]) == ["tree", *baselines]
    assert f"</strong> {found['verdict']}</p>" in (folder / "r.html").read_text()


def test_a_saved_model_is_tested_beside_the_baselines_too(folder):
    assert train().exit_code == 0
    found = json.loads(run("evaluate", "data.csv", "-m", "m.sgt", "--json").stdout)
    assert list(found["metrics"]) == ["tree", "majority class", "last label"]
    assert found["metrics"]["last label"]["error"] > 0.1
    assert (folder / "m.sgt").exists()


def test_evaluation_draws_and_reports(folder):
    result = run(
        "evaluate", "data.csv", "-t", "label", "--png", "c.png", "--report", "r.html",
        "--every", 500, "--window", 700, "--fading", 0.99, "--delay", 10,
        "--metrics", "error,auc,kappa_temporal",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert (folder / "c.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "r.html").exists()
    assert "temporal kappa" in result.stdout
