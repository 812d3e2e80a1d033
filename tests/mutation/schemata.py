"""Many changes of C++ files in one build: a number in the environment says which one is made.

``a < b`` becomes ``(SGT_MUTANT(17) ? (a <= b) : (a < b))``. So a hundred changes are compiled once,
not a hundred times. What surrounds a change is found by its brackets, commas and semicolons; where
that guess is wrong the file does not compile, and the changes that the compiler complains about are
left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.mutation.mutants import Mutant, without_text

VARIABLE = "SGT_MUTANT"
# The header that every changed file begins with.
HEADER = f"""#pragma once
#include <cstdlib>
namespace mutation {{
inline const int active = [] {{
    const char* number = std::getenv("{VARIABLE}");
    return number == nullptr ? 0 : std::atoi(number);
}}();
}}
#define {VARIABLE}(n) (mutation::active == (n))
"""
_OPENING, _CLOSING = "([{", ")]}"
_KEYWORDS = re.compile(r"\s*(?:else\b|case [^:?]+:|default:|return\b|(?:if|for|while|switch) \()")
_ASSIGNMENT = re.compile(r" (?:[-+*/%|&^]|<<|>>)?= ")


@dataclass(frozen=True)
class Unit:
    """The part of a file that is written twice: an expression, or a statement without a value."""

    begin: int
    end: int
    has_value: bool

    def overlaps(self, other: Unit) -> bool:
        """Return whether two units have some text in common."""
        return self.begin < other.end and other.begin < self.end


def unit_of(code: str, mutant: Mutant) -> Unit:
    """Return what is written twice for a change; ``code`` is without comments and strings."""
    if mutant.before.endswith(";"):  # a call that is left out
        return Unit(mutant.begin, mutant.end - 1, has_value=False)
    if mutant.before in ("break", "continue"):
        return Unit(mutant.begin, mutant.end, has_value=False)
    begin, opening = _left_end(code, mutant.begin)
    end = _right_end(code, mutant.end)
    is_statement = opening in ("{", "") and code[end : end + 1] == ";"
    while is_statement and (keyword := _KEYWORDS.match(code, begin, mutant.begin)):
        begin = keyword.end()
        if keyword[0].endswith("("):
            begin = _right_end(code, begin, stops=")") + 1
        is_statement &= not keyword[0].endswith("return")
    if assigned := _last_assignment(code, begin, mutant.begin):
        begin, is_statement = assigned, False
    begin += len(code[begin:end]) - len(code[begin:end].lstrip())
    return Unit(begin, end, has_value=not is_statement)


def _left_end(code: str, place: int) -> tuple[int, str]:
    """Return where the text around a place begins, and the bracket that it is in."""
    begin, depth = None, 0
    for at in range(place - 1, -1, -1):
        char = code[at]
        if char == "}" and depth == 0 and begin is None:
            begin = at + 1  # the end of a block before it
        if char in _CLOSING:
            depth += 1
        elif char in _OPENING:
            if depth == 0:
                return at + 1 if begin is None else begin, char
            depth -= 1
        elif char in ",;" and depth == 0 and begin is None:
            begin = at + 1
    return begin or 0, ""


def _right_end(code: str, place: int, stops: str = ",;)]}") -> int:
    depth = 0
    for at in range(place, len(code)):
        char = code[at]
        if depth == 0 and char in stops:
            return at
        depth += (char in _OPENING) - (char in _CLOSING)
    return len(code)


def _last_assignment(code: str, begin: int, end: int) -> int | None:
    """Return where the right side of an assignment begins that ``end`` is in, if there is one."""
    last, depth, at = None, 0, begin
    for match in _ASSIGNMENT.finditer(code, begin, end):
        between = code[at : match.start()]
        depth += sum((char in _OPENING) - (char in _CLOSING) for char in between)
        at = match.start()
        if depth == 0:
            last = match.end()
    return last


@dataclass(frozen=True)
class Schema:
    """A changed file: its text, and the lines of it that each change has."""

    text: str
    lines: dict[int, range]

    def blamed(self, messages: str, name: str) -> set[int]:
        """Return the numbers of the changes that a compiler's messages point to."""
        places = {int(line) for line in re.findall(rf"{re.escape(name)}:(\d+):", messages)}
        return {number for number, lines in self.lines.items() if places & set(lines)}


def rewrite(source: str, mutants: dict[int, Mutant]) -> Schema:
    """Return a file that has all changes, each under its number."""
    code = without_text(source, is_python=False)
    at_unit: dict[Unit, list[int]] = defaultdict(list)
    for number, mutant in mutants.items():
        at_unit[unit_of(code, mutant)].append(number)
    text, at = '#include "mutation_switch.hpp"\n', 0
    lines: dict[int, range] = {}
    for unit in sorted(at_unit, key=lambda unit: unit.begin):
        text += source[at : unit.begin]
        first = text.count("\n") + 1
        text += _written_twice(source, unit, {n: mutants[n] for n in at_unit[unit]})
        lines |= {n: range(first, text.count("\n") + 2) for n in at_unit[unit]}
        at = unit.end
    return Schema(text + source[at:], lines)


def _written_twice(source: str, unit: Unit, mutants: dict[int, Mutant]) -> str:
    whole = source[unit.begin : unit.end]
    if whole in ("break", "continue"):
        (number,) = mutants
        return f"if ({VARIABLE}({number})) {mutants[number].text}; else {whole}"
    value = "" if unit.has_value else "(void)"
    text = f"{value}({whole})"
    for number, mutant in mutants.items():
        if mutant.text == ";":
            changed = "0"
        else:
            before, after = source[unit.begin : mutant.begin], source[mutant.end : unit.end]
            changed = before + mutant.text + after
        text = f"({VARIABLE}({number}) ? {value}({changed}) : {text})"
    return text


def compatible(source: str, mutants: Iterable[Mutant]) -> list[Mutant]:
    """Return the changes of a file that can be made side by side: no unit is within another."""
    code = without_text(source, is_python=False)
    chosen: list[Mutant] = []
    units: list[Unit] = []
    for mutant in mutants:
        unit = unit_of(code, mutant)
        is_alone = all(unit == other or not unit.overlaps(other) for other in units)
        if is_alone and not (unit in units and mutant.before in ("break", "continue")):
            chosen.append(mutant)
            units.append(unit)
    return chosen


def numbered(mutants: Sequence[Mutant]) -> dict[int, Mutant]:
    """Return changes under numbers from 1 on; 0 stands for the code as it is."""
    return dict(enumerate(mutants, 1))
