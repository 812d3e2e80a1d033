import numpy as np
import pytest

from sgtrees import SGTRegressor, losses
from sgtrees.evaluation import (
    QuantileInterval,
    prequential,
)
from sgtrees.streams import open_stream


def test_intervals_are_covered_as_often_as_their_quantiles_say():
    # Normal noise about 0, so that nothing but the quantiles is to be learned.
    random = np.random.default_rng(0)
    X, y = random.random((20_000, 2)), random.normal(size=20_000)
    model = QuantileInterval(
        SGTRegressor(loss=losses.Quantile(alpha=0.1)), SGTRegressor(loss=losses.Quantile(alpha=0.9))
    )
    result = prequential(open_stream(X, y=y), model, metrics=["coverage", "width", "mae"])
    assert result.total("coverage") == pytest.approx(0.8, abs=0.04)
    assert result.total("width") == pytest.approx(2 * 1.2816, rel=0.15)
    assert result.last().n_leaves >= 2
