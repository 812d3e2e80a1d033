import pickle

import numpy as np
import pytest

from sgtrees.evaluation.baselines.quantile_sketch import QuantileSketch


def learned(values, alpha=0.5):
    sketch = QuantileSketch(alpha)
    sketch.learn(values, np.ones(len(values)))
    return sketch


@pytest.mark.parametrize(("n_distinct", "n_kept"), [(8192, 8192), (8193, 4096)])
def test_up_to_8192_distinct_values_are_kept_and_more_are_thinned_out_to_half(n_distinct, n_kept):
    # So many more rows that none of the distinct values still waits to be sorted in.
    sketch = learned(np.concatenate([np.arange(float(n_distinct)), np.zeros(200)]))
    n_bytes = len(pickle.dumps(sketch))
    bytes_of_a_value_and_its_weight = 16
    assert n_bytes == pytest.approx(n_kept * bytes_of_a_value_and_its_weight, rel=0.03)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_values_that_are_thinned_out_many_times_keep_their_ranks(alpha):
    values = np.random.default_rng(0).permutation(60_000).astype(float)
    assert learned(values, alpha).quantile / 60_000 == pytest.approx(alpha, abs=0.001)


def test_the_quantile_of_a_long_stream_is_found_anew_every_4096_rows():
    before = QuantileSketch(0.5).learn(np.arange(540_000.0), np.ones(540_000))
    rows = np.flatnonzero(np.diff(before))
    assert np.diff(rows).max() == 4096
    assert np.diff(rows)[-3:].tolist() == [4096] * 3
