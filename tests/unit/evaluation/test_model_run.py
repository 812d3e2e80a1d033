from types import SimpleNamespace
from typing import Any

import numpy as np

from sgtrees.evaluation.model_run import ModelRun
from sgtrees.models.drift_event import DriftEvent
from sgtrees.models.range_updates import RangeUpdate
from sgtrees.streams import Block


def run_of(**adapter: Any) -> ModelRun:
    given: Any = SimpleNamespace(n_rows=100, **adapter)
    return ModelRun(given)


def test_what_happened_before_the_evaluation_is_not_part_of_it():
    rows = (99, 100, 130)
    drifts = [DriftEvent(row, "alarm", "errors rose") for row in rows]
    updates = [RangeUpdate(row, 0, "outside") for row in rows]
    run = run_of(drifts=drifts, range_updates=updates)
    # The first row of the evaluation is the model's row 100.
    assert [event.row for event in run.drifts] == [0, 30]
    assert [update.row for update in run.range_updates] == [0, 30]


def test_models_of_batches_are_tested_in_batches_and_others_on_whole_blocks():
    block = Block(np.zeros((25, 1)))
    for in_batches, sizes in ((True, [10, 10, 5]), (False, [25])):
        run = run_of(in_batches=in_batches, predict=len, test_then_train=lambda part: -len(part))
        assert run.test(block, 10, learns=False) == sizes
        assert run.test(block, 10, learns=True) == [-size for size in sizes]
        assert run.seconds > 0.0
