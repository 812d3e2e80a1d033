import contextlib

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.data.schema import Additions
from sgtrees.models import batch as batches
from sgtrees.models.batch import Batch


class Calls:
    """A core that notes what it is to learn."""

    def __init__(self):
        self.learned = []

    def learn(self, *arguments):
        self.learned.append(arguments)


class Noting:
    def __init__(self):
        self.core = Calls()

    def apply(self, additions, labels):
        pass

    def guard(self, *_, **__):
        return contextlib.nullcontext()

    def learning(self, *_):
        return contextlib.nullcontext()

    def log_changes(self, n_rows):
        pass


def bags(sizes):
    rows = np.arange(float(sum(sizes))).reshape(-1, 1)
    y = np.arange(len(sizes)) % 2
    return Batch(Noting(), rows, y, None, None, Additions(), np.array(sizes))


def test_rows_of_bags_come_with_their_bags_in_any_order():
    batch = bags([1, 3, 2])
    assert batch[np.array([2, 1, 0])].block.ravel().tolist() == [4, 5, 1, 2, 3, 0]
    assert batch[:].block.ravel().tolist() == list(range(6))
    chosen = batch[np.array([1])]
    assert (chosen.y.tolist(), chosen.sizes.tolist()) == ([1], [3])


@pytest.mark.parametrize("order", [None, np.array([3, 0, 2, 1, 4])])
def test_parts_have_few_rows_and_every_bag_once(monkeypatch, order):
    monkeypatch.setattr(batches, "_ROWS_PER_CALL", 4)
    batch = bags([3, 2, 1, 5, 2])
    parts = list(batch.parts(order))
    assert [first for first, _ in parts] == sorted({first for first, _ in parts})
    for _, part in parts:
        part.learn()
    learned = np.concatenate([rows for rows, *_ in batch.model.core.learned]).ravel()
    whole = batch[slice(None) if order is None else order].block.ravel()
    assert learned.tolist() == whole.tolist()
    assert len(parts) > 1


def test_a_batch_changes_nothing_before_it_is_committed():
    model = SGTClassifier().partial_fit([["red"], ["blue"]], ["a", "b"])
    batch = model.prepare([["green"]], ["c"])
    assert model.classes_.tolist() == ["a", "b"]
    assert len(model.model_.schema.features[0].categories) == 2
    batch.commit()
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert len(model.model_.schema.features[0].categories) == 3


def test_a_batch_knows_whether_there_is_anything_to_learn():
    model = SGTRegressor()
    assert model.prepare([[1.0]], [1.0]).has_weight
    assert model.prepare([[1.0], [2.0]], [1.0, 2.0], [0.0, 1.0]).has_weight
    assert not model.prepare([[1.0]], [1.0], [0.0]).has_weight
