"""A loss that fails: what is new in the rows is taken back."""

import numpy as np
import pytest

from sgtrees import SGTRegressor, losses
from sgtrees.persistence.model_file import to_bytes
from sgtrees.persistence.savable import contents_of


def fails_at_large_targets(y, raw):
    if np.any(np.asarray(y) > 100.0):
        raise ArithmeticError
    return raw - y, np.ones_like(raw)


@pytest.mark.parametrize("event", [{"a": 1.0, "new": "word"}, {"a": 1.0, "b": "unheard of"}])
def test_a_loss_that_fails_at_an_event_takes_what_is_new_in_it_back(event):
    model = SGTRegressor(loss=losses.from_derivatives(fails_at_large_targets), warm_up=5)
    for number in range(20):
        model.learn_one({"a": float(number), "b": "red"}, float(number % 3))
    before, lock = to_bytes(contents_of(model)), model._lock
    with pytest.raises(ArithmeticError):
        model.learn_one(event, 1000.0)
    assert to_bytes(contents_of(model)) == before
    assert model._lock is lock
    model.learn_one(event, 1.0)
    assert model.n_samples_seen_ == 21
