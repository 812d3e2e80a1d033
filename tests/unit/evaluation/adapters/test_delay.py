from collections import deque

import numpy as np
import pytest

from sgtrees import SGTClassifier
from sgtrees.evaluation import LastLabel, LastValue, MajorityClass, MedianSoFar, prequential
from sgtrees.streams import open_stream
from tests.unit.evaluation.mixed_rows import QUICK, events, frame


@pytest.mark.parametrize("delay", [1, 7, 500])
def test_labels_that_come_late_equal_a_loop_with_a_queue(delay):
    data = frame(2000)
    # Rates are judged by what could have been predicted: the evaluation tells the model.
    naive, waiting, wrong = SGTClassifier(label_delay=delay, **QUICK), deque(), []
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
    assert model.label_delay == delay


def test_a_delay_that_was_given_stays():
    data = frame(300)
    model = SGTClassifier(label_delay=3, **QUICK)
    prequential(open_stream(data.drop(columns="n"), "t"), model, metrics=["error"], delay=7)
    assert model.label_delay == 3


@pytest.mark.parametrize("delay", [1, 7, 500, 5000])
@pytest.mark.parametrize("make", [LastLabel, MajorityClass])
def test_baselines_of_classes_see_labels_as_late_as_models_do(make, delay):
    y = np.random.default_rng(0).choice([1, 1, 2, 5], size=3000).repeat(3)[:3000]
    naive, wrong = make(), []
    for row in range(delay, len(y)):
        if row > delay:
            wrong.append(naive.predict([[0]])[0] != y[row])
        naive.partial_fit(None, y[row - delay : row - delay + 1])
    stream = open_stream(np.zeros((3000, 1)), y=y)
    result = prequential(
        stream, make(), metrics=["error"], delay=delay, every=700, labels=[1, 2, 5]
    )
    total = result.total("error")
    assert total == np.mean(wrong) if wrong else np.isnan(total)


@pytest.mark.parametrize("delay", [1, 7, 500, 5000])
@pytest.mark.parametrize("make", [LastValue, MedianSoFar])
def test_baselines_of_numbers_see_targets_as_late_as_models_do(make, delay):
    y = np.random.default_rng(0).normal(size=2000).cumsum()
    naive, errors = make(), []
    for row in range(len(y)):
        errors.append(abs(naive.predict([[0]])[0] - y[row]))
        if row >= delay:
            naive.partial_fit(None, y[row - delay : row - delay + 1])
    stream = open_stream(np.zeros((2000, 1)), y=y)
    result = prequential(stream, make(), metrics=["mae"], delay=delay, every=300)
    assert result.total("mae") == pytest.approx(np.mean(errors), rel=1e-12)
