"""Ensembles are the same model whatever the blocks, the threads, and the moments of saving."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sgtrees
from tests.learners import ENSEMBLES, Learner, stream
from tests.property.models import assert_same_models
from tests.property.strategies import quick, seeds

each = pytest.mark.parametrize("learner", ENSEMBLES, ids=str)
# From so many rows in a call on members learn on several threads.
ROWS_FOR_THREADS = 4096
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "rounds": {"round_rows": 37},
    "rounds that grow": {"round_rows": "auto"},
    "little memory": {"max_memory": 150_000},
    "no bins of its own": {"adaptive_ranges": False, "following_rates": ()},
}


@each
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=list(SETTINGS))
def test_two_threads_and_parts_give_the_model_of_one_block(
    learner: Learner, settings: dict[str, Any]
) -> None:
    rows = stream(ROWS_FOR_THREADS + 500, seed=11, weighted=True)
    whole = learner.learn(learner.make(**settings), rows, 0, rows.n_rows)
    threads = learner.learn(learner.make(n_threads=2, **settings), rows, 0, rows.n_rows)
    parts = learner.make(**settings)
    for begin, end in ((0, 30), (30, 101), (101, 1500), (1500, 1501), (1501, rows.n_rows)):
        learner.learn(parts, rows, begin, end)
    expected = learner.predict(whole, rows)
    assert np.array_equal(learner.predict(threads, rows), expected)
    assert np.array_equal(learner.predict(parts, rows), expected)
    assert_same_models(parts, whole)


@each
@quick(3)
@given(seed=seeds, at=st.lists(st.integers(0, 800), min_size=1, max_size=4))
def test_it_goes_on_from_a_file_at_any_row(
    learner: Learner, seed: int, at: list[int], tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("models") / "model.safetensors"
    rows = stream(800, seed)
    whole = learner.learn(learner.make(), rows, 0, 800)
    model, done = learner.make(), 0
    for moment in sorted(at):
        learner.learn(model, rows, done, moment)
        model.save(path)
        model, done = sgtrees.load(path), max(done, moment)
    assert_same_models(learner.learn(model, rows, done, 800), whole)
