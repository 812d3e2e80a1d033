import numpy as np
import pytest

from sgtrees import losses
from sgtrees.losses.built_in import BY_NAME
from sgtrees.models.ensembles import check_ensemble


def asymmetric(y, raw):
    return raw - y, np.ones_like(raw)


@pytest.mark.parametrize("name", BY_NAME)
def test_built_in_losses_are_taken(name):
    check_ensemble(BY_NAME[name](), round_rows=1)


def test_a_loss_in_python_is_named_and_told_what_it_needs():
    with pytest.raises(ValueError, match=r"got .*asymmetric.* round_rows='auto' or .* above 1"):
        check_ensemble(losses.from_derivatives(asymmetric), round_rows=1)


@pytest.mark.parametrize("round_rows", [0, 2, 1000])
def test_a_loss_in_python_is_taken_in_rounds(round_rows):
    check_ensemble(losses.from_derivatives(asymmetric), round_rows)
