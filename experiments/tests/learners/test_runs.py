import numpy as np

from sgtrees_experiments.learners.runs import curve_ends, shuffled


def test_a_curve_ends_with_the_last_row_and_grows_evenly_on_a_log_scale():
    ends = curve_ends(1_000_000)
    assert ends[0] == 1000
    assert ends[-1] == 1_000_000
    assert 20_000 in ends
    assert ends == sorted(set(ends))
    assert len(ends) <= 42
    assert min(np.diff(curve_ends(5000))) >= 250
    assert curve_ends(1) == [1]


def test_shuffles_are_permutations_that_their_seed_decides():
    assert sorted(shuffled(50, 3).tolist()) == list(range(50))
    assert (shuffled(50, 3) == shuffled(50, 3)).all()
    assert (shuffled(50, 3, 10) == shuffled(50, 3)[:10]).all()
    assert (shuffled(50, 3) != shuffled(50, 4)).any()
