from sgtrees_experiments.datasets import Task
from sgtrees_experiments.execution.jobs import all_settings, pieces
from sgtrees_experiments.learners.catalogue import LEARNERS


def test_settings_tell_everything_that_decides_a_result():
    ours = all_settings(LEARNERS["sgt"], Task.CLASSIFICATION)
    assert '"grace_period"' in ours
    assert '"sgtrees"' in ours
    assert "n_threads" not in ours
    slipped = all_settings(LEARNERS["as-programmed"], Task.CLASSIFICATION)
    assert '"sgtrees with slipped variance"' in slipped
    assert slipped != all_settings(LEARNERS["without-slip"], Task.CLASSIFICATION)
    squared, absolute = (
        all_settings(LEARNERS[name], Task.REGRESSION) for name in ("sgt-squared", "sgt-mae")
    )
    assert squared != absolute
    assert all(all_settings(one, next(iter(one.tasks))) for one in LEARNERS.values())


def test_pieces_cover_all_seeds_once():
    assert [seed for piece in pieces(range(13), 5) for seed in piece] == list(range(13))
