from pathlib import Path

import pytest

from tests.unit.cli.commands import run, train


@pytest.mark.parametrize(
    ("to", "start"),
    [
        ("onnx", b"\x08"),
        ("c", b"/*"),
        ("python", b'"""'),
        ("treelite", b""),
        ("json", b"{"),
    ],
)
def test_every_format_is_written(folder, to, start):
    train()
    result = run("export", "m.sgt", "--to", to)
    assert result.exit_code == 0, result.stderr
    for path in result.stdout.split():
        assert Path(path).read_bytes().startswith(start)


def test_wrong_calls_are_refused(folder):
    train("--limit", 10)
    assert run("export", "m.sgt", "--to", "excel").exit_code == 2
    assert run("export", "nowhere.sgt", "--to", "c").exit_code == 2
    assert run("export", "data.csv", "--to", "c").exit_code == 4
    result = run("export", "m.sgt", "--to", "python", "-o", "m.sgt")
    assert result.exit_code == 2
    assert "is the model itself" in result.stderr
    result = run("export", "m.sgt", "--to", "c", "-o", "model.h")
    assert result.exit_code == 2
    assert "the name of the header" in result.stderr


def test_a_file_that_was_not_named_is_not_replaced(folder):
    train("--limit", 300)
    Path("m.py").write_text("mine", encoding="utf-8")
    result = run("export", "m.sgt", "--to", "python")
    assert result.exit_code == 2
    assert "m.py exists" in result.stderr
    assert Path("m.py").read_text(encoding="utf-8") == "mine"
    assert run("export", "m.sgt", "--to", "python", "-o", "m.py").exit_code == 0
