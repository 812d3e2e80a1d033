"""Hints about columns that were read as text or as numbers, and should have been the other."""

import re
import shlex
from typing import Any

import numpy as np
import pyarrow as pa

from sgtrees.streams import Block, Stream
from sgtrees.streams.columns import option_text

# At least so many distinct values, of which nearly all look like numbers of another country.
_LEAST_DISTINCT = 5
_LEAST_SHARE = 0.9
_SAMPLE = 1000
_NUMBER = re.compile(r"[-+]?[0-9]+([.,' \u00a0\u202f][0-9]+)+|[-+]?[0-9]+")
_SEPARATOR = re.compile(r"[.,' \u00a0\u202f]")
# From here on not every whole number is a float64.
_ROUNDED = 2.0**53


def number_hints(stream: Stream, first: Block) -> list[str]:
    """Return a hint for each text column whose values look like numbers.

    Parameters
    ----------
    stream, first : Stream, Block
        The stream, and its first rows.
    """
    columns: list[tuple[str, Any, bool]] = []
    if stream.target is not None and stream.target.nominal:
        columns.append((stream.target.name, first.y, True))
    if isinstance(first.X, pa.Table):
        columns += [(name, first.X[name], False) for name in first.X.column_names]
    return [hint for column in columns if (hint := _hint(*column))]


def label_hint(stream: Stream, first: Block) -> str:
    """Return a hint if labels are whole numbers whose last digits are lost; else an empty string.

    Parameters
    ----------
    stream, first : Stream, Block
        The stream, and its first rows.
    """
    target = stream.target
    if target is None or target.nominal or not np.any(np.abs(np.asarray(first.y)) >= _ROUNDED):
        return ""
    return (
        f"Note: the target {target.name!r} has whole numbers above 2^53, whose last digits are "
        f"lost: --nominal {option_text(target.name)} keeps them as they are."
    )


def _hint(name: str, column: Any, is_target: bool) -> str:
    if not isinstance(column, pa.ChunkedArray) or not pa.types.is_dictionary(column.type):
        return ""
    known = column.unify_dictionaries().combine_chunks().dictionary.to_pylist()
    sample = [str(value).strip() for value in known[:_SAMPLE]]
    alike = [value for value in sample if _NUMBER.fullmatch(value) and _SEPARATOR.search(value)]
    numbers = sum(1 for value in sample if _NUMBER.fullmatch(value))
    if len(sample) < _LEAST_DISTINCT or not alike or numbers < _LEAST_SHARE * len(sample):
        return ""
    options = _options(alike)
    if not options:
        return ""
    what = f"the target {name!r} has {len(known):,} classes" if is_target else f"column {name!r}"
    are = "that look" if is_target else "holds text that looks"
    return (
        f"Note: {what} {are} like numbers, such as {alike[0]!r}: {options} reads them as numbers."
        f" (--nominal {option_text(name)} says that they are categories.)"
    )


def _options(values: list[str]) -> str:
    """Return the options that read such numbers, by the last separator and those before it."""
    last = [_SEPARATOR.findall(value) for value in values]
    decimals = {found[-1] for found in last if len(found) == 1 or found[-1] != found[0]}
    thousands = {found[0] for found in last if len(found) > 1}
    decimal = "," if "," in decimals and "," not in thousands else "."
    parts = [f"--decimal {decimal}"] if decimal != "." else []
    separators = sorted(thousands | (decimals - {decimal}))
    parts += [f"--thousands {shlex.quote(separators[0])}"] if separators else []
    return " ".join(parts)
