import numpy as np
import pytest

from experiments.tests.multi_instance.separable_bags import separable
from sgtrees_experiments.multi_instance import MITIClassifier


def test_missing_numbers_count_as_the_mean():
    bags = [[[0.0], [None]], [[10.0]], [[0.0]], [[10.0], [np.nan]]]
    model = MITIClassifier().fit(bags, [0, 1, 0, 1])
    assert model.predict([[[np.nan]], [[9.0]]]).tolist() == [0, 1]


def test_the_greater_label_is_the_positive_one():
    bags, y = separable()
    words = np.where(y, "musk", "a different molecule")
    model = MITIClassifier().fit(bags, words)
    assert model.classes_.tolist() == ["a different molecule", "musk"]
    assert model.score(bags, words) == 1.0


def test_wrong_bags_are_refused_and_leave_the_model_as_it_was():
    bags, y = separable()
    model = MITIClassifier().fit(bags, y)
    before = model.predict_proba(bags)
    with pytest.raises(ValueError, match="X has 1 features instead of 2"):
        model.predict([[[1.0]]])
    with pytest.raises(ValueError, match="y has 1 labels, but X has 60 bags"):
        model.fit(bags, [0])
    with pytest.raises(ValueError, match=r"y must have two different labels, not \['a'\]"):
        model.fit(bags, ["a"] * len(bags))
    assert (model.predict_proba(bags) == before).all()
