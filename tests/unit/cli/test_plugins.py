"""Commands of other packages: found where they are installed, explained where they are not."""

import importlib.metadata

import pytest
from click.testing import CliRunner

from sgtrees.cli import main


@pytest.fixture
def greeting_package(tmp_path, monkeypatch):
    (tmp_path / "greeting.py").write_text(
        "import click\n\n@click.command()\ndef greet():\n    click.echo('hello')\n"
    )
    information = tmp_path / "greeting-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\nSummary: Say hello\n"
    )
    (information / "entry_points.txt").write_text("[sgtrees.commands]\ngreet = greeting:greet\n")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("greeting_package")
def test_a_command_of_an_installed_package_is_listed_and_runs():
    assert "greet       Say hello" in CliRunner().invoke(main, ["--help"]).output
    assert CliRunner().invoke(main, ["greet"]).output == "hello\n"


def test_a_command_of_a_package_that_is_not_installed_explains_how_to_get_it(monkeypatch):
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda **_: importlib.metadata.EntryPoints()
    )
    done = CliRunner().invoke(main, ["reproduce"])
    assert done.exit_code == 1
    assert done.output == (
        "Error: reproduce is not installed: it is part of the package sgtrees-experiments; in a "
        "clone of the repository run `make reproduce` or `pip install ./experiments`\n"
    )
    assert "reproduce" not in CliRunner().invoke(main, ["--help"]).output


def test_other_names_are_unknown_commands():
    done = CliRunner().invoke(main, ["trian"])
    assert done.exit_code == 2
    assert "No such command 'trian'" in done.output
