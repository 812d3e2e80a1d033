"""Loading a large model takes no more memory than twice its file and 16 MB, the model included."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sgtrees import SGTRegressor

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="peak memory cannot be measured here"
)

MEASURE = """
import gc, re, sys
from pathlib import Path
import sgtrees.loading, sgtrees.estimators.regressor


def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

gc.collect()
Path("/proc/self/clear_refs").write_text("5")
before = peak()
model = sgtrees.loading.load(sys.argv[1])
print(peak() - before, model.n_leaves_)
"""


def rise(path):
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)],
        capture_output=True,
        check=True,
        text=True,
    )
    return int(done.stdout.split()[0])


def test_a_large_model_takes_no_more_memory_to_load_than_it_may(tmp_path):
    random = np.random.default_rng(0)
    X = random.random((60_000, 100), dtype=np.float32)
    y = np.floor(8 * X[:, 0]) + np.floor(8 * X[:, 1]) + 0.1 * random.random(60_000)
    model = SGTRegressor(grace_period=50, delta=1e-4).partial_fit(X, y)
    path = tmp_path / "model.safetensors"
    model.save(path)
    size = path.stat().st_size
    assert size > 10_000_000
    assert rise(path) <= 2 * size + (16 << 20)
