"""Blocks of rows as workers hold them: codes, or numbers in one array or in one per column.

Codes are an array of unsigned integers, and a block of columns is a tuple of arrays: both can be
pickled and sent without conversion.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.encoding import as_array

Numbers: TypeAlias = NDArray[Any]
Block: TypeAlias = Numbers | tuple[Numbers, ...]

# Integers up to this one are exact in float32.
_MAX_IN_FLOAT32 = 2**24


def from_core(block: Any) -> Block:
    """Return a block of the core as one that can be pickled."""
    return tuple(block.arrays) if isinstance(block, _core.Columns) else as_array(block)


def for_core(block: Block) -> Any:
    """Return a block as the core takes it."""
    if isinstance(block, tuple):
        return _core.Columns(list(block))
    return _core.Codes(block) if _is_coded(block) else block


def _is_coded(block: Numbers) -> bool:
    return bool(block.dtype.kind == "u")


def rows_of(block: Block, rows: Any) -> Block:
    """Return the rows that a NumPy index selects."""
    return tuple(column[rows] for column in block) if isinstance(block, tuple) else block[rows]


def joined(blocks: Sequence[Block]) -> Block:
    """Return blocks of the same columns, all codes or all numbers, as one."""
    if len(blocks) == 1:
        return blocks[0]
    if all(isinstance(block, tuple) for block in blocks):
        of_one_type = np.result_type(*(block[0] for block in blocks))
        return tuple(
            np.concatenate(columns, dtype=of_one_type) for columns in zip(*blocks, strict=True)
        )
    return np.concatenate([_array(block) for block in blocks])


def renumbered(block: Block, tables: Mapping[int, NDArray[np.float64]]) -> Block:
    """Return a block in which the categories of some columns have other numbers."""
    if not tables:
        return block
    largest = max(table.max(initial=0) for table in tables.values())
    if not isinstance(block, tuple) and _is_coded(block):
        return _with_other_codes(block, tables, int(largest) + 1)
    if isinstance(block, tuple):
        columns = list(block)
        if largest > _MAX_IN_FLOAT32:
            columns = [column.astype(np.float64) for column in columns]
        for place, table in tables.items():
            columns[place] = _with_numbers(columns[place].copy(), table)
        return tuple(columns)
    block = block.astype(np.float64) if largest > _MAX_IN_FLOAT32 else block.copy()
    for place, table in tables.items():
        block[:, place] = _with_numbers(block[:, place], table)
    return block


def _with_other_codes(
    block: Numbers, tables: Mapping[int, NDArray[np.float64]], largest: int
) -> Numbers:
    # The largest code of a type means none.
    widths = (dtype for dtype in (np.uint8, np.uint16) if largest < np.iinfo(dtype).max)
    block = block.astype(np.result_type(block, next(widths, np.uint32)))  # copies
    for place, table in tables.items():
        codes = np.concatenate([[0], table + 1]).astype(block.dtype)
        block[:, place] = codes[block[:, place]]
    return block


def bytes_of(block: Block) -> int:
    """Return the number of bytes."""
    return sum(column.nbytes for column in block) if isinstance(block, tuple) else block.nbytes


def _array(block: Block) -> Numbers:
    return np.stack(block, axis=1) if isinstance(block, tuple) else block


def _with_numbers(column: Numbers, table: NDArray[np.float64]) -> Numbers:
    known = ~np.isnan(column)
    column[known] = table[column[known].astype(np.intp)]
    return column
