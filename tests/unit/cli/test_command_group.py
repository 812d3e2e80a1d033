from tests.unit.cli.commands import run


def test_help_lists_all_commands_with_examples():
    result = run("--help")
    for name in ("train", "evaluate", "predict", "inspect", "demo", "completion", "version"):
        assert f"\n  {name} " in result.stdout
        assert run(name, "--help").exit_code == 0
    assert (
        "--target delay --loss absolute_error --model m.sgt --report r.html"
        in run("train", "--help").stdout
    )


def test_a_command_that_does_not_exist_is_refused():
    result = run("dance")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such command" in result.stderr
