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
    assert "are the same file" in result.stderr
