"""The generators: reproducible, independent of blocks, and true to what their authors wrote."""

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.streams import (
    Agrawal,
    Drift,
    FlightDelays,
    Friedman,
    Hyperplane,
    Led,
    RandomRbf,
    Sea,
)

MAKERS = {
    "sea": lambda seed: Sea(2, seed=seed),
    "agrawal": lambda seed: Agrawal(5, seed=seed),
    "led": lambda seed: Led(n_swapped=3, seed=seed),
    "rbf": lambda seed: RandomRbf(n_classes=4, speed=1e-4, seed=seed),
    "hyperplane": lambda seed: Hyperplane(n_drifting=5, speed=1e-3, seed=seed),
    "friedman": lambda seed: Friedman(1, seed=seed),
    "flights": lambda seed: FlightDelays(seed=seed),
    "abrupt": lambda seed: Drift(Sea(0, seed=seed), Sea(3, seed=seed + 1), at=700),
    "gradual": lambda seed: Drift(
        Led(seed=seed), Led(n_swapped=5, seed=seed + 1), at=700, width=300, seed=seed
    ),
    "nested": lambda seed: Drift(
        Drift(Sea(0, seed=seed), Sea(1, seed=seed), at=300), Sea(2), at=800
    ),
}


def together(blocks):
    return np.concatenate([b.X for b in blocks]), np.concatenate([b.y for b in blocks])


@pytest.mark.parametrize("name", MAKERS)
def test_rows_depend_on_the_seed_and_not_on_the_blocks(name):
    whole = MAKERS[name](3).take(1500)
    parts = MAKERS[name](3)
    X, y = together([parts.take(n) for n in (1, 399, 600, 500)])
    np.testing.assert_array_equal(X, whole.X)
    np.testing.assert_array_equal(y, whole.y)
    assert (MAKERS[name](4).take(1500).X != whole.X).any()


@pytest.mark.parametrize("name", MAKERS)
def test_iterating_begins_at_the_first_row_each_time(name):
    stream = MAKERS[name](3)
    taken = stream.take(1200)
    for _ in range(2):
        X, _ = together(list(stream.head(1200)))
        np.testing.assert_array_equal(X, taken.X)
    # And taking goes on meanwhile.
    assert (stream.take(1200).X != taken.X).any()


@pytest.mark.parametrize("name", MAKERS)
def test_blocks_are_what_the_columns_say(name):
    stream = MAKERS[name](0)
    block = stream.take(5000)
    assert block.X.shape == (5000, len(stream.columns))
    for column, values in zip(stream.columns, block.X.T, strict=True):
        if column.nominal:
            assert set(np.unique(values)) <= set(range(len(column.categories)))
    if stream.target.nominal:
        assert set(block.y.tolist()) == set(stream.target.categories)
    model = (SGTClassifier if stream.target.nominal else SGTRegressor)(
        categorical_features=stream.nominal
    )
    assert model.partial_fit(block.X, block.y).n_features_in_ == len(stream.columns)


# ---- what their authors wrote -------------------------------------------------------------------


@pytest.mark.parametrize(("concept", "threshold"), [(0, 8.0), (1, 9.0), (2, 7.0), (3, 9.5)])
def test_sea_asks_two_of_three_numbers(concept, threshold):
    block = Sea(concept, noise=0.0).take(2000)
    np.testing.assert_array_equal(block.y == "a", block.X[:, 0] + block.X[:, 1] <= threshold)
    noisy = Sea(concept, noise=0.1).take(20_000)
    wrong = np.mean((noisy.y == "a") != (noisy.X[:, 0] + noisy.X[:, 1] <= threshold))
    assert wrong == pytest.approx(0.1, abs=0.0064)


def agrawal_by_hand(function, row):
    """The functions as the paper prints them, one applicant at a time."""
    salary, commission, age, level, _, _, hvalue, hyears, loan = row
    total = salary + commission
    third = 0 if age < 40 else 1 if age < 60 else 2

    def salary_in(bounds):
        return bounds[0] * 1000 <= salary <= bounds[1] * 1000

    if function == 1:
        return third != 1
    if function == 2:
        return salary_in([(50, 100), (75, 125), (25, 75)][third])
    if function == 3:
        return level in [(0, 1), (1, 2, 3), (2, 3, 4)][third]
    if function == 4:
        if third == 0:
            return salary_in((25, 75) if level in (0, 1) else (50, 100))
        if third == 1:
            return salary_in((50, 100) if level in (1, 2, 3) else (75, 125))
        return salary_in((50, 100) if level in (2, 3, 4) else (25, 75))
    if function == 5:
        inside = salary_in([(50, 100), (75, 125), (25, 75)][third])
        bounds = [((100, 300), (200, 400)), ((200, 400), (300, 500)), ((300, 500), (100, 300))]
        low, high = bounds[third][0 if inside else 1]
        return low * 1000 <= loan <= high * 1000
    if function == 6:
        low, high = [(50, 100), (75, 125), (25, 75)][third]
        return low * 1000 <= total <= high * 1000
    if function == 7:
        return 2 * total / 3 - loan / 5 - 20_000 > 0
    if function == 8:
        return 2 * total / 3 - 5000 * level - 20_000 > 0
    if function == 9:
        return 2 * total / 3 - 5000 * level - loan / 5 - 10_000 > 0
    equity = 0.0 if hyears < 20 else hvalue * (hyears - 20) / 10
    return 2 * total / 3 - 5000 * level + equity / 5 - 10_000 > 0


@pytest.mark.parametrize("function", range(1, 11))
def test_agrawal_functions_are_those_of_the_paper(function):
    block = Agrawal(function, perturbation=0.0, seed=function).take(1500)
    assert block.best_error == 0.0
    expected = [agrawal_by_hand(function, row) for row in block.X.tolist()]
    assert (block.y == "A").tolist() == expected


def test_agrawal_columns_stay_in_their_ranges():
    X = Agrawal(1, perturbation=0.2).take(20_000).X
    assert X[:, 0].min() >= 20_000
    assert X[:, 0].max() <= 150_000
    without = X[:, 1] == 0.0
    assert 0.4 < without.mean() < 0.7
    assert (X[:, 2] >= 20).all()
    assert (X[:, 2] <= 80).all()


def test_a_display_without_faults_shows_the_digits():
    block = Led(noise=0.0).take(2000)
    shown = {digit: block.X[block.y == digit, :7] for digit in "0123456789"}
    assert all((rows == rows[0]).all() for rows in shown.values())
    assert len({tuple(rows[0]) for rows in shown.values()}) == 10
    assert shown["8"][0].tolist() == [1.0] * 7
    assert shown["1"][0].sum() == 2
    moved = Led(noise=0.0, n_swapped=2).take(2000)
    np.testing.assert_array_equal(moved.X[:, [7, 8, *range(2, 7)]], block.X[:, :7])


def test_a_hyperplane_that_turns_is_another_one_later():
    def error_of_first_plane(stream):
        rows = stream.take(200_000)
        first, last = slice(0, 2000), slice(198_000, None)
        X, is_above = rows.X - 0.5, rows.y == "above"
        plane, *_ = np.linalg.lstsq(X[first], 2.0 * is_above[first] - 1.0, rcond=None)
        return [np.mean((X[s] @ plane > 0) != is_above[s]) for s in (first, last)]

    still = error_of_first_plane(Hyperplane(noise=0.0))
    turning = error_of_first_plane(Hyperplane(n_drifting=10, speed=3e-6, noise=0.0))
    assert max(still) < 0.05
    assert turning[1] > turning[0] + 0.1


def test_friedman_is_what_the_paper_says():
    block = Friedman(2, noise=0.0).take(1000)
    a, b, c, d, e = block.X[:, 2:7].T
    expected = 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e
    np.testing.assert_allclose(block.y, expected, rtol=1e-12)
    assert np.std(Friedman(2).take(50_000).y - Friedman(2, noise=0.0).take(50_000).y) == (
        pytest.approx(1.0, abs=0.02)
    )


def test_a_cloud_moves_with_its_speed():
    still, moving = RandomRbf(n_centres=2), RandomRbf(n_centres=2, speed=1e-3)
    centres = [[stream.take(500).X.mean(axis=0) for _ in range(4)] for stream in (still, moving)]
    gone = [np.linalg.norm(places[-1] - places[0]) for places in centres]
    assert gone[1] > gone[0] + 0.2


# ---- drift --------------------------------------------------------------------------------------


def test_an_abrupt_drift_changes_at_its_row():
    before, after = Sea(0, seed=1), Sea(3, seed=2)
    block = Drift(before, after, at=600).take(1000)
    np.testing.assert_array_equal(block.X[:600], before.take(600).X)
    np.testing.assert_array_equal(block.X[600:], after.take(1000).X[600:])


def test_a_gradual_drift_is_half_way_at_its_row():
    class_of = Drift(Sea(0, noise=0.0, seed=1), Sea(0, noise=1.0, seed=1), at=10_000, width=4000)
    block = class_of.take(20_000)
    is_later = (block.y == "a") != (block.X[:, 0] + block.X[:, 1] <= 8.0)
    shares = [part.mean() for part in np.array_split(is_later, 10)]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert is_later[9500:10_500].mean() == pytest.approx(0.5, abs=0.05)
    # A logistic curve: 1 / (1 + exp(-4 d / width)).
    assert is_later[10_950:11_050].mean() == pytest.approx(1 / (1 + np.exp(-1)), abs=0.15)


def test_the_best_error_of_a_drift_is_that_of_its_rows():
    drift = Drift(Sea(0, noise=0.1), Sea(1, noise=0.3), at=50)
    assert drift.take(100).best_error == pytest.approx(0.2)
    assert Drift(Led(), Led(n_swapped=1), at=50).take(100).best_error is None


def test_streams_with_other_columns_do_not_drift_into_one_another():
    with pytest.raises(ValueError, match="same columns"):
        Drift(Sea(), Led(), at=5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sea(4),
        lambda: Agrawal(0),
        lambda: Led(n_swapped=8),
        lambda: Friedman(5),
        lambda: Hyperplane(3, n_drifting=4),
        lambda: RandomRbf(n_classes=3, n_centres=2),
    ],
)
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(ValueError, match="must be"):
        make()
