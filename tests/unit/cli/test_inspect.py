from tests.unit.cli.commands import run, train


def test_inspection_shows_size_importances_splits_and_rules(folder):
    train()
    result = run("inspect", "m.sgt")
    assert result.exit_code == 0, result.stderr
    for words in ("SGTClassifier of label", "3,000 rows of 3 columns", "big, small", "importance",
                  "Top splits", "Largest leaves"):  # fmt: skip
        assert words in result.stdout
