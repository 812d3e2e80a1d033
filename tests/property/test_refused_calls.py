"""A state machine: whatever was called before, a refused call changes no byte of the model.

Calls that only read change none either, and a model that was saved and loaded goes on as the same.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

import sgtrees
from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.inspection import describe, view_model, why
from sgtrees.losses import from_derivatives
from sgtrees.persistence.model_file import to_bytes
from sgtrees.persistence.savable import contents_of
from tests.property.strategies import quick, thorough

# What a caller may be told. Anything else would be a mistake of ours.
REFUSALS = (ValueError, TypeError, OverflowError)
POISON = 1e6


class PoisonedError(ValueError):
    """Raised by the loss of these tests."""


def poisoned(y: Any, raw: Any) -> Any:
    """Squared error, which fails at some targets."""
    if np.any(np.asarray(y) >= POISON):
        raise PoisonedError
    return raw - y, np.ones_like(raw)


OWN_LOSS = from_derivatives(poisoned)
QUICK: dict[str, Any] = {"warm_up": 20, "grace_period": 10, "delta": 0.1, "gamma": 0.0}
KINDS: dict[str, Callable[[], Any]] = {
    "numbers": lambda: SGTRegressor(**QUICK),
    "own loss": lambda: SGTRegressor(loss=OWN_LOSS, **QUICK),
    "linear": lambda: SGTRegressor(leaf_model="linear", **QUICK),
    "rounds": lambda: SGTRegressor(round_rows=16, **QUICK),
    "classes": lambda: SGTClassifier(**QUICK),
    "vector": lambda: SGTClassifier(multiclass="vector", **QUICK),
}
CATEGORIES = ("red", "green", "blue")

# ---- calls that are wrong; each takes the estimator and a good block -----------------------------

Call = Callable[[Any, pd.DataFrame, Any], Any]
WRONG_BLOCKS: dict[str, Call] = {
    "infinite": lambda m, X, y: m.partial_fit(X.assign(a=np.inf), y),
    "too few columns": lambda m, X, y: m.partial_fit(X[["a"]], y),
    "new columns": lambda m, X, y: m.partial_fit(X.assign(new=1.0), y),
    "words for numbers": lambda m, X, y: m.partial_fit(X.assign(a="word"), y),
    "numbers for words": lambda m, X, y: m.partial_fit(X.assign(b=1.0), y),
    "objects": lambda m, X, y: m.partial_fit(X.assign(a=[object()] * len(X)), y),
    "y is missing": lambda m, X, y: m.partial_fit(X, [None] * len(X)),
    "y is too short": lambda m, X, y: m.partial_fit(X, y[:-1]),
    "y has columns": lambda m, X, y: m.partial_fit(X, np.zeros((len(X), 2, 2))),
    "weights are negative": lambda m, X, y: m.partial_fit(X, y, sample_weight=[-1.0] * len(X)),
    "weights are tiny": lambda m, X, y: m.partial_fit(X, y, sample_weight=[1e-160] * len(X)),
    "weights are NaN": lambda m, X, y: m.learn_predict(X, y, sample_weight=[np.nan] * len(X)),
    "no rows": lambda m, X, y: m.partial_fit(X[:0], y[:0]),
    "new category, wrong y": lambda m, X, y: m.partial_fit(X.assign(b="unheard"), [None] * len(X)),
    "learn_many": lambda m, X, y: m.learn_many(X.assign(new=1.0, a=np.inf), y),
    "merge with another": lambda m, X, y: m.merge(type(m)(warm_up=7, n_bins=9).partial_fit(X, y)),
    "merge with nothing": lambda m, X, y: m.merge(type(m)()),
    "fit without weight": lambda m, X, y: m.fit(X, y, sample_weight=np.zeros(len(X))),
    "fit with wrong y": lambda m, X, y: m.fit(X, [None] * len(X)),
    "fit with wrong X": lambda m, X, y: m.fit(X.assign(a=-np.inf), y),
    "predict other columns": lambda m, X, y: m.predict(X[["a"]]),
    "predict infinities": lambda m, X, y: m.predict(X.assign(a=np.inf)),
}
WRONG_VALUES: tuple[Any, ...] = (np.inf, [], {}, b"word", object(), 1j, 10**400)
WRONG_TARGETS: tuple[Any, ...] = (None, np.nan, [], object(), b"word")
WRONG_WEIGHTS: tuple[Any, ...] = (None, -1.0, np.nan, np.inf, "1", [], 1e-200, 1e200)


class Calls(RuleBasedStateMachine):
    """Right and wrong calls of one estimator, in any order."""

    @initialize(kind=st.sampled_from(sorted(KINDS)), seed=st.integers(0, 99))
    def start(self, kind: str, seed: int) -> None:
        self.kind = kind
        self.model = KINDS[kind]()
        self.random = np.random.default_rng(seed)

    def saved(self) -> bytes | None:
        """The bytes of a file, before which a model is None."""
        if self.model._model is None:
            return None
        return to_bytes(contents_of(self.model))

    @contextlib.contextmanager
    def unchanged(self) -> Iterator[None]:
        before = self.saved()
        yield
        assert self.saved() == before

    @contextlib.contextmanager
    def refused(self) -> Iterator[None]:
        with self.unchanged(), pytest.raises(REFUSALS):
            yield

    def block(self, n_rows: int) -> tuple[pd.DataFrame, Any]:
        a = self.random.normal(size=n_rows)
        which = self.random.integers(0, 3, n_rows)
        X = pd.DataFrame({"a": a, "b": np.array(CATEGORIES, dtype=object)[which]})
        y = which + (a > 0)
        return X, np.array(["x", "y", "z", "w"])[y] if self.is_classes else y.astype(float)

    @property
    def is_classes(self) -> bool:
        return self.kind in ("classes", "vector")

    @property
    def knows_columns(self) -> bool:
        """Whether the columns are the two of `block`, so that wrong ones are wrong."""
        known = self.model._model
        return known is not None and len(known.schema) == 2

    # ---- right calls ----------------------------------------------------------------------------

    @precondition(lambda self: self.model._model is None or self.knows_columns)
    @rule(n_rows=st.integers(1, 60))
    def learn_rows(self, n_rows: int) -> None:
        self.model.partial_fit(*self.block(n_rows))

    @rule(n_rows=st.integers(1, 10), new=st.booleans())
    def learn_events(self, n_rows: int, new: bool) -> None:
        X, y = self.block(n_rows)
        for row, target in zip(X.to_dict("records"), y.tolist(), strict=True):
            self.model.learn_one(row | ({"c": 1.0} if new else {}), target)

    # (Of a new model they fix the features: a block and its rows one by one are the same.)
    @precondition(lambda self: self.model._model is not None and self.knows_columns)
    @rule(n_rows=st.integers(1, 10))
    def rows_without_weight_change_nothing(self, n_rows: int) -> None:
        X, y = self.block(n_rows)
        with self.unchanged():
            self.model.partial_fit(X, y, sample_weight=np.zeros(n_rows))
            self.model.learn_one(X.iloc[0].to_dict() | {"unheard": "of"}, y.tolist()[0], 0.0)
            with contextlib.suppress(ValueError):  # a classifier may have no label to predict
                self.model.learn_predict(X, y, sample_weight=np.zeros(n_rows))

    @precondition(lambda self: self.model._model is None and self.is_classes)
    @rule(n_rows=st.integers(1, 10))
    def there_is_no_label_to_predict(self, n_rows: int) -> None:
        X, y = self.block(n_rows)
        with self.refused():
            self.model.learn_predict(X, y, sample_weight=np.zeros(n_rows))

    @precondition(lambda self: self.model._model is not None)
    @rule()
    def reading_changes_nothing(self) -> None:
        X, _ = self.block(3)
        with self.unchanged():
            event = X.iloc[0].to_dict()
            self.model.predict_one(event)
            self.model.predict_one({"unheard": "of"})
            self.model.predict_many(X)
            view_model(self.model)
            describe(self.model)
            with contextlib.suppress(ValueError):  # in the warm-up there is nothing to explain
                why(self.model, event)

    @precondition(lambda self: self.model._model is not None)
    @rule()
    def save_and_load(self) -> None:
        before = self.saved()
        with TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a loss that is code
            self.model.save(Path(folder, "model"))
            own = {"loss": OWN_LOSS} if self.kind == "own loss" else {}
            self.model = sgtrees.load(Path(folder, "model"), **own)
        assert self.saved() == before

    # ---- wrong calls ----------------------------------------------------------------------------

    @precondition(lambda self: self.knows_columns)
    @rule(wrong=st.sampled_from(sorted(WRONG_BLOCKS)), n_rows=st.integers(2, 20))
    def wrong_block(self, wrong: str, n_rows: int) -> None:
        X, y = self.block(n_rows)
        with self.refused():
            WRONG_BLOCKS[wrong](self.model, X, y)

    @rule(data=st.data(), what=st.sampled_from(["value", "target", "weight", "event"]))
    def wrong_event(self, data: st.DataObject, what: str) -> None:
        X, y = self.block(1)
        # A feature and a category that are new, which a right call would have added.
        event: Any = X.iloc[0].to_dict() | {"b": "unheard of", "new": "word", "another": 1.0}
        target, weight = y.tolist()[0], 1.0
        if what == "value":
            event["another"] = data.draw(st.sampled_from(WRONG_VALUES))
        elif what == "target":
            target = data.draw(st.sampled_from(WRONG_TARGETS))
        elif what == "weight":
            weight = data.draw(st.sampled_from(WRONG_WEIGHTS))
        else:
            event = data.draw(st.sampled_from([None, [1.0], "word", 1.0]))
        with self.refused():
            self.model.learn_one(event, target, weight)

    @precondition(lambda self: self.kind == "own loss" and self._is_past_the_warm_up())
    @rule(new=st.booleans(), category=st.booleans())
    def a_loss_that_fails(self, new: bool, category: bool) -> None:
        X, _ = self.block(1)
        event = X.iloc[0].to_dict()
        event |= {"unheard": 1.0, "of": "word"} if new else {}
        event |= {"b": "unheard of"} if category else {}
        with self.unchanged(), pytest.raises(PoisonedError):
            self.model.learn_one(event, POISON)

    @precondition(lambda self: self.kind == "own loss" and self.knows_columns)
    @precondition(lambda self: self._is_past_the_warm_up())
    @rule(n_rows=st.integers(1, 5))
    def a_loss_that_fails_at_the_first_row_of_a_block(self, n_rows: int) -> None:
        X, _ = self.block(n_rows)
        with self.unchanged(), pytest.raises(PoisonedError):
            self.model.partial_fit(X.assign(b="unheard of"), [POISON] * n_rows)

    def _is_past_the_warm_up(self) -> bool:
        model = self.model._model
        return model is not None and model.core.n_rows > QUICK["warm_up"]


def test_refused_calls_change_nothing() -> None:
    run_state_machine_as_test(Calls, settings=_with_steps(quick(40), 30))


def test_no_round_begins_without_a_row() -> None:
    calls = Calls()
    calls.start("rounds", seed=0)
    calls.learn_rows(QUICK["warm_up"])  # the next round begins after them
    calls.rows_without_weight_change_nothing(3)


@pytest.mark.long
def test_refused_calls_change_nothing_in_long_lives() -> None:
    run_state_machine_as_test(Calls, settings=_with_steps(thorough(300), 100))


def _with_steps(of: Any, steps: int) -> Any:
    return type(of)(of, stateful_step_count=steps)
