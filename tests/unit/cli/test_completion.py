import pytest
from click.testing import CliRunner

from sgtrees.cli import main
from tests.unit.cli.commands import run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_SGTREES_COMPLETE" in result.stdout


def test_the_tab_key_completes_commands_and_options():
    words = {
        "COMP_WORDS": "sgtrees train --max",
        "COMP_CWORD": "2",
        "_SGTREES_COMPLETE": "bash_complete",
    }
    result = CliRunner().invoke(main, env=words, prog_name="sgtrees")
    assert "plain,--max-memory" in result.output
