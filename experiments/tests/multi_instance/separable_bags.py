"""Bags that are positive if the first feature of one of their rows is high."""

import numpy as np


def separable(seed=0, n_bags=60):
    rng = np.random.default_rng(seed)
    bags = [rng.random((rng.integers(2, 8), 2)) for _ in range(n_bags)]
    return bags, np.array([bool(bag[:, 0].max() > 0.8) for bag in bags])
