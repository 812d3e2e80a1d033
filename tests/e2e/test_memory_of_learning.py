"""A limit on a model's memory is one on the process's too."""

import subprocess
import sys
from pathlib import Path

import pytest

# Prints by how many bytes the process has grown between its first and its last rows.
LEARN = """
import ctypes
import numpy as np
from sgtrees import SGTClassifier

def resident():
    ctypes.CDLL(None).malloc_trim(0)  # what is free does not count
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))

random = np.random.default_rng(0)
model = SGTClassifier(max_memory="4MB")
for block in range(8):
    X = random.normal(size=(100_000, 28)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + random.normal(size=len(X)) > 0
    model.partial_fit(X, y)
    if block == 1:
        before = resident()
print(model.n_leaves_, resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_leaves_that_give_their_statistics_up_give_their_memory_back():
    printed = subprocess.check_output([sys.executable, "-c", LEARN], text=True)
    leaves, rise = map(int, printed.split())
    assert leaves > 500  # each of them has had 15 kB at least
    assert rise < 4_000_000
