"""Rows with missing values and a nominal column, and a classifier that has learned them."""

import numpy as np

from sgtrees import SGTClassifier

QUICK = {"warm_up": 100, "grace_period": 50}
NAMES = ["colour", "size", "age"]
COLOURS = {"colour": ["red", "green", "blue"]}


def mixed_rows(n_rows=6000, seed=0):
    """Return rows with a nominal column (of numbers), missing values, and something to learn."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, n_rows), rng.normal(size=(n_rows, 2))])
    score = np.where(X[:, 0] == 1, X[:, 1], X[:, 2]) + 0.5 * (X[:, 0] == 2)
    X[rng.random(n_rows) < 0.1, 0] = np.nan
    X[rng.random(n_rows) < 0.1, 1] = np.nan
    return X, score


def classified(n_classes=2):
    X, score = mixed_rows()
    y = np.array(["no", "yes", "perhaps"])[np.digitize(score, [0.0, 1.0][: n_classes - 1])]
    return SGTClassifier(categorical_features=[0], **QUICK).partial_fit(X, y), X
