"""Which features a user declares nominal: the parameter ``categorical_features``."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sgtrees.data.schema import FeatureName


class Declaration:
    """The meaning of ``categorical_features``.

    Parameters
    ----------
    categorical_features : "from_dtype", None, or sequence of str, int or bool
        "from_dtype": what the data say. None: no feature is nominal. Otherwise the names of the
        nominal features, or their column numbers, or a boolean for each column.

    Examples
    --------
    >>> declared = Declaration(["colour"])
    >>> declared.is_nominal(0, "colour", by_type=False), declared.is_nominal(1, "age", by_type=True)
    (True, False)
    """

    def __init__(self, categorical_features: Any) -> None:
        self.from_dtype = False
        self.names: frozenset[FeatureName] = frozenset()
        self.columns: frozenset[int] = frozenset()
        self.mask_length: int | None = None
        if categorical_features is None:
            return
        if isinstance(categorical_features, str):
            if categorical_features != "from_dtype":
                raise ValueError(
                    f"categorical_features={categorical_features!r} is not known; give "
                    "'from_dtype', None, or a list of names, column numbers or booleans"
                )
            self.from_dtype = True
            return
        self._read_list(np.asarray(categorical_features))

    def _read_list(self, given: np.ndarray[Any, Any]) -> None:
        if given.ndim != 1:
            raise ValueError(
                f"categorical_features must be one-dimensional, got shape {given.shape}"
            )
        if given.size == 0:
            return
        if given.dtype == bool:
            self.mask_length = len(given)
            self.columns = frozenset(np.flatnonzero(given).tolist())
        elif given.dtype.kind in "iu":
            if given.min() < 0:
                raise ValueError(
                    f"categorical_features holds {given.min()}; column numbers start at 0"
                )
            self.columns = frozenset(given.tolist())
        elif all(isinstance(name, str) for name in given.tolist()):
            self.names = frozenset(given.tolist())
        else:
            raise TypeError(
                "categorical_features must hold names, or column numbers, or booleans, all of one "
                f"type; got an array of {given.dtype}"
            )

    def check(self, names: Sequence[str] | None, n_features: int) -> None:
        """Refuse a declaration that does not fit the columns of a first block."""
        if self.names and names is None:
            raise ValueError(
                "categorical_features holds names, but the data have none; "
                "give column numbers or a boolean for each column"
            )
        unknown = self.names - frozenset(names or ())
        if unknown:
            raise ValueError(
                f"categorical_features names {sorted(map(str, unknown))}, "
                f"which the data do not have; their columns are {list(names or ())}"
            )
        if self.mask_length is not None and self.mask_length != n_features:
            raise ValueError(
                f"categorical_features has {self.mask_length} booleans, "
                f"but the data have {n_features} columns"
            )
        if self.columns and max(self.columns) >= n_features:
            raise ValueError(
                f"categorical_features names column {max(self.columns)}, "
                f"but the data have {n_features} columns, counted from 0"
            )

    def is_nominal(self, column: int, name: FeatureName, *, by_type: bool) -> bool:
        """Tell whether a feature is nominal; ``by_type`` says what its values look like."""
        if self.from_dtype:
            return by_type
        return column in self.columns or name in self.names
