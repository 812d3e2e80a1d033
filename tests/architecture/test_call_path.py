"""A first `learn_predict` takes a short way from the caller to the core."""

from __future__ import annotations

from benchmarks.call_path import first_learn_predict

MOST_MODULES = 12
MOST_CALLS = 42


def test_a_first_block_passes_few_modules_with_few_calls_between_them():
    modules, calls = first_learn_predict()
    assert len(modules) <= MOST_MODULES, sorted(modules)
    assert calls.total() <= MOST_CALLS, sorted(calls.items())
