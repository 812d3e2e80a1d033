"""Small changes of source text, each a mistake that somebody might make.

Comments and strings are left alone. C++ is formatted by clang-format, so that ` < ` with spaces is
a comparison and `<` without them a template's bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# What stands between two spaces, and what takes its place.
_OPERATORS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "&&": "||",
    "||": "&&",
    "and": "or",
    "or": "and",
    "+=": "-=",
    "-=": "+=",
    "%": "*",
}
_WORDS = {
    "true": "false",
    "false": "true",
    "True": "False",
    "False": "True",
    "std::min": "std::max",
    "std::max": "std::min",
    "min": "max",
    "max": "min",
    "not ": "",
    "continue": "break",
    "break": "continue",
    "any": "all",
    "all": "any",
}
_OPERATOR = re.compile(r"(?<= )(" + "|".join(map(re.escape, _OPERATORS)) + r")(?= )")
_WORD = re.compile(
    r"(?<![\w.:])(" + "|".join(re.escape(word) for word in _WORDS) + r")(?![\w:]|(?<=not ) )"
)
_NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.'])")
_CONDITION = re.compile(r"\bif \(")
_CPP_CALL = re.compile(r"^(?P<indent> +)(?P<call>[\w.>:\[\]-]+\([^;{}]*\));$", re.MULTILINE)
_PYTHON_CALL = re.compile(r"^(?P<indent> +)(?P<call>[\w.]+\([^\n]*\))$", re.MULTILINE)
_INCREMENT = re.compile(r"\+\+(?=\w)")

_CPP_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|^#[^\n]*', re.DOTALL | re.MULTILINE)
_PYTHON_TEXT = re.compile(
    r'#[^\n]*|[rbf]*"""(?:\\.|[^\\])*?"""|[rbf]*"(?:\\.|[^"\\\n])*"|[rbf]*\'(?:\\.|[^\'\\\n])*\'',
    re.DOTALL,
)
# Lines that say what something is, not what happens.
_DECLARATION = re.compile(
    r"^\s*(from|import|class|def|@|using|template|namespace|constexpr|static_assert|raise|throw|"
    r"Archive::fail)\b"
)


@dataclass(frozen=True)
class Mutant:
    """A change at one place of a file."""

    path: Path
    begin: int
    end: int
    text: str
    line: int
    before: str
    # The line as it stands, by which a change is known again when others have moved it.
    context: str = ""
    column: int = 0
    # How many lines before it in the file are the same.
    earlier: int = 0

    @property
    def key(self) -> str:
        """What the change is, wherever in its file the line stands."""
        change = f"{self.before.strip()} -> {self.text.strip() or '-'}"
        again = f" ({self.earlier + 1})" if self.earlier else ""
        return f"{self.path.as_posix()}: {self.context}{again}: {self.column}: {change}"

    def apply(self, source: str) -> str:
        """Return the changed source."""
        return source[: self.begin] + self.text + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: `{self.before.strip()}` -> `{self.text.strip() or '-'}`"


def mutants_of(path: Path, source: str) -> list[Mutant]:
    """Return all changes of a file that are known here, in their order."""
    is_python = path.suffix == ".py"
    code = without_text(source, is_python=is_python)
    lines = source.splitlines()
    found = []
    for begin, end, text in sorted(set(_changes(code, is_python=is_python))):
        line = source.count("\n", 0, begin) + 1
        if not _DECLARATION.match(lines[line - 1]):
            context, column = lines[line - 1].strip(), begin - source.rfind("\n", 0, begin) - 1
            before = source[begin:end]
            earlier = [other.strip() for other in lines[: line - 1]].count(context)
            found.append(Mutant(path, begin, end, text, line, before, context, column, earlier))
    return found


def without_text(source: str, *, is_python: bool) -> str:
    """Return the source with blanks for comments and strings, so that places stay what they are."""
    hidden = _PYTHON_TEXT if is_python else _CPP_TEXT
    return hidden.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def _changes(code: str, *, is_python: bool) -> Iterator[tuple[int, int, str]]:
    for match in _OPERATOR.finditer(code):
        yield *match.span(1), _OPERATORS[match[1]]
    for match in _WORD.finditer(code):
        yield *match.span(1), _WORDS[match[1]]
    for match in _NUMBER.finditer(code):
        yield *match.span(1), str(int(match[1]) + 1)
    if is_python:
        for match in _PYTHON_CALL.finditer(code):
            if match["call"].count("(") == match["call"].count(")"):
                yield *match.span("call"), "pass"
        return
    for match in _INCREMENT.finditer(code):
        yield *match.span(), "--"
    for match in _CONDITION.finditer(code):
        end = _end_of_condition(code, match.end())
        yield match.end(), end, f"!({code[match.end() : end]})"
    for match in _CPP_CALL.finditer(code):
        if "\n" not in match["call"] and not match["call"].startswith("return"):
            yield match.start("call"), match.end("call") + 1, ";"


def _end_of_condition(code: str, begin: int) -> int:
    """Return the place of the bracket that closes one before ``begin``."""
    depth = 1
    for place in range(begin, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return begin
