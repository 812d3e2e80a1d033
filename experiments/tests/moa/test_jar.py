import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.moa import jar, moa_jar


@pytest.fixture
def nothing_installed(monkeypatch, tmp_path):
    monkeypatch.delenv("SGTREES_MOA_JAR", raising=False)
    monkeypatch.setenv("SGTREES_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jar.importlib.util, "find_spec", lambda name: None)
    return tmp_path / "cache"


def test_a_jar_that_is_named_is_taken(monkeypatch, tmp_path):
    (tmp_path / "my.jar").touch()
    monkeypatch.setenv("SGTREES_MOA_JAR", str(tmp_path / "my.jar"))
    assert moa_jar() == tmp_path / "my.jar"
    monkeypatch.setenv("SGTREES_MOA_JAR", str(tmp_path / "none.jar"))
    with pytest.raises(AbsentError, match=r"there is no file .*none\.jar, which SGTREES_MOA_JAR"):
        moa_jar()


def test_an_installed_capymoa_has_it(monkeypatch, tmp_path):
    monkeypatch.delenv("SGTREES_MOA_JAR", raising=False)
    (tmp_path / "capymoa" / "jar").mkdir(parents=True)
    (tmp_path / "capymoa" / "jar" / "moa.jar").touch()
    (tmp_path / "capymoa" / "__init__.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert moa_jar() == tmp_path / "capymoa" / "jar" / "moa.jar"


def pip_that_gives(content):
    """Stand in for pip: a wheel with this jar, or none."""

    def run(command, **_):
        folder = Path(command[command.index("--dest") + 1])
        if content is not None:
            with zipfile.ZipFile(folder / "capymoa.whl", "w") as wheel:
                wheel.writestr("capymoa/jar/moa.jar", content)
        return subprocess.CompletedProcess(command, int(content is None), "", "no network")

    return run


def test_without_a_network_the_error_names_what_to_do(nothing_installed, monkeypatch):
    monkeypatch.setattr(jar.subprocess, "run", pip_that_gives(None))
    with pytest.raises(AbsentError, match=r"could not download capymoa .* SGTREES_MOA_JAR"):
        moa_jar()
    assert not nothing_installed.exists()


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(nothing_installed, monkeypatch):
    monkeypatch.setattr(jar.subprocess, "run", pip_that_gives(b"something else"))
    with pytest.raises(AbsentError, match="wrong checksum"):
        moa_jar()
    assert not nothing_installed.exists()


def test_the_download_is_kept(nothing_installed, monkeypatch):
    monkeypatch.setattr(jar.subprocess, "run", pip_that_gives(b"a jar"))
    monkeypatch.setattr(jar, "_SHA256", jar.hashlib.sha256(b"a jar").hexdigest())
    kept = moa_jar()
    assert kept.read_bytes() == b"a jar"
    monkeypatch.setattr(jar.subprocess, "run", pip_that_gives(None))
    assert moa_jar() == kept
    assert [path.name for path in nothing_installed.iterdir()] == [kept.name]


def test_first_runs_may_fetch_it_at_once(nothing_installed, monkeypatch):
    content = b"a jar" * 100_000
    monkeypatch.setattr(jar.subprocess, "run", pip_that_gives(content))
    monkeypatch.setattr(jar, "_SHA256", jar.hashlib.sha256(content).hexdigest())
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: moa_jar().read_bytes() == content, range(32)))
    assert all(found)
    assert len(list(nothing_installed.iterdir())) == 1
