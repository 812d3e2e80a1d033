"""The core's sources with many changes at once, of which each compiles."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.schemata import HEADER, Schema, compatible, numbered, rewrite

# Where a template's message points to no line of the file, so many attempts find it.
_MOST_ATTEMPTS = 12
# So many changes are tried for each that is wanted: some cannot be made, or not beside another.
_TRIED = 1.7


def write_core(folder: Path, mutants: Sequence[Mutant], most: int) -> dict[int, Mutant]:
    """Write the changes into a copy of the project.

    Parameters
    ----------
    folder : Path
        The copy, with unchanged sources.
    mutants : sequence of Mutant
        Changes of the core, those that come first being preferred.
    most : int
        How many are wanted.

    Returns
    -------
    dict from int to Mutant
        The changes that were made, by their numbers.
    """
    (folder / "core/include/mutation_switch.hpp").write_text(HEADER)
    by_file: dict[Path, list[Mutant]] = defaultdict(list)
    for mutant in mutants[: int(_TRIED * most)]:
        by_file[mutant.path].append(mutant)
    sources = {path: (folder / path).read_text() for path in by_file}
    possible = {
        mutant
        for path, of_file in by_file.items()
        for mutant in _that_compile(folder, path, compatible(sources[path], of_file))
    }
    chosen = numbered([mutant for mutant in mutants if mutant in possible][:most])
    for path, source in sources.items():
        of_file = {n: mutant for n, mutant in chosen.items() if mutant.path == path}
        (folder / path).write_text(rewrite(source, of_file).text if of_file else source)
    return chosen


def _that_compile(folder: Path, path: Path, mutants: list[Mutant]) -> list[Mutant]:
    """Return the changes of a file without those of which the compiler complains."""
    source = (folder / path).read_text()
    left = numbered(mutants)
    try:
        for _ in range(_MOST_ATTEMPTS):
            schema = rewrite(source, left)
            blamed = _blamed(folder, path, schema)
            if not blamed:
                return list(left.values())
            left = {n: mutant for n, mutant in left.items() if n not in blamed}
    finally:
        (folder / path).write_text(source)
    return []


def _blamed(folder: Path, path: Path, schema: Schema) -> set[int]:
    (folder / path).write_text(schema.text)
    compiler = os.environ.get("CXX", "c++")
    options = ["-std=c++20", "-fsyntax-only", "-Werror=vla", "-DSGT_NO_CLONES", "-Icore/include"]
    done = subprocess.run(
        [compiler, *options, path.as_posix()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return set()
    # Where no line is named, the last change goes.
    return schema.blamed(done.stderr, path.as_posix()) or {max(schema.lines, default=0)}
