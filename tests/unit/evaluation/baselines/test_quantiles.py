import pickle

import numpy as np
import pytest

from sgtrees.evaluation import MedianSoFar, QuantileSoFar
from sgtrees.losses import weighted_quantile

RNG = np.random.default_rng(0)
STREAMS = {
    "normal": RNG.normal(size=60_000),
    "rising": np.arange(60_000.0),
    "falling": -np.arange(60_000.0),
    "a change": np.concatenate([RNG.normal(size=30_000), 50 + RNG.normal(size=30_000)]),
    "a walk": RNG.normal(size=60_000).cumsum(),
    "few values": RNG.integers(9, size=60_000).astype(float),
    "mostly one": np.where(RNG.random(60_000) < 0.9, 0.0, RNG.normal(size=60_000)),
}


def rank_error(seen, predicted, alpha):
    """How far the rank of a prediction is from alpha; its values of one rank are all right."""
    below, up_to = np.mean(seen < predicted), np.mean(seen <= predicted)
    return max(below - alpha, alpha - up_to, 0.0)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_the_first_rows_have_the_quantile_of_those_before(alpha):
    y = RNG.normal(size=256)
    weights = RNG.integers(1, 4, size=256).astype(float)
    predicted = QuantileSoFar(alpha).learn_predict(None, y, weights)
    expected = [weighted_quantile(y[:n], weights[:n], alpha) for n in range(1, 256)]
    assert predicted.tolist() == [0.0, *expected]


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("y", STREAMS.values(), ids=STREAMS)
def test_the_rank_stays_right_within_the_wait_for_new_rows(y, alpha):
    predicted = QuantileSoFar(alpha).learn_predict(None, y)
    for n in (300, 1_000, 8_000, 20_000, 59_999):
        assert rank_error(y[:n], predicted[n], alpha) <= 1 / 128 + 0.001
        assert predicted[n] in y[:n]


@pytest.mark.parametrize("cuts", [[1], [100, 101, 30_000]])
def test_blocks_do_not_matter(cuts):
    y = STREAMS["a walk"]
    whole, cut = MedianSoFar(), MedianSoFar()
    predicted = np.concatenate([cut.learn_predict(None, part) for part in np.split(y, cuts)])
    assert (predicted == whole.learn_predict(None, y)).all()
    assert cut.predict([[0]]) == whole.predict([[0]])


def test_memory_is_bounded():
    baseline = MedianSoFar()
    for _ in range(6):
        baseline.partial_fit(None, RNG.normal(size=50_000))
        assert len(pickle.dumps(baseline)) < 300_000


def test_a_weight_counts_as_so_many_rows_and_0_as_none():
    y = STREAMS["mostly one"][:200]
    weights = RNG.integers(0, 4, size=200)
    weighted = MedianSoFar().partial_fit(None, y, weights.astype(float))
    repeated = np.sort(np.repeat(y, weights))
    assert weighted.predict([[0]])[0] == repeated[(len(repeated) + 1) // 2 - 1]
    assert MedianSoFar().learn_predict(None, [5.0, 1.0, 3.0], [0.0, 1.0, 0.0]).tolist() == [0, 0, 1]


@pytest.mark.parametrize("alpha", [0.0, 1.0, np.nan])
def test_alpha_must_be_between_0_and_1(alpha):
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        QuantileSoFar(alpha)
