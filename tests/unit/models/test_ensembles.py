import numpy as np
import pytest

from sgtrees import losses
from sgtrees.losses.built_in import BY_NAME
from sgtrees.models.ensembles import check_ensemble


@pytest.mark.parametrize("name", BY_NAME)
def test_built_in_losses_are_taken(name):
    check_ensemble(BY_NAME[name]())


def test_a_loss_in_python_is_named_and_told_what_takes_it():
    def asymmetric(y, raw):
        return raw - y, np.ones_like(raw)

    with pytest.raises(ValueError, match=r"got .*asymmetric.*SGTRegressor, with one tree, take"):
        check_ensemble(losses.from_derivatives(asymmetric))
