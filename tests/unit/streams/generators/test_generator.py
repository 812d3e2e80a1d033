"""All generators: reproducible, and independent of the sizes of blocks."""

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
    RandomTree,
    Sea,
)

MAKERS = {
    "sea": lambda seed: Sea(2, seed=seed),
    "agrawal": lambda seed: Agrawal(5, seed=seed),
    "led": lambda seed: Led(n_swapped=3, seed=seed),
    "rbf": lambda seed: RandomRbf(n_classes=4, speed=1e-4, seed=seed),
    "random tree": lambda seed: RandomTree(n_classes=4, noise=0.1, seed=seed),
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


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sea(4),
        lambda: Agrawal(0),
        lambda: Led(n_swapped=8),
        lambda: Friedman(5),
        lambda: Hyperplane(3, n_drifting=4),
        lambda: RandomRbf(n_classes=3, n_centres=2),
        lambda: RandomTree(n_numeric=0, n_nominal=0),
        lambda: RandomTree(n_categories=1),
        lambda: RandomTree(n_classes=1),
        lambda: RandomTree(first_leaves=6),
        lambda: RandomTree(noise=1.5),
    ],
)
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(ValueError, match="must be"):
        make()
