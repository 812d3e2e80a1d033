import math

import numpy as np
import pytest

from sgtrees import SGTClassifier
from sgtrees.evaluation import (
    LastLabel,
    prequential,
)
from sgtrees.streams import RandomRbf, Sea
from tests.unit.evaluation.mixed_rows import QUICK


def test_labels_are_the_most_probable_ones_exactly_as_predict_returns_them():
    stream = RandomRbf(n_classes=5, n_features=4).head(30_000)
    one, other = SGTClassifier(**QUICK), SGTClassifier(**QUICK)
    wrong = np.concatenate([one.learn_predict(b.X, b.y) != b.y for b in stream])
    result = prequential(stream, other, metrics=["error"])
    assert result.total("error") == np.mean(wrong[1:])


def test_temporal_kappa_of_the_last_label_is_zero():
    result = prequential(Sea().head(3000), LastLabel(), metrics=["kappa_temporal", "log_loss"])
    assert result.total("kappa_temporal") == pytest.approx(0.0, abs=1e-12)
    # One that names a label only has no log loss.
    assert math.isnan(result.total("log_loss"))
