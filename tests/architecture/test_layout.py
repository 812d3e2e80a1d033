"""The folders show the architecture: unit tests mirror the package, and its root stays small."""

from __future__ import annotations

from pathlib import Path

from sgtrees import _core

PACKAGE = Path(__file__).parents[2] / "src" / "sgtrees"
UNIT_TESTS = Path(__file__).parents[1] / "unit"
# Tests of the compiled module `_core`: each file is named after one of its classes or functions.
CORE = Path("core")
MOST_MODULES_AT_THE_ROOT = 10

# Files of unit tests that have no module of their name yet. Must become empty.
PENDING: set[str] = {
    "export/test_exports.py",
    "inspection/test_forms.py",
    "inspection/test_pictures.py",
    "inspection/test_reasons.py",
    "inspection/test_views.py",
    "report/test_parts.py",
}


def unit_tests() -> list[Path]:
    return sorted(path.relative_to(UNIT_TESTS) for path in UNIT_TESTS.rglob("test_*.py"))


def has_its_module(test: Path) -> bool:
    name = test.stem.removeprefix("test_")
    if test.parent == CORE:
        return name.replace("_", "") in {public.lower().replace("_", "") for public in dir(_core)}
    return (PACKAGE / test.parent / f"{name}.py").is_file()


def test_every_unit_test_is_named_after_its_module() -> None:
    without = {test.as_posix() for test in unit_tests() if not has_its_module(test)}
    assert without - PENDING == set(), "rename or split them, so that each tests one module"


def test_every_folder_of_unit_tests_is_a_folder_of_the_package() -> None:
    folders = {test.parent for test in unit_tests()} - {CORE}
    assert {str(folder) for folder in folders if not (PACKAGE / folder).is_dir()} == set()


def test_the_root_of_the_package_has_few_modules() -> None:
    modules = [path.name for path in PACKAGE.iterdir() if path.suffix in (".py", ".pyi")]
    assert len(modules) <= MOST_MODULES_AT_THE_ROOT, sorted(modules)
