"""The folders show the architecture: unit tests mirror the packages, and the root stays small."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgtrees import _core

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "sgtrees"
UNIT_TESTS = ROOT / "tests" / "unit"
EXPERIMENTS = ROOT / "experiments" / "src" / "sgtrees_experiments"
EXPERIMENTS_TESTS = ROOT / "experiments" / "tests"
# Folders that mirror nothing: tests of the compiled `_core`, of which each file is named after a
# class or function, and tests of commands as a whole.
CORE = Path("core")
E2E = Path("e2e")
MOST_MODULES_AT_THE_ROOT = 10

MIRRORS = pytest.mark.parametrize(
    ("tests", "package"),
    [(UNIT_TESTS, PACKAGE), (EXPERIMENTS_TESTS, EXPERIMENTS)],
    ids=["sgtrees", "sgtrees_experiments"],
)


def unit_tests(folder: Path) -> list[Path]:
    tests = sorted(path.relative_to(folder) for path in folder.rglob("test_*.py"))
    return [test for test in tests if test.parent not in (CORE, E2E)]


@MIRRORS
def test_every_unit_test_is_named_after_its_module(tests: Path, package: Path) -> None:
    modules = {
        test: package / test.parent / f"{test.stem.removeprefix('test_')}.py"
        for test in unit_tests(tests)
    }
    without = {test.as_posix() for test, module in modules.items() if not module.is_file()}
    assert without == set(), "rename or split them, so that each tests one module"


def test_every_test_of_the_core_is_named_after_something_in_it() -> None:
    tests = {
        path.stem.removeprefix("test_").replace("_", "")
        for path in (UNIT_TESTS / CORE).glob("test_*.py")
    }
    assert tests
    assert tests <= {name.lower().replace("_", "") for name in dir(_core)}


@MIRRORS
def test_every_folder_of_unit_tests_is_a_folder_of_the_package(tests: Path, package: Path) -> None:
    folders = {test.parent for test in unit_tests(tests)}
    assert {str(folder) for folder in folders if not (package / folder).is_dir()} == set()


def test_the_root_of_the_package_has_few_modules() -> None:
    modules = [path.name for path in PACKAGE.iterdir() if path.suffix in (".py", ".pyi")]
    assert len(modules) <= MOST_MODULES_AT_THE_ROOT, sorted(modules)
