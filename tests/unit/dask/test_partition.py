from __future__ import annotations

from typing import Any

import pytest

from sgtrees import SGTRegressor
from sgtrees.dask import PartitionError
from sgtrees.dask.partition import prepare
from sgtrees.dask.template import Template


def test_a_partition_that_is_too_large() -> None:
    estimator = SGTRegressor().partial_fit([[1.0]], [1.0])

    def read() -> Any:
        raise MemoryError

    with pytest.raises(PartitionError, match="part-3: this process has too little memory"):
        prepare(Template.of(estimator), read, "part-3")
