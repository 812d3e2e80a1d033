import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from sgtrees_experiments.learners.bags import run_bags
from sgtrees_experiments.learners.runs import BagRun
from sgtrees_experiments.multi_instance import MITIClassifier


def test_bags_are_cross_validated_in_ten_stratified_folds(bags):
    run = run_bags(bags, "miti", {}, seed=5)
    expected = []
    for learned, tested in StratifiedKFold(10, shuffle=True, random_state=5).split(
        np.zeros(40), bags.y
    ):
        model = MITIClassifier().fit([bags.bags[i] for i in learned], bags.y[learned])
        expected.append(model.score([bags.bags[i] for i in tested], bags.y[tested]))
    assert run.accuracies == expected
    assert run.seconds > 0.0


@pytest.mark.parametrize("learner", ["sgt-bags", "qddi"])
def test_the_other_learners_of_bags_run_too(bags, learner):
    run = run_bags(bags, learner, {}, seed=0)
    assert len(run.accuracies) == 10
    assert run == BagRun(run.seconds, run.accuracies)
    assert run_bags(bags, learner, {}, seed=0).accuracies == run.accuracies
