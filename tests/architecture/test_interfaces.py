"""Folders use each other's public names only, modules import at their top, examples are there."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT / "src" / "sgtrees", ROOT / "experiments" / "src" / "sgtrees_experiments")
MODULES = sorted(path for package in PACKAGES for path in package.rglob("*.py"))

# Underscore names that other libraries document, or offer no public name for.
NAMES_OF_OTHERS = {
    "_ALL_BROKERS_DOWN",  # of confluent-kafka's `KafkaError`, like all in capitals
    "_AUTO_OFFSET_RESET",
    "_RESOLVE",
    "_TRANSPORT",
    "_asdict",  # of a `NamedTuple`, like the next one and `_replace`
    "_fields",
    "_get_param_names",  # of scikit-learn's `BaseEstimator`
    "_replace",
    "_wrapped_model",  # of river's wrappers of models
}
# What may be imported inside of a function, each with the extra that it needs.
EXTRAS = {
    "dask": "dask",
    "distributed": "dask",
    "fastavro": "redis",
    "jax": "jax",
    "matplotlib": "plot",
    "pyarrow": "cli",
    "sgtrees.dask": "dask",
    "sgtrees.export.onnx": "onnx",
    "sgtrees.serve": "serve",
    "sgtrees.streams.brokers.broker_stream": "cli",
    "sgtrees.streams.brokers.kafka_topic": "kafka",
    "sgtrees.streams.brokers.redis_stream": "redis",
    "sgtrees.streams.files.file_stream": "cli",
    "sgtrees.streams.row_stream": "cli",
    "shap": "shap",
    "treelite": "treelite",
}
# The packages whose names are documented for users.
PUBLIC = [
    "sgtrees",
    "sgtrees.client",
    "sgtrees.dask",
    "sgtrees.evaluation",
    "sgtrees.export",
    "sgtrees.inspection",
    "sgtrees.losses",
    "sgtrees.streams",
]
# The class or the object itself, whose private names may come from a base class.
OWN = {"self", "cls", "type(self)", "super()"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@cache
def nodes_of(module: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(module.read_text())))


def folder_of(module: Path) -> Path:
    """Return the folder of a module that the layers of import-linter name, or the module."""
    package = next(package for package in PACKAGES if module.is_relative_to(package))
    return package / module.relative_to(package).parts[0]


@cache
def private_names_defined_in(module: Path) -> set[str]:
    """Return the private functions, methods, classes and attributes that a module defines."""
    names: set[str] = set()
    for node in nodes_of(module):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                names.add(name)
    return {name for name in names if is_private(name)}


def private_names_of_others(module: Path) -> Iterator[str]:
    folder = folder_of(module)
    own: set[str] = set()
    for other in folder.rglob("*.py") if folder.is_dir() else [module]:
        own |= private_names_defined_in(other)
    for node in nodes_of(module):
        match node:
            case ast.Attribute(value=value, attr=name) if is_private(name):
                if ast.unparse(value) not in OWN and name not in own | NAMES_OF_OTHERS:
                    yield f"{module.name}:{node.lineno} {ast.unparse(node)}"
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
                if is_private(name) and name not in own | NAMES_OF_OTHERS:
                    yield f"{module.name}:{node.lineno} {ast.unparse(node)}"
            case ast.ImportFrom(module=source, names=names):
                for name in {alias.name for alias in names} - {"_core"} - own:
                    if is_private(name):
                        yield f"{module.name}:{node.lineno} {source}.{name}"


def imports_in_functions(module: Path) -> Iterator[str]:
    """Yield the place and the name of each module that is imported inside of a function."""
    for function in nodes_of(module):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            match node:
                case ast.Import(names=names):
                    yield from (f"{module.name}:{node.lineno} {alias.name}" for alias in names)
                case ast.ImportFrom(module=str(source)):
                    yield f"{module.name}:{node.lineno} {source}"


def needs_an_extra(imported: str) -> bool:
    return any(f"{imported}.".startswith(f"{name}.") for name in EXTRAS)


def test_no_private_name_of_another_folder_is_used() -> None:
    assert [place for module in MODULES for place in private_names_of_others(module)] == []


def test_only_optional_extras_are_imported_inside_of_functions() -> None:
    places = [place for module in MODULES for place in imports_in_functions(module)]
    assert [place for place in places if not needs_an_extra(place.split()[-1])] == []


def test_every_extra_in_the_list_is_imported_somewhere() -> None:
    imported = {place.split()[-1] for module in MODULES for place in imports_in_functions(module)}
    unused = {
        extra
        for extra in EXTRAS
        if not any(f"{name}.".startswith(f"{extra}.") for name in imported)
    }
    assert unused == set()


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_function_and_class_has_an_example(package: str) -> None:
    module = importlib.import_module(package)
    public = {name: getattr(module, name) for name in module.__all__}
    documented = {name: thing for name, thing in public.items() if callable(thing)}
    assert documented
    without = [name for name, thing in documented.items() if ">>>" not in (thing.__doc__ or "")]
    assert without == []


# ---- files ---------------------------------------------------------------------------------------

# Those that write otherwise, and why they may.
WRITES_BY_ITSELF = {
    "atomic_file.py": "the one way to write a file",
    "table_writer.py": "predictions, which are to be seen while more of them come",
    "results.py": "a line for each finished run, added at the end",
    "runner.py": "into a temporary folder, which is renamed as a whole",
    "stream_files.py": "into a temporary folder",
}


def files_written(module: Path) -> Iterator[str]:
    """Yield the calls by which a module may write a file at a path."""
    for node in nodes_of(module):
        match node:
            case ast.Call(func=ast.Attribute(attr="write_text" | "write_bytes" | "tofile" as name)):
                yield f"{module.name}:{node.lineno} {name}"
            # Of a path; of a string it has two arguments.
            case ast.Call(func=ast.Attribute(attr="replace" as name), args=[_], keywords=[]):
                yield f"{module.name}:{node.lineno} {name}"
            case ast.Call(
                func=ast.Name(id="open" as name) | ast.Attribute(attr="open" as name),
                args=arguments,
            ):
                modes = [a.value for a in arguments if isinstance(a, ast.Constant)]
                if any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes):
                    yield f"{module.name}:{node.lineno} {name}"
            case ast.Call(func=ast.Attribute(attr="savefig"), args=[ast.Name(id=target), *_]):
                if target not in ("file", "text"):
                    yield f"{module.name}:{node.lineno} savefig"


def test_files_are_written_atomically() -> None:
    places = [place for module in MODULES for place in files_written(module)]
    assert [place for place in places if place.split(":")[0] not in WRITES_BY_ITSELF] == []


def test_every_module_in_the_list_writes_files() -> None:
    writing = {place.split(":")[0] for module in MODULES for place in files_written(module)}
    assert set(WRITES_BY_ITSELF) - writing == set()


def test_consoles_are_made_in_one_place() -> None:
    # One that reads markup would take names from data for it.
    made = {
        module.name
        for module in MODULES
        for node in nodes_of(module)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Console", "Text.from_markup")
    }
    assert made == set()
