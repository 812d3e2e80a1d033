"""Models whose bins are renewed: the same in any blocks, saved at any row, on any threads."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.property.models import assert_same_models, core_of, learn_events, learn_in_blocks
from tests.property.strategies import Stream, cuts_of, quick, seeds, streams

ROWS = 3000


def moving(stream: Stream, seed: int) -> Stream:
    """The stream over more rows, in which numeric features leave their first ranges."""
    random = np.random.default_rng(seed)
    times = -(-ROWS // stream.n_rows)
    X = np.tile(stream.X, (times, 1))[:ROWS]
    place = np.arange(ROWS) / ROWS
    for feature, is_nominal in enumerate(stream.nominal):
        if is_nominal:
            continue
        kind = random.integers(4)
        if kind == 0:
            X[:, feature] += 1000 * place
        elif kind == 1:
            X[place > 0.2, feature] *= 1000
        elif kind == 2:
            X[3, feature] = 1e9
    y = np.concatenate([stream.y] * times)[:ROWS]
    w = None if stream.w is None else np.concatenate([stream.w] * times)[:ROWS]
    kept = {k: v for k, v in stream.parameters.items() if k not in ("feature_ranges", "round_rows")}
    return replace(stream, X=X, y=y, w=w, parameters=kept | {"adaptive_ranges": True})


@quick(25)
@given(data=st.data(), stream=streams(), seed=seeds)
def test_a_block_its_parts_and_its_events_give_the_same_model(
    data: st.DataObject, stream: Stream, seed: int
) -> None:
    stream = moving(stream, seed)
    whole = learn_in_blocks(stream.estimator(), stream, [0, ROWS])
    cuts = data.draw(cuts_of(ROWS))
    assert_same_models(whole, learn_in_blocks(stream.estimator(), stream, cuts))
    threads = data.draw(st.integers(2, 3))
    of_threads = learn_in_blocks(stream.estimator(n_threads=threads), stream, [0, ROWS])
    assert core_of(of_threads).range_updates() == core_of(whole).range_updates()
    assert core_of(of_threads).n_nodes == core_of(whole).n_nodes
    if data.draw(st.booleans()):
        assert_same_models(whole, learn_events(stream.estimator(), stream))


@quick(25)
@given(stream=streams(), seed=seeds, at=st.lists(st.integers(0, ROWS), min_size=1, max_size=3))
def test_a_model_saved_at_any_row_goes_on_as_if_it_had_not_been(
    stream: Stream, seed: int, at: list[int]
) -> None:
    stream = moving(stream, seed)
    never_stopped = learn_in_blocks(stream.estimator(), stream, [0, ROWS])
    model, cuts = stream.estimator(), sorted({0, *at, ROWS})
    for begin, end in pairwise(cuts):
        model = pickle.loads(pickle.dumps(learn_in_blocks(model, stream, [begin, end])))
    assert_same_models(never_stopped, model)
