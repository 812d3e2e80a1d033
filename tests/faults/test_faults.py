"""Some of the runs of `tests.faults.run`; all 300 of them by ``make faults``."""

import os
import random

import pytest

from tests.faults.run import counts
from tests.faults.scenarios import Place, full_quota, stopped_training

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")


def test_a_training_that_is_stopped_or_finds_no_room_ends_as_if_nothing_had_happened(tmp_path):
    place, chance = Place(tmp_path / "faults"), random.Random(1)
    stopped_training(place, chance, as_nobody=False)
    full_quota(place, chance, as_nobody=False)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of what is killed
def test_faults_of_every_kind_at_random_moments_cost_nothing(tmp_path):
    found = list(counts(60, seed=2, folder=tmp_path / "faults"))
    assert sum(runs for _, runs, _ in found) >= 50
