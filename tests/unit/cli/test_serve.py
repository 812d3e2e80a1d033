"""What the command refuses before it listens."""

from importlib.util import find_spec

import pytest

from tests.unit.cli.commands import run

pytestmark = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("starlette", "uvicorn", "prometheus_client")),
    reason="the extra 'serve' is not installed",
)

NEW = ("--target", "kind", "--task", "classification", "--port", "0")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*NEW, "--host", "0.0.0.0"], "0.0.0.0 is not only this machine: give tokens"),
        (["--port", "0"], "a new model needs --target and --task"),
        (["--target", "kind", "--port", "0"], "a new model needs --task"),
        ([*NEW, "--tls-key", "data.csv"], "--tls-certificate and --tls-key go together"),
        ([*NEW, "--tokens", "data.csv"], "has no lines like learn"),
        ([*NEW, "--delta", "7"], "delta"),
        ([*NEW, "--loss", "squared_error"], "is not for classification"),
    ],
)
def test_wrong_calls_are_refused_and_leave_nothing(folder, arguments, words):
    result = run("serve", "new.sgt", *arguments)
    assert result.exit_code != 0
    assert words in " ".join(result.output.split())
    assert not (folder / "new.sgt").exists()


def test_a_short_token_is_refused(folder, monkeypatch):
    monkeypatch.setenv("SGTREES_LEARN_TOKEN", "short")
    result = run("serve", "new.sgt", *NEW)
    assert result.exit_code == 2
    assert "fewer than 16 characters" in " ".join(result.output.split())
