import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from sgtrees import SGTClassifier
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


def test_a_model_of_blocks_and_rows_learns_blocks_unless_labels_come_late():
    class Watched(SGTClassifier):
        n_rows = 0

        def learn_one(self, x, y, w=1.0):
            self.n_rows += 1
            super().learn_one(x, y, w)

    at_once, late = Watched(), Watched()
    prequential(Sea().head(50), at_once, metrics=["error"])
    prequential(Sea().head(50), late, metrics=["error"], delay=1)
    assert (at_once.n_rows, late.n_rows) == (0, 50)
