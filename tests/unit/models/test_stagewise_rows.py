import numpy as np
import pytest

from sgtrees import SGTBoostingRegressor, SGTForestRegressor
from sgtrees.models.stagewise_rows import StagewiseRows


def some_rows(n_rows=600):
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 3))
    return X, np.sin(6.0 * X[:, 0]) + X[:, 1], rng.integers(0, 2, n_rows).astype(float)


def committed_batch(model, *rows):
    batch = model.prepare(*rows)
    batch.commit()
    return batch


def test_rows_of_weight_0_are_not_among_those_to_learn():
    X, y, w = some_rows()
    batch = committed_batch(SGTBoostingRegressor(n_estimators=2), X, y, w)
    assert len(StagewiseRows(batch, None)) == np.count_nonzero(w)


def test_only_the_member_of_the_stage_learns():
    X, y, _ = some_rows()
    batch = committed_batch(SGTBoostingRegressor(n_estimators=3, random_state=0), X, y)
    rows = StagewiseRows(batch, None)
    order = np.arange(len(rows), dtype=np.uint32)
    found = []
    for _ in range(3):
        rows.learn_stage([order, order])
        found.append([batch.model.core.tree(k)["feature"].size for k in range(3)])
    first, second, third = np.array(found) > found[0][2]
    assert first.tolist() == [True, False, False]
    assert second.tolist() == [True, True, False]
    assert third.tolist() == [True, True, True]
    rows.finish()
    assert batch.model.core.n_rows == 2 * len(X)


def test_rows_may_be_a_part_of_the_batch():
    X, y, _ = some_rows()
    whole = committed_batch(SGTBoostingRegressor(n_estimators=2, random_state=0), X, y)
    part = committed_batch(SGTBoostingRegressor(n_estimators=2, random_state=0), X[:300], y[:300])
    found = []
    for batch, chosen in ((whole, np.arange(300)), (part, None)):
        rows = StagewiseRows(batch, chosen)
        for _ in range(2):
            rows.learn_stage([np.arange(300, dtype=np.uint32)])
        rows.finish()
        found.append(batch.model.predict(X))
    np.testing.assert_array_equal(*found)


def test_a_row_that_does_not_exist_is_refused():
    X, y, _ = some_rows()
    rows = StagewiseRows(committed_batch(SGTBoostingRegressor(n_estimators=2), X, y), None)
    with pytest.raises(ValueError, match="no row of this number"):
        rows.learn_stage([np.array([len(X)], dtype=np.uint32)])


def test_there_are_as_many_stages_as_members():
    X, y, _ = some_rows()
    rows = StagewiseRows(committed_batch(SGTBoostingRegressor(n_estimators=1), X, y), None)
    rows.learn_stage([])
    with pytest.raises(ValueError, match="all members have learned"):
        rows.learn_stage([])


def test_members_that_do_not_learn_in_turn_have_no_stages():
    X, y, _ = some_rows()
    with pytest.raises(ValueError, match="only boosted members"):
        StagewiseRows(committed_batch(SGTForestRegressor(n_estimators=2), X, y), None)


def test_stages_begin_before_the_first_row():
    X, y, _ = some_rows()
    model = SGTBoostingRegressor(n_estimators=2).partial_fit(X, y)
    with pytest.raises(ValueError, match="before the first row"):
        StagewiseRows(committed_batch(model, X, y), None)
