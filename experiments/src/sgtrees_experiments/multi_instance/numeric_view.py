"""Rows as numbers alone, for learners that know neither categories nor missing values."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.encoding import as_array, encode, first_schema
from sgtrees.data.schema import Declaration, Schema
from sgtrees.data.tables import Table

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class NumericView:
    """How tables become matrices: learned from the first one, the same for all that follow.

    A nominal feature becomes a column of 0 and 1 for each category; a missing or unknown category
    is 0 in all of them. A missing number is the mean of those that are not.

    Attributes
    ----------
    schema : Schema
        The features.
    means : ndarray
        The mean of each numeric feature; 0 for nominal ones and where all values are missing.
    """

    schema: Schema
    means: Matrix

    @classmethod
    def learn(cls, table: Table, declaration: Declaration) -> tuple[Self, Matrix]:
        """Learn the view of a first table, and return that table seen through it.

        Examples
        --------
        >>> from sgtrees.data.tables import read_table
        >>> table = read_table([["red", 1.0], ["blue", None], ["red", 3.0]], "MITIClassifier")
        >>> NumericView.learn(table, Declaration("from_dtype"))[1]
        array([[1., 0., 1.],
               [0., 1., 2.],
               [1., 0., 3.]])
        """
        schema = first_schema(table, declaration)
        encoded, additions = encode(table, schema.features, learn=True)
        schema.apply(additions)
        block = as_array(encoded)
        numeric = [not feature.nominal for feature in schema.features]
        known = ~np.isnan(block)
        sums = np.where(known, block, 0.0).sum(axis=0, dtype=np.float64)
        means = np.where(numeric, sums / np.maximum(known.sum(axis=0), 1), 0.0)
        view = cls(schema, means)
        return view, view._expand(block)

    def of(self, table: Table) -> Matrix:
        """Return a table of the same columns as a matrix."""
        block, _ = encode(table, self.schema.features, learn=False)
        return self._expand(as_array(block))

    def _expand(self, block: NDArray[np.floating]) -> Matrix:
        columns: list[Matrix] = []
        for place, feature in enumerate(self.schema.features):
            values = block[:, place].astype(np.float64)
            if feature.categories is None:
                columns.append(np.where(np.isnan(values), self.means[place], values))
            else:
                columns.extend(
                    (values == k).astype(np.float64) for k in range(len(feature.categories))
                )
        return np.column_stack(columns)
