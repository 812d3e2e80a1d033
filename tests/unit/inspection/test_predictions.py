from sgtrees.inspection import format_prediction, view_trees
from tests.unit.inspection.rows import classified


def test_scores_are_written_with_their_sign():
    model, _ = classified(n_classes=3)
    assert format_prediction(view_trees(model)[0], 0.5) == "+0.50"
