import numpy as np
import pytest

from sgtrees.evaluation import LastValue, MeanSoFar, MedianSoFar, QuantileSoFar


@pytest.mark.parametrize("cuts", [[], [1], [300, 700]])
def test_the_mean_so_far_is_exact_far_from_zero_too(cuts):
    y = 1e9 + np.random.default_rng(0).normal(size=1000)
    weights = np.random.default_rng(1).random(1000)
    baseline = MeanSoFar()
    parts = zip(np.split(y, cuts), np.split(weights, cuts), strict=True)
    predicted = np.concatenate([baseline.learn_predict(None, a, w) for a, w in parts])
    expected = [0.0, *(np.average(y[:n], weights=weights[:n]) for n in range(1, 1000))]
    np.testing.assert_allclose(predicted[1:] - 1e9, np.array(expected)[1:] - 1e9, atol=1e-6)
    assert predicted[0] == 0.0
    assert baseline.predict([[0]])[0] - 1e9 == pytest.approx(
        np.average(y - 1e9, weights=weights), abs=1e-6
    )


@pytest.mark.parametrize("cuts", [[], [1], [3, 4]])
def test_the_last_value_goes_on_from_block_to_block(cuts):
    y = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    baseline = LastValue()
    predicted = [baseline.learn_predict(None, part) for part in np.split(y, cuts)]
    assert np.concatenate(predicted).tolist() == [0.0, 3.0, 1.0, 4.0, 1.0]
    assert baseline.predict([[0], [0]]).tolist() == [5.0, 5.0]


def test_rows_of_weight_0_are_not_the_last_value():
    baseline = LastValue()
    assert baseline.learn_predict(None, [3.0, 7.0, 9.0], [0.0, 1.0, 0.0]).tolist() == [0, 0, 7]
    assert baseline.predict([[0]]).tolist() == [7.0]


@pytest.mark.parametrize("make", [LastValue, MeanSoFar, MedianSoFar, lambda: QuantileSoFar(0.9)])
def test_several_targets_are_as_many_baselines(make):
    y = np.random.default_rng(0).normal(size=(500, 3))
    weights = np.random.default_rng(1).integers(3, size=500).astype(float)
    together = make()
    predicted = together.learn_predict(None, y, weights)
    for column in range(3):
        alone = make()
        assert (alone.learn_predict(None, y[:, column], weights) == predicted[:, column]).all()
        assert (alone.predict([[0]]) == together.predict([[0]])[:, column]).all()
    with pytest.raises(ValueError, match=r"must be \(n_rows, 3\)"):
        together.learn_predict(None, y[:, 0])


@pytest.mark.parametrize("make", [LastValue, MeanSoFar, MedianSoFar])
def test_a_baseline_of_nothing_predicts_0_and_refuses_what_models_refuse(make):
    assert make().predict([[0], [0]]).tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="contains NaN in row 1"):
        make().learn_predict(None, [1.0, np.nan])
    with pytest.raises(ValueError, match="weights must be finite"):
        make().learn_predict(None, [1.0, 2.0], [1.0, -1.0])
    several = make().partial_fit(None, [1.0, 2.0])
    with pytest.raises(ValueError, match="must have one value for each row"):
        several.learn_predict(None, [[1.0, 2.0]])
