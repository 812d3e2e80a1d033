import numpy as np
import pytest

from sgtrees import SGTRegressor, losses
from sgtrees.evaluation import (
    MeanSoFar,
    QuantileInterval,
    prequential,
)
from sgtrees.streams import Friedman, open_stream


class Constant:
    """Always predicts the same; learns how many rows it has been given, and their weight."""

    def __init__(self, value):
        self.value, self.weights = value, []

    def partial_fit(self, X, y, sample_weight=None):
        self.weights += [1.0] * len(y) if sample_weight is None else list(sample_weight)

    def predict(self, X):
        return np.full(len(X), self.value)


def test_all_models_of_an_interval_learn_the_rows_and_their_weights():
    models = [Constant(1.0), Constant(4.0), Constant(2.0)]
    interval = QuantileInterval(*models)
    interval.partial_fit([[0.0]] * 2, [1.0, 2.0], sample_weight=[1.0, 3.0])
    assert [model.weights for model in models] == [[1.0, 3.0]] * 3


def test_the_prediction_is_the_middle_of_the_interval_unless_a_model_gives_another():
    lower, upper = Constant(4.0), Constant(1.0)
    predicted = [ends.tolist() for ends in QuantileInterval(lower, upper).predict_interval([[0.0]])]
    assert predicted == [[2.5], [1.0], [4.0]]
    assert QuantileInterval(lower, upper, Constant(2.0)).predict([[0.0]]).tolist() == [2.0]


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
    assert result.formatted("coverage", 0.8) == "80.00 %"
    assert result.formatted("width", 0.8) == "0.8"


def test_a_model_without_intervals_covers_nothing_and_is_not_refused():
    result = prequential(Friedman().head(100), MeanSoFar(), metrics=["mae", "coverage", "width"])
    assert result.total("mae") > 0.0
    assert np.isnan([result.total("coverage"), result.total("width")]).all()
    assert np.isnan(result.curve("coverage")).all()
