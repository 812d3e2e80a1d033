"""Checks of an installed package in an environment with nothing else: no extras, no sources.

``make test-wheel`` and ``make test-sdist`` run it there; it needs no test framework.
"""

import csv
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

# Extras of those who work on the project; no module of the package needs them.
OF_DEVELOPERS = {"dev", "docs", "test"}
# What packages of the extras need themselves, and modules of ours import by name.
NEEDED_BY_EXTRAS = {"moa", "pandas"}


def packages_of_extras() -> set[str]:
    """The names by which the packages of the extras are imported: what a module may miss here."""
    found = set(NEEDED_BY_EXTRAS)
    for line in distribution("sgtrees").requires or ():
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        if extra and extra[1] not in OF_DEVELOPERS:
            found.add(re.split(r"[^\w-]", line)[0].replace("-", "_"))
    return found


def check_files() -> None:
    """The package lies in the environment, with its types, pages and licence, and no test."""
    import sgtrees  # noqa: PLC0415

    assert Path(sgtrees.__file__).is_relative_to(sys.prefix), sgtrees.__file__
    files = {str(path) for path in distribution("sgtrees").files or ()}
    for needed in ("py.typed", "_core.pyi", "report/assets/page.html"):
        assert f"sgtrees/{needed}" in files, needed
    assert any(name.endswith("licenses/LICENSE") for name in files)
    strangers = {name for name in files if name.startswith(("tests", "experiments", "core"))}
    assert not strangers, strangers


def check_modules() -> None:
    """Every module can be imported, or misses a package of an extra only."""
    import sgtrees  # noqa: PLC0415

    absent = packages_of_extras()
    for module in pkgutil.walk_packages(sgtrees.__path__, "sgtrees."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in absent:
                raise


def check_messages() -> None:
    """A package of an extra that is missing is named with what can be typed here."""
    message = ""
    try:
        importlib.import_module("sgtrees.dask")
    except ModuleNotFoundError as error:
        message = str(error)
    assert re.search(r"needs \w+: .*pip install 'dask", message), message


def check_learning(folder: Path) -> None:
    """A model learns, is saved, and predicts the same after it was loaded."""
    from sgtrees import SGTClassifier, load  # noqa: PLC0415
    from sgtrees.streams import FlightDelays  # noqa: PLC0415

    block = FlightDelays(seed=0).take(5_000)
    model = SGTClassifier().partial_fit(block.X, block.y, classes=sorted(set(block.y)))
    model.save(folder / "model.sgt")
    again = load(folder / "model.sgt")
    assert (again.predict_proba(block.X) == model.predict_proba(block.X)).all()


def check_command(folder: Path) -> None:
    """The command runs, and where an extra is missing it names what can be typed here."""
    done = _run(folder, "demo", "--rows", "20000", "--json")
    result = json.loads(done.stdout)
    assert result["error"]["tree"] < result["error"]["majority_class"], result["error"]
    assert "pip install 'matplotlib>=" in done.stderr, done.stderr

    with (folder / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["x", "y"], *([number, number % 2] for number in range(500))])
    done = _run(folder, "train", "rows.csv", "--target", "y", "--model", "rows.sgt", is_good=False)
    assert re.search(r"pyarrow.*pip install 'pyarrow>=", done.stderr), done.stderr
    done = _run(folder, "serve", "--target", "y", is_good=False)
    assert re.search(r"needs \w+: .*pip install '.*'starlette>=", done.stderr), done.stderr


def _run(folder: Path, *words: str, is_good: bool = True) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).with_name("sgtrees")
    done = subprocess.run(
        [command, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == is_good, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done


if __name__ == "__main__":
    check_files()
    check_modules()
    check_messages()
    with tempfile.TemporaryDirectory() as name:
        check_learning(Path(name))
        check_command(Path(name))
    sys.stdout.write("installed, learned, saved, loaded; the command runs\n")
