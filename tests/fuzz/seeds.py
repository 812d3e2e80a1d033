"""The model files that are mutated: small ones of every kind of learner, at several moments."""

from __future__ import annotations

from typing import Any

import numpy as np

import sgtrees
from sgtrees.persistence.model_file import Contents, to_bytes
from sgtrees.persistence.savable import contents_of
from tests.learners import ENSEMBLES, LEARNERS, stream

SMALL: dict[str, Any] = {"n_bins": 3, "warm_up": 30, "grace_period": 15}
FEW_MEMBERS: dict[str, Any] = {"n_estimators": 2, "kept_rows": 30, "max_leaves": 6}


def model_files() -> dict[str, bytes]:
    """Return files by name; the learners are those that need no code."""
    files: dict[str, bytes] = {}
    rows = stream(260, seed=5)
    for learner in LEARNERS:
        if learner.own_loss is not None:
            continue
        model = learner.make(**SMALL, **(FEW_MEMBERS if learner in ENSEMBLES else {}))
        learner.learn(model, rows, 0, 12)
        files[f"{learner}, in its warm-up"] = to_bytes(contents_of(model))
        learner.learn(model, rows, 12, 260)
        files[f"{learner}"] = to_bytes(contents_of(model))
        files[f"{learner}, to predict"] = to_bytes(contents_of(model, inference_only=True))
    files |= _of_events() | _in_rounds() | _of_renewed_bins() | _with_background()
    files |= _of_late_labels()
    files["nothing learned"] = to_bytes(contents_of(sgtrees.SGTClassifier()))
    return files


def _of_events() -> dict[str, bytes]:
    """Models of events: names, strings, a late feature that has no range yet."""
    random = np.random.default_rng(3)
    model = sgtrees.SGTClassifier(**SMALL, delta=0.05, gamma=0.01)
    for row in range(200):
        event = {"size": float(random.normal()), "colour": ["red", "blü"][row % 2]}
        if row > 150:
            event["late"] = float(random.normal())
            event["late word"] = str(row % 3)
        model.learn_one(event, "yes" if event["size"] > 0.3 else "no")
    place = {"rows": 200, "progress": {"dict": [["errors", 17]]}}
    contents = contents_of(model, checkpoint=place)
    return {"events": to_bytes(contents), "events, plain": to_bytes(_without_place(contents))}


def _of_renewed_bins() -> dict[str, bytes]:
    """A model whose splits use boundaries that are no candidates any more."""
    random = np.random.default_rng(6)
    X = random.normal(size=(1100, 2))
    X[400:, 0] += np.arange(700)
    model = sgtrees.SGTRegressor(**SMALL, kept_rows=4).partial_fit(X, np.sin(X[:, 0]) + X[:, 1])
    return {"renewed bins": to_bytes(contents_of(model))}


def _with_background() -> dict[str, bytes]:
    """Models whose errors have just risen: fresh trees learn beside their own."""
    random = np.random.default_rng(7)
    X = random.random((1200, 2))
    is_high = np.where(np.arange(1200) < 600, X[:, 0] > 0.33, X[:, 1] > 0.66)
    numbers = np.column_stack([5.0 * is_high, 1.0 - is_high]) + 0.1 * random.normal(size=(1200, 2))
    settings = SMALL | {"kept_rows": 4}
    forest = settings | {"n_estimators": 2, "random_state": 0}
    models: dict[str, tuple[Any, Any]] = {
        "": (sgtrees.SGTClassifier(**settings), is_high.astype(int)),
        ", late labels": (sgtrees.SGTClassifier(**settings, label_delay=7), is_high.astype(int)),
        ", numbers": (sgtrees.SGTRegressor(**settings, label_delay=7), numbers),
        ", a forest": (sgtrees.SGTForestClassifier(**forest), is_high.astype(int)),
    }
    files = {}
    for name, (model, y) in models.items():
        row = 600
        model.partial_fit(X[:row], y[:row])
        while not model.model_.core.has_background:
            model.partial_fit(X[row : row + 1], y[row : row + 1])
            row += 1
        # They have split, so that more than a root is damaged.
        model.partial_fit(X[row : row + 60], y[row : row + 60])
        files[f"trees in the background{name}"] = to_bytes(contents_of(model))
    return files


def _of_late_labels() -> dict[str, bytes]:
    """Models whose rates are judged by offsets that lack the latest moves."""
    random = np.random.default_rng(8)
    X = np.column_stack([random.random(300), random.integers(0, 4, 300)])
    y = (X[:, 0] > 0.5).astype(int) + (X[:, 1] > 2)
    settings = SMALL | {"label_delay": 7, "kept_rows": 4, "categorical_features": [1]}
    models = {
        "committee": sgtrees.SGTClassifier(**settings),
        "vector leaves": sgtrees.SGTClassifier(**settings, multiclass="vector"),
        "absolute error": sgtrees.SGTRegressor(**settings, loss="absolute_error"),
    }
    return {
        f"late labels, {name}": to_bytes(contents_of(model.partial_fit(X, y)))
        for name, model in models.items()
    }


def _in_rounds() -> dict[str, bytes]:
    """Models in the middle of a round: rows and sums that were absorbed, and rows that wait."""
    random = np.random.default_rng(4)
    X = np.column_stack([random.normal(size=300), random.integers(0, 4, 300)])
    y = (X[:, 0] > 0.2).astype(int) + (X[:, 1] > 2)
    files = {}
    for kept_rows in (0, 8):
        settings = SMALL | {"round_rows": 90, "kept_rows": kept_rows, "categorical_features": [1]}
        for name, model, targets in (
            ("classes", sgtrees.SGTClassifier(**settings), y.astype(np.int32)),
            ("numbers", sgtrees.SGTRegressor(**settings), y.astype(np.float64)),
        ):
            model.partial_fit(X[:210], y[:210])
            core: Any = model._model.core  # type: ignore[attr-defined]
            core.absorb(core.gather([X[210:240]], targets[210:240], None), [0, 4])
            core.learn(X[240:245], targets[240:245], None)
            files[f"{name} in a round, {kept_rows} kept rows"] = to_bytes(contents_of(model))
    return files


def _without_place(contents: Contents) -> Contents:
    return Contents(contents.document, contents.arrays)
