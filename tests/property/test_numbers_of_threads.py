"""The number of threads changes nothing.

The core starts threads for calls of at least 4,096 rows, and searches with them where the cells and
the rows of a grace period, over all features, come to 20,000.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.models import assert_same_models, learned, raw_predictions
from tests.property.strategies import (
    TASKS,
    Floats,
    Stream,
    quick,
    seeds,
    thorough,
    weights_of,
)

ROWS_FOR_THREADS = 4096
WORK_FOR_THREADS = 20_000


def wide_stream(
    task: str, seed: int, n_numeric: int, n_nominal: int, weights: str, grace_period: int
) -> Stream:
    random = np.random.default_rng(seed)
    n = ROWS_FOR_THREADS + int(random.integers(0, 3000))
    X = np.hstack(
        [
            random.normal(size=(n, n_numeric)),
            random.integers(0, random.integers(2, 30, n_nominal), (n, n_nominal)),
        ]
    )
    signal: Floats = np.sum(X[:, :3] > random.normal(size=3), axis=1) + (X[:, -1] == 0)
    X[random.random(X.shape) < random.choice([0.0, 0.02])] = np.nan
    y = signal + random.normal(size=n)
    if task == "targets":
        y = np.column_stack([y, signal**2 - y])
    elif task == "labels":
        y = np.column_stack([y > 1, signal + random.normal(size=n) > 2]).astype(np.float64)
    elif task != "regression":
        y = np.clip(np.round(y), 0, 1 if task == "binary" else 4).astype(np.int64)
    parameters = {
        "warm_up": int(random.choice([100, 1000])),
        "grace_period": grace_period,
        "delta": 0.01,
        "gamma": 0.1,
        "binning": str(random.choice(["uniform", "quantile"])),
    }
    nominal = (False,) * n_numeric + (True,) * n_nominal
    form = str(random.choice(["float64", "float32"]))
    return Stream(task, form, nominal, X, y, weights_of(random, weights, n), parameters)


wide_streams = st.builds(
    wide_stream,
    st.sampled_from(TASKS),
    seeds,
    n_numeric=st.integers(20, 60),
    n_nominal=st.integers(20, 40),
    weights=st.sampled_from(["none", "both"]),
    grace_period=st.sampled_from([200, 400]),
)


def check_numbers_of_threads(stream: Stream) -> None:
    n_numeric = len(stream.nominal) - sum(stream.nominal)
    work = len(stream.nominal) * stream.parameters["grace_period"] + n_numeric * 65
    in_search = work >= WORK_FOR_THREADS
    models = [learned(stream, n_threads=n_threads) for n_threads in (1, 2, 3)]
    assert models[0].n_splits_ > 0 or not in_search
    predictions = [raw_predictions(model, stream.block()) for model in models]
    for model, predicted in zip(models[1:], predictions[1:], strict=True):
        assert_same_models(models[0], model)
        assert predicted.tobytes() == predictions[0].tobytes()


@quick(8)
@given(stream=wide_streams)
def test_one_two_and_three_threads_grow_the_same_model(stream: Stream) -> None:
    check_numbers_of_threads(stream)


@pytest.mark.long
@thorough(100)
@given(stream=wide_streams)
def test_they_grow_the_same_model_on_many_streams(stream: Stream) -> None:
    check_numbers_of_threads(stream)
