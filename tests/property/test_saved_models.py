"""Every kind of learner, saved at any moment of any stream, goes on as if it had never stopped."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sgtrees
from tests.learners import LEARNERS, Learner, stream
from tests.property.models import assert_same_models
from tests.property.strategies import quick, seeds, thorough

N_ROWS = 700


def by_file(model: Any, own_loss: Any, **options: Any) -> Any:
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the loss .* is code", UserWarning)
        path = Path(folder) / "model.safetensors"
        model.save(path, **options)
        return sgtrees.load(path, loss=own_loss)


def by_joblib(model: Any, own_loss: Any) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.joblib"
        joblib.dump(model, path)
        return joblib.load(path)


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "file": by_file,
    "joblib": by_joblib,
    "pickle": lambda model, own_loss: pickle.loads(pickle.dumps(model)),
}
# The first ones are in the warm-up, which has 100 rows.
moments = st.lists(st.integers(0, 99) | st.integers(100, N_ROWS), min_size=1, max_size=3)


def check_going_on(learner: Learner, way: str, seed: int, weighted: bool, at: list[int]) -> None:
    rows = stream(N_ROWS, seed, weighted=weighted)
    cuts = sorted({0, *at, N_ROWS})
    never_stopped, model = learner.make(), learner.make()
    for begin, end in pairwise(cuts):
        learner.learn(never_stopped, rows, begin, end)
        model = WAYS[way](learner.learn(model, rows, begin, end), learner.own_loss)
        assert_same_models(never_stopped, model)
    assert learner.predict(model, rows).tobytes() == learner.predict(never_stopped, rows).tobytes()


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@quick(4)
@given(way=st.sampled_from(sorted(WAYS)), seed=seeds, weighted=st.booleans(), at=moments)
def test_every_learner_goes_on_as_if_it_had_not_been_saved(
    learner: Learner, way: str, seed: int, weighted: bool, at: list[int]
) -> None:
    check_going_on(learner, way, seed, weighted, at)


@pytest.mark.long
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@thorough(150)
@given(way=st.sampled_from(sorted(WAYS)), seed=seeds, weighted=st.booleans(), at=moments)
def test_every_learner_goes_on_as_if_it_had_not_been_saved_on_many_streams(
    learner: Learner, way: str, seed: int, weighted: bool, at: list[int]
) -> None:
    check_going_on(learner, way, seed, weighted, at)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@quick(3)
@given(seed=seeds, moment=st.integers(1, 99) | st.integers(100, N_ROWS))
def test_a_model_saved_to_predict_only_predicts_the_same(
    learner: Learner, seed: int, moment: int
) -> None:
    rows = stream(N_ROWS, seed)
    model = learner.learn(learner.make(), rows, 0, moment)
    small = by_file(model, learner.own_loss, inference_only=True)
    assert learner.predict(small, rows).tobytes() == learner.predict(model, rows).tobytes()
    assert (small.n_nodes_, small.n_leaves_, small.depth_) == (
        model.n_nodes_,
        model.n_leaves_,
        model.depth_,
    )
    with pytest.raises(ValueError, match="inference_only"):
        learner.learn(small, rows, 0, 10)
    again = by_file(small, learner.own_loss)
    assert learner.predict(again, rows).tobytes() == learner.predict(model, rows).tobytes()


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_the_same_model_gives_the_same_bytes(learner: Learner, tmp_path: Path) -> None:
    rows = stream(300)
    for name in ("one", "other"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            learner.learn(learner.make(), rows, 0, 300).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_an_estimator_that_has_learned_nothing_keeps_its_parameters(tmp_path: Path) -> None:
    random = np.random.RandomState(3)
    random.normal()  # leaves a second number for later
    model = sgtrees.SGTClassifier(
        random_state=random,
        class_weight={"a": 2.0, "b": 0.5},
        feature_ranges={"age": (0, np.float32(120.5)), "income": [0, 1e6]},
        categorical_features=range(3, 5),
        max_memory="64MB",
    )
    model.save(tmp_path / "model")
    again = sgtrees.load(tmp_path / "model")
    assert isinstance(again, sgtrees.SGTClassifier)
    assert again.get_params() | {"random_state": None} == model.get_params() | {
        "random_state": None
    }
    assert again.random_state.normal(size=5).tolist() == random.normal(size=5).tolist()
    assert not again.__sklearn_is_fitted__()
