"""Errors of commands: a message, an exit code, and no file."""

import pytest

from tests.unit.cli.commands import run


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["train", "data.csv", "-m", "m.sgt"], 2, "Missing option '--target'"),
        (["train", "data.csv", "-t", "label"], 2, "nothing would be saved"),
        (["train", "-t", "label", "-m", "m.sgt"], 2, "Missing argument 'FILES...'"),
        (["train", "data.csv", "-t", "label", "-m", "no/m.sgt"], 2, "'no' does not exist"),
        (
            ["train", "data.csv", "-t", "label", "-m", "m.sgt", "--loss", "l2"],
            2,
            "'l2' is unknown",
        ),
        (["train", "data.csv", "-t", "label", "-m", "m.sgt", "--delta", "2"], 2, "delta == 2.0"),
        (["train", "data.csv", "-t", "size", "-m", "m.sgt", "--loss", "quantile:2"], 2, "alpha"),
        (["train", "data.csv", "-t", "label", "-m", "m.sgt", "--update"], 2, "to update"),
        (["train", "data.csv", "-t", "lable", "-m", "m.sgt"], 3, "did you mean 'label'?"),
        (["train", "nowhere.csv", "-t", "label", "-m", "m.sgt"], 3, "there is no file"),
        (
            ["train", "data.csv", "-t", "label", "-m", "m.sgt", "--task", "regression"],
            2,
            "holds text",
        ),
        (["evaluate", "data.csv", "-t", "label", "--metrics", "mae"], 2, "is for regression"),
        (["predict", "data.csv", "-m", "data.csv"], 4, "data.csv cannot be loaded"),
        (["inspect", "data.csv"], 4, "data.csv cannot be loaded"),
        (["inspect", "nowhere.sgt"], 2, "does not exist"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(folder, arguments, code, words):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert words in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stderr
    assert not (folder / "m.sgt").exists()
