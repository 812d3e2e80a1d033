import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from sgtrees import extras
from sgtrees.extras import install_command

REQUIRES = [
    "numpy>=1.26",
    'pyarrow>=14; extra == "cli"',
    "dask[dataframe]>=2024.5; extra == 'dask'",
    'sgtrees[cli]; extra == "dask"',
    'matplotlib>=3.8; extra == "plot"',
]
FROM_A_CLONE = '{"url": "file:///home/me/sgtrees", "dir_info": {"editable": true}}'


@pytest.fixture
def installed(monkeypatch):
    """Return a function that says how the library was installed."""

    def say(**files):
        found = SimpleNamespace(requires=REQUIRES, read_text=files.get)
        monkeypatch.setattr(extras, "distribution", lambda _: found)
        monkeypatch.setattr(
            extras.shutil, "which", lambda _: str(Path(sys.executable).parent / "pip")
        )

    return say


def test_from_an_index_the_command_names_the_extra(installed):
    installed(INSTALLER="pip\n")
    assert install_command("plot") == "pip install 'sgtrees[plot]'"


def test_from_a_clone_it_names_the_packages(installed):
    installed(INSTALLER="pip\n", **{"direct_url.json": FROM_A_CLONE})
    assert install_command("plot") == "pip install 'matplotlib>=3.8'"


def test_extras_of_extras_are_resolved(installed):
    installed(INSTALLER="pip\n", **{"direct_url.json": FROM_A_CLONE})
    assert install_command("dask") == "pip install 'dask[dataframe]>=2024.5' 'pyarrow>=14'"


def test_uv_is_named_where_it_installed_the_library(installed):
    installed(INSTALLER="uv", **{"direct_url.json": FROM_A_CLONE})
    assert install_command("plot") == "uv pip install 'matplotlib>=3.8'"


def test_the_interpreter_is_named_where_the_shell_would_find_another_pip(installed, monkeypatch):
    installed(INSTALLER="pip\n")
    monkeypatch.setattr(extras.shutil, "which", lambda _: "/elsewhere/bin/pip")
    assert install_command("cli") == f"{sys.executable} -m pip install 'sgtrees[cli]'"


def test_sources_that_were_never_installed_name_the_extra(installed, monkeypatch):
    def absent(name):
        raise PackageNotFoundError(name)

    installed()
    monkeypatch.setattr(extras, "distribution", absent)
    assert install_command("plot") == "pip install 'sgtrees[plot]'"
