"""Write the model files that every later version must be able to load (not a test by itself).

    python -m tests.compat.make_models

writes one model of each kind, a checkpoint and a model that only predicts to the folder of the
present format (``tests/compat/format_1``), with what they must predict when they are loaded, and
after they have learned more rows (``expected.json``). `test_old_models.py` reads them.

Until the first release of a format the files may be written again: run this after every change of
what is saved, and commit the folder. From the release on they stay as they are for ever; a change
that an older reader would misunderstand then raises ``FORMAT_VERSION``, and this writes a new
folder beside the old one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sgtrees
from sgtrees.persistence.model_file import FORMAT_VERSION, write_file
from sgtrees.persistence.savable import contents_of
from tests.learners import LEARNERS, QUICK, Learner, stream

FOLDER = Path(__file__).parent
# Few bins and rows: these files are part of every clone.
SMALL: dict[str, Any] = {"n_bins": 4, "warm_up": 60}
ROWS, MORE_ROWS = 300, 500
EVENTS, MORE_EVENTS = 250, 400
POSITION: dict[str, Any] = {"rows": EVENTS, "progress": {"dict": [["errors", 17]]}}


def _with(estimator: type[Any], **parameters: Any) -> Callable[..., Any]:
    return lambda **more: estimator(
        **(QUICK | {"categorical_features": [1, 3]} | parameters | more)
    )


# What only some models save: weights of linear leaves, the race between two kinds of leaves, and
# rows that wait for the end of a round.
MORE_LEARNERS = (
    Learner("linear leaves", _with(sgtrees.SGTRegressor, leaf_model="linear")),
    Learner("choice of leaves", _with(sgtrees.SGTRegressor, leaf_model="auto")),
    Learner("middle of a round", _with(sgtrees.SGTClassifier, round_rows=200), "class"),
)


def learners() -> dict[str, Learner]:
    """Return the learners whose loss is no code, by the names of their files."""
    return {
        learner.name.replace(",", "").replace(" ", "_"): learner
        for learner in (*LEARNERS, *MORE_LEARNERS)
        if learner.own_loss is None
    }


def events(begin: int, end: int) -> list[tuple[dict[Any, Any], str]]:
    """Return events with numbers, strings and booleans, and a feature that comes late."""
    random = np.random.default_rng(4)
    result = []
    for i in range(end):
        size = float(random.normal())
        event: dict[Any, Any] = {"größe": size, 7: i % 3 == 0, "word": f"w{i % 30}"}
        if i > 200:
            event["late"] = float(random.normal())
        result.append((event, "yes" if size + (i % 30 > 20) > 0.5 else "no"))
    return result[begin:]


def learn_events(model: Any, begin: int, end: int) -> Any:
    for event, label in events(begin, end):
        model.learn_one(event, label)
    return model


def about(model: Any, predictions: Any) -> dict[str, Any]:
    """Return what a later version must find."""
    return {
        "nodes": model.n_nodes_,
        "leaves": model.n_leaves_,
        "updates": model.n_updates_,
        "predictions": np.asarray(predictions).ravel()[:60].tolist(),
    }


def event_probabilities(model: Any) -> list[float]:
    return [model.predict_proba_one(event)["yes"] for event, _ in events(0, 60)]


def main() -> None:
    folder = FOLDER / f"format_{FORMAT_VERSION}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    expected: dict[str, Any] = {}
    rows = stream(MORE_ROWS, seed=9)
    for name, learner in learners().items():
        model = learner.learn(learner.make(**SMALL), rows, 0, ROWS)
        model.save(folder / f"{name}.safetensors")
        loaded = about(model, learner.predict(model, rows))
        learner.learn(model, rows, ROWS, MORE_ROWS)
        expected[name] = {"loaded": loaded, "later": about(model, learner.predict(model, rows))}
    model = learn_events(sgtrees.SGTClassifier(grace_period=20, delta=0.05, **SMALL), 0, EVENTS)
    write_file(folder / "checkpoint.safetensors", contents_of(model, checkpoint=POSITION))
    model.save(folder / "inference_only.safetensors", inference_only=True)
    loaded = about(model, event_probabilities(model))
    learn_events(model, EVENTS, MORE_EVENTS)
    later = about(model, event_probabilities(model))
    expected["checkpoint"] = {"loaded": loaded, "later": later}
    expected["inference_only"] = {"loaded": loaded}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
