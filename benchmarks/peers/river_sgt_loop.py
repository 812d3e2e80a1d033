"""Stand-alone script: river's SGTClassifier over rows of an .npy file (the label is last)."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
from river import tree

Events = list[tuple[dict[int, float], bool]]


def paper_model() -> Any:
    quantizer = tree.splitter.StaticQuantizer(n_bins=64, warm_start=1000)
    return tree.SGTClassifier(
        delta=1e-7, grace_period=200, lambda_value=0.1, gamma=1.0, feature_quantizer=quantizer
    )


def test_then_train(events: Events) -> tuple[float, float]:
    """Return the CPU seconds and the share of rows predicted wrongly."""
    model, wrong = paper_model(), 0
    begin = time.process_time()
    for x, label in events:
        wrong += model.predict_one(x) != label
        model.learn_one(x, label)
    return time.process_time() - begin, wrong / len(events)


def main(path: str, repeats: str) -> None:
    table = np.load(path)
    events = [(dict(enumerate(row[:-1])), bool(row[-1])) for row in table.tolist()]
    seconds, error = min(test_then_train(events) for _ in range(int(repeats)))
    print(json.dumps({"rows": len(events), "seconds": seconds, "error": error}))


if __name__ == "__main__":
    main(*sys.argv[1:])
