"""The header of an ARFF file: the declarations before the rows."""

import re
from dataclasses import dataclass

from sgtrees.streams.columns import ColumnKind, SourceColumn
from sgtrees.streams.errors import StreamError

_NUMBERS = ("numeric", "real", "integer")


@dataclass(frozen=True)
class Header:
    """The declarations of an ARFF file.

    Attributes
    ----------
    attributes : dict from str to SourceColumn
        The columns, in their order.
    n_lines : int
        The number of lines up to and including ``@data``.
    """

    attributes: dict[str, SourceColumn]
    n_lines: int


def read_header(text: str, file: str) -> Header | None:
    """Parse the declarations; None if the text ends before ``@data``.

    Examples
    --------
    >>> text = '''% a comment
    ... @relation weather
    ... @attribute 'the outlook' {sunny, overcast, "heavy rain"}
    ... @ATTRIBUTE temperature REAL
    ... @data
    ... '''
    >>> header = read_header(text, "weather.arff")
    >>> list(header.attributes), header.attributes["the outlook"].categories, header.n_lines
    (['the outlook', 'temperature'], ('sunny', 'overcast', 'heavy rain'), 5)
    """
    attributes: dict[str, SourceColumn] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        statement = line.strip()
        word = statement[:10].lower()
        if word.startswith("@data"):
            if not attributes:
                raise StreamError(f"{file}, line {number}: @data comes before any @attribute")
            return Header(attributes, number)
        if word == "@attribute":
            name, column = _attribute(statement[10:].strip(), file, number)
            if name in attributes:
                raise StreamError(f"{file}, line {number}: a second attribute {name!r}")
            attributes[name] = column
        elif statement and statement[0] != "%" and not word.startswith("@relation"):
            raise StreamError(
                f"{file}, line {number}: {statement[:40]!r} is neither @relation, @attribute, "
                "@data nor a comment; is this an ARFF file?"
            )
    return None


def _attribute(statement: str, file: str, line: int) -> tuple[str, SourceColumn]:
    match = _WORD.match(statement)
    if match is None:
        raise StreamError(f"{file}, line {line}: @attribute without a name")
    name = unquoted(match[0])
    kind = statement[match.end() :].strip()
    if kind.startswith("{"):
        if not kind.rstrip().endswith("}"):
            raise StreamError(
                f"{file}, line {line}: the values of {name!r} lack their closing brace"
            )
        values = tuple(split_values(kind.rstrip()[1:-1]))
        return name, SourceColumn(ColumnKind.NOMINAL, "nominal", values)
    word = kind.split(None, 1)[0].lower() if kind else ""
    if word in _NUMBERS:
        return name, SourceColumn(ColumnKind.NUMERIC, word)
    if word == "string":
        return name, SourceColumn(ColumnKind.NOMINAL, word)
    if word == "date":
        return name, SourceColumn(ColumnKind.OTHER, "dates")
    if word == "relational":
        raise StreamError(
            f"{file}, line {line}: {name!r} is relational (bags of rows), which cannot be streamed"
        )
    raise StreamError(
        f"{file}, line {line}: the type {kind!r} of {name!r} is unknown; "
        "types are numeric, {values in braces} and string"
    )


# ---- quoted words -------------------------------------------------------------------------------

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_WORD = re.compile(rf"{_QUOTED}|[^\s{{]+")
_VALUE = re.compile(rf"\s*(?:({_QUOTED})|([^,\t]*?))\s*(?:[,\t]|$)")
_ESCAPE = re.compile(r"\\(.)")
_MEANINGS = {"n": "\n", "t": "\t", "r": "\r"}


def unquoted(word: str) -> str:
    r"""Return a word without quotes and escapes.

    Examples
    --------
    >>> unquoted(r"'don\'t'"), unquoted("plain")
    ("don't", 'plain')
    """
    if len(word) > 1 and word[0] in "'\"" and word[-1] == word[0]:
        return _ESCAPE.sub(lambda match: _MEANINGS.get(match[1], match[1]), word[1:-1])
    return word


def split_values(text: str) -> list[str]:
    """Split at commas (or tabs) outside quotes, and remove the quotes.

    Raises
    ------
    ValueError
        If a quote is not closed, or something follows a quoted value.

    Examples
    --------
    >>> split_values("a, 'b, c' ,?")
    ['a', 'b, c', '?']
    """
    return [value for value, _ in split_marked(text)]


def split_marked(text: str) -> list[tuple[str, bool]]:
    """Split as `split_values` does; return each value and whether it was quoted."""
    values: list[tuple[str, bool]] = []
    place, end = 0, len(text)
    while True:
        match = _VALUE.match(text, place)
        if match is None or (match[2] or "").startswith(("'", '"')):
            raise ValueError("a quote is not closed, or something follows the closing one")
        values.append((unquoted(match[1]), True) if match[1] else (match[2], False))
        place = match.end()
        if place >= end:
            if text[-1:] in (",", "\t") and match[0][-1:] in (",", "\t"):
                values.append(("", False))
            return values
