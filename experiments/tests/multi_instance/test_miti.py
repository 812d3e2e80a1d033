import pytest

from experiments.tests.multi_instance.separable_bags import separable
from sgtrees_experiments.multi_instance import MITIClassifier


def test_the_tree_explains_what_it_has_learned():
    bags, y = separable()
    model = MITIClassifier().fit(bags, y)
    assert model.score(bags, y) == 1.0
    assert model.n_leaves_ == (model.n_nodes_ + 1) // 2
    proba = model.predict_proba(bags)
    assert (proba.sum(axis=1) == 1.0).all()
    assert (proba[:, 1] > 0.5).tolist() == y.tolist()


WRONG = {
    "criterion": ({"criterion": "entropy"}, ValueError, "criterion='entropy' is not known"),
    "weight": ({"weight": "none"}, ValueError, "weight='none' is not known"),
    "doubt": ({"doubt": -1.0}, ValueError, "doubt == -1.0, must be >= 0"),
    "doubt's type": ({"doubt": "5"}, TypeError, "doubt must be an instance of"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_parameters(case):
    parameters, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        MITIClassifier(**parameters).fit(*separable())
