"""Write the models that later versions must be able to load (not a test by itself).

``python -m tests.compat.make_models`` is run once for each format that is released; what it has
written stays as it is for ever.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import sgtrees
from sgtrees.persistence.model_file import FORMAT_VERSION, write_file
from sgtrees.persistence.savable import contents_of
from tests.learners import LEARNERS, Learner, stream

FOLDER = Path(__file__).parent
# Few bins and rows: these files are part of every clone.
SMALL: dict[str, Any] = {"n_bins": 4, "warm_up": 60}
ROWS, MORE_ROWS = 300, 500
EVENTS, MORE_EVENTS = 250, 400


def learners() -> dict[str, Learner]:
    """Those without code, by the names of their files."""
    return {
        learner.name.replace(",", "").replace(" ", "_"): learner
        for learner in LEARNERS
        if learner.own_loss is None
    }


def events(begin: int, end: int) -> list[tuple[dict[Any, Any], str]]:
    """Events with words, booleans and numbers as names, and a feature that comes late."""
    random = np.random.default_rng(4)
    all_of_them = []
    for i in range(end):
        size = float(random.normal())
        event: dict[Any, Any] = {"größe": size, 7: i % 3 == 0, "word": f"w{i % 30}"}
        if i > 200:
            event["late"] = float(random.normal())
        all_of_them.append((event, "yes" if size + (i % 30 > 20) > 0.5 else "no"))
    return all_of_them[begin:]


def learn_events(model: Any, begin: int, end: int) -> Any:
    for event, label in events(begin, end):
        model.learn_one(event, label)
    return model


def about(model: Any, predictions: Any) -> dict[str, Any]:
    """What a later version must find."""
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
    folder.mkdir(exist_ok=True)
    expected: dict[str, Any] = {}
    rows = stream(MORE_ROWS, seed=9)
    for name, learner in learners().items():
        model = learner.learn(learner.make(**SMALL), rows, 0, ROWS)
        model.save(folder / f"{name}.safetensors")
        loaded = about(model, learner.predict(model, rows))
        learner.learn(model, rows, ROWS, MORE_ROWS)
        expected[name] = {"loaded": loaded, "later": about(model, learner.predict(model, rows))}
    model = learn_events(sgtrees.SGTClassifier(grace_period=20, delta=0.05, **SMALL), 0, EVENTS)
    place = {"rows": EVENTS, "progress": {"dict": [["errors", 17]]}}
    write_file(folder / "checkpoint.safetensors", contents_of(model, checkpoint=place))
    model.save(folder / "inference_only.safetensors", inference_only=True)
    loaded = about(model, event_probabilities(model))
    learn_events(model, EVENTS, MORE_EVENTS)
    later = about(model, event_probabilities(model))
    expected["checkpoint"] = {"loaded": loaded, "later": later}
    expected["inference_only"] = {"loaded": loaded}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
