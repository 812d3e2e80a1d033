"""The estimator that all workers start from."""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.dask.errors import PartitionError
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.version import VERSION

Estimator: TypeAlias = SGTClassifier | SGTRegressor
State: TypeAlias = Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True)
class Template:
    """An estimator that knows its columns and has learned nothing.

    Attributes
    ----------
    pickled : bytes
        The estimator; each task unpickles its own.
    encoder_state : tuple of dict and mapping, optional
        The options and the inference state of the core once its bins are known: from then on
        workers encode rows as they read them.
    version : str
        The version of the library that made it.
    """

    pickled: bytes
    encoder_state: tuple[dict[str, Any], State] | None = None
    version: str = VERSION

    @classmethod
    def of(cls, estimator: Estimator) -> "Template":
        """Return an estimator with the same columns that has learned nothing."""
        empty = type(estimator)(**estimator.get_params(deep=False))
        empty.model_ = estimator.model_.without_rows()
        return cls(pickle.dumps(empty))

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without the encoder, which each process makes for itself."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def encoder(self) -> Any:
        """A core that encodes rows; None before its bins are known."""
        if self.encoder_state is None:
            return None
        options, state = self.encoder_state
        return self.estimator().model_.core_from(_core.Options(**options), state)

    def estimator(self) -> Estimator:
        """Return a new estimator; raise if this process has another version of the library."""
        if self.version != VERSION:
            raise PartitionError(
                f"a worker has sgtrees {VERSION}, and the client {self.version}; install the "
                "same version everywhere"
            )
        estimator: Estimator = pickle.loads(self.pickled)
        return estimator
