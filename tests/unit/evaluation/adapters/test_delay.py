from collections import deque

import numpy as np
import pytest

from sgtrees import SGTClassifier
from sgtrees.evaluation import (
    prequential,
)
from sgtrees.streams import open_stream
from tests.unit.evaluation.mixed_rows import QUICK, events, frame


@pytest.mark.parametrize("delay", [1, 7, 500])
def test_labels_that_come_late_equal_a_loop_with_a_queue(delay):
    data = frame(2000)
    naive, waiting, wrong = SGTClassifier(**QUICK), deque(), []
    for event, label in zip(events(data), data["t"], strict=True):
        predicted = naive.predict_one(event)
        if predicted is not None:
            wrong.append(predicted != label)
        waiting.append((event, label))
        if len(waiting) > delay:
            naive.learn_one(*waiting.popleft())
    model = SGTClassifier(**QUICK)
    result = prequential(
        open_stream(data.drop(columns="n"), "t"), model, metrics=["error"], delay=delay
    )
    assert result.total("error") == np.mean(wrong)
    # The last labels come after the end.
    for event, label in waiting:
        naive.learn_one(event, label)
    assert model.n_nodes_ == naive.n_nodes_
