import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from sgtrees.evaluation import (
    LastLabel,
    MajorityClass,
    MeanSoFar,
    prequential,
)
from sgtrees.streams import Sea, open_stream


def test_names_are_those_given_or_those_of_the_classes():
    result = prequential(Sea().head(1000), [MajorityClass(), LastLabel(), MajorityClass()])
    assert result.names == ["MajorityClass 1", "LastLabel", "MajorityClass 2"]


def test_models_that_do_not_go_together_or_cannot_learn_are_refused():
    with pytest.raises(ValueError, match="all be classifiers or all be regressors"):
        prequential(Sea().head(10), [MajorityClass(), MeanSoFar()])
    with pytest.raises(TypeError, match="cannot learn from a stream"):
        prequential(Sea().head(10), object())
    with pytest.raises(ValueError, match="models is empty"):
        prequential(Sea().head(10), {})
    with pytest.raises(ValueError, match="no predict_proba"):
        prequential(Sea().head(10), SGDClassifier(), metrics=["log_loss"])
    with pytest.raises(ValueError, match="has no target"):
        prequential(open_stream(np.zeros((3, 2))), MajorityClass())
