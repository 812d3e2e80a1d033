"""What a subclass of `Loss` must define, and the domain of its targets."""

import numpy as np
import pytest

from sgtrees import SGTRegressor, losses
from tests.fingerprint import fingerprint
from tests.unit.losses.custom_losses import Poisson


def test_the_error_of_a_bare_base_class_names_what_is_missing():
    assert "must define gradient_hessian" in losses.check(losses.Loss()).problems[0]
    with pytest.raises(NotImplementedError, match="does not define value"):
        losses.Loss().value(np.zeros(1), np.zeros(1))


def test_targets_outside_ones_own_domain_are_refused():
    model = SGTRegressor(loss=Poisson()).partial_fit([[1.0]], [2.0])
    before = fingerprint(model)
    with pytest.raises(ValueError, match=r"y is -1\.0 in row 2"):
        model.partial_fit([[1.0]] * 3, [1.0, 0.0, -1.0])
    with pytest.raises(ValueError, match=r"y is -1\.0"):
        model.learn_one({0: 1.0}, -1.0)
    assert fingerprint(model) == before


def test_a_target_outside_the_domain_is_named_with_its_output():
    y = np.array([[1.0, 2.0], [3.0, -4.0]])
    with pytest.raises(ValueError, match=r"y is -4\.0 in row 1, column 1; targets of this loss"):
        losses.Poisson().check_y(y)


class AboveZero(losses.Loss):
    def gradient_hessian(self, y, raw):
        return raw - y, np.ones_like(raw)

    def check_y(self, y):
        for row, target in enumerate(y):  # as one may write it for one output
            if target < 0:
                raise ValueError(f"y is below 0 in row {row}")


def test_the_domain_is_that_of_each_target_and_the_column_is_named():
    model = SGTRegressor(loss=AboveZero())
    with pytest.raises(ValueError, match="column 1 of y: y is below 0 in row 2"):
        model.partial_fit([[1.0]] * 3, [[0.0, 0.0], [1.0, 1.0], [2.0, -1.0]])
    assert fingerprint(model) is None
