"""After several passes under the quantile loss each leaf has the value that the oracle gives it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTRegressor, losses
from sgtrees.inspection import view_trees
from tests.oracle.settled_quantiles import settled_value

N_ROWS = 1500


def rows():
    random = np.random.default_rng(5)
    X = pd.DataFrame(random.uniform(size=(N_ROWS, 3)).round(2), columns=["a", "b", "c"])
    X.loc[::7, "b"] = np.nan
    X["kind"] = pd.Categorical(random.choice(list("wxyz"), N_ROWS))
    level = 10 * (X["a"] > 0.4) + 4 * X["c"] + 5 * (X["kind"] == "x")
    y = (level + (1 + 3 * X["a"]) * random.normal(size=N_ROWS)).round(1).to_numpy()
    weights = random.choice([0.0, 0.5, 1.0, 2.0], N_ROWS)
    return X, y, weights


def check(model, X, y, weights, alpha):
    leaves = model.apply(X)[:, 0].tolist()
    columns = np.asarray(y, dtype=float).reshape(len(X), -1).T.tolist()
    n_checked = 0
    for tree, column in zip(view_trees(model), columns, strict=True):
        for leaf in (node for node in tree.nodes if node.is_leaf):
            expected = settled_value(tree, leaf.number, leaves, column, weights, alpha)
            if expected is not None:
                assert leaf.value == pytest.approx(expected, rel=1e-9, abs=1e-9)
                n_checked += 1
    return n_checked


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("weighted", [False, True])
def test_leaves_have_the_quantiles_of_their_rows(alpha, weighted):
    X, y, weights = rows()
    given = weights if weighted else None
    model = SGTRegressor(loss=losses.Quantile(alpha=alpha), epochs=3, random_state=1)
    model.fit(X, y, sample_weight=given)
    assert check(model, X, y, given, alpha) > 10


def test_so_they_have_with_several_targets():
    X, y, _ = rows()
    targets = np.column_stack([y, 100 - 2 * y])
    model = SGTRegressor(loss=losses.Quantile(alpha=0.2), epochs=2, random_state=1)
    model.fit(X, targets)
    assert check(model, X, targets, None, 0.2) > 20


def test_so_they_have_in_rounds_and_where_many_rows_are_beside_a_leaf():
    X, y, _ = rows()
    y = y + np.random.default_rng(6).random(N_ROWS)  # no two are the same
    limits = {"round_rows": 200, "max_leaves": 3}
    model = SGTRegressor(loss=losses.Quantile(alpha=0.9), epochs=4, random_state=1, **limits)
    model.fit(X, y)
    assert check(model, X, y, None, 0.9) == 3
