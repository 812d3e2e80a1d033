from tests.unit.cli.commands import run


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
