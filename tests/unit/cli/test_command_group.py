import click

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


def test_ctrl_c_has_its_exit_code_while_the_command_line_is_read(monkeypatch):
    def interrupted(*_args, **_extra):
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Group, "parse_args", interrupted)
    assert run("version").exit_code == 130


def test_other_exit_codes_are_left_alone():
    assert run("version").exit_code == 0
    assert run("train", "--dance").exit_code == 2
