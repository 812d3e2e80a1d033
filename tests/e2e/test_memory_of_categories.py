"""Tables of categories count in ``max_memory``, and ``memory_bytes_`` tells the truth."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTRegressor

_PROGRAM = """
import ctypes, gc, json, sys
import pandas as pd
from sgtrees import SGTRegressor
from tests.e2e.test_memory_of_categories import block

def resident():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(open("/proc/self/statm").read().split()[1]) * 4096

n_rows, limit = json.loads(sys.argv[1])
SGTRegressor().partial_fit(*block(0, 5_000))  # what is loaded at the first call is no model
model = SGTRegressor(max_memory=limit)
before = resident()
for first in range(0, n_rows, 10_000):
    model.partial_fit(*block(first, 10_000))
json.dump({"used": resident() - before, "told": model.memory_bytes_}, sys.stdout)
"""


def block(first: int, n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows of which each has a category of its own."""
    random = np.random.default_rng(first)
    x = random.random(n_rows)
    words = [f"user-{number}" for number in range(first, first + n_rows)]
    return pd.DataFrame({"user": words, "x": x}), x + random.random(n_rows)


@pytest.mark.parametrize("limit", [None, 4_000_000])
def test_memory_of_categories_is_told_within_a_fifth(limit: int | None) -> None:
    SGTRegressor().partial_fit(*block(0, 100))
    model = SGTRegressor(max_memory=limit, warm_up=10)
    tracemalloc.start()
    try:
        for first in range(0, 20_000, 5_000):
            model.partial_fit(*block(first, 5_000))
        gc.collect()
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    told = model.memory_bytes_ - model._model.core.memory_bytes
    assert told == pytest.approx(used, rel=0.2)
    assert limit is None or model.memory_bytes_ < limit


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux counts it")
@pytest.mark.parametrize("limit", [None, 20_000_000])
def test_memory_of_a_million_categories_is_told_within_a_fifth(limit: int | None) -> None:
    command = [sys.executable, "-W", "ignore", "-c", _PROGRAM, json.dumps([1_000_000, limit])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    measured = json.loads(done.stdout)
    if limit is None:
        assert measured["told"] == pytest.approx(measured["used"], rel=0.2)
    else:  # little enough is told for the noise of the measurement to count
        assert measured["told"] < measured["used"] < limit
