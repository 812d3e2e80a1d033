"""What the first block tells that its user may want to know."""

import pyarrow as pa
import pyarrow.compute as pc

from sgtrees.streams import Block

# A column of words of which most occur only once names rows; a model of it grows with every row.
_FEW_ROWS = 1000
_MOST_DISTINCT = 0.5


def hints(first: Block) -> list[str]:
    """Return hints about columns that had better be left out.

    Parameters
    ----------
    first : Block
        The first rows of files.

    Returns
    -------
    list of str
        A sentence for each.
    """
    if len(first) < _FEW_ROWS or not isinstance(first.X, pa.Table):
        return []
    found = []
    for name in first.X.column_names:
        column = first.X[name]
        if not pa.types.is_dictionary(column.type):
            continue
        codes = column.unify_dictionaries().combine_chunks().indices
        n_distinct = pc.count_distinct(codes).as_py()
        if n_distinct > _MOST_DISTINCT * len(first):
            found.append(
                f"Column {name!r} has {n_distinct:,} different values in the first {len(first):,} "
                f"rows; if it is an identifier, leave it out: --drop {name}"
            )
    return found
