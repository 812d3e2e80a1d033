import contextlib

import numpy as np
import pytest
from scipy.sparse import csr_array

from sgtrees import SGTClassifier, SGTRegressor, load
from sgtrees.data.schema import Additions
from sgtrees.estimators.early_stopping import set_aside
from sgtrees.models import batch as batches
from sgtrees.models.batch import Batch


class Calls:
    """A core that notes what it is to learn."""

    def __init__(self):
        self.learned = []

    def learn(self, *arguments):
        self.learned.append(arguments)


class Noting:
    def __init__(self):
        self.core = Calls()

    def apply(self, additions, labels):
        pass

    def guard(self, *_, **__):
        return contextlib.nullcontext()

    def learning(self, *_):
        return contextlib.nullcontext()

    def log_changes(self, n_rows):
        pass


def bags(sizes):
    rows = np.arange(float(sum(sizes))).reshape(-1, 1)
    y = np.arange(len(sizes)) % 2
    return Batch(Noting(), rows, y, None, None, Additions(), np.array(sizes))


def test_rows_of_bags_come_with_their_bags_in_any_order():
    batch = bags([1, 3, 2])
    assert batch[np.array([2, 1, 0])].block.ravel().tolist() == [4, 5, 1, 2, 3, 0]
    assert batch[:].block.ravel().tolist() == list(range(6))
    chosen = batch[np.array([1])]
    assert (chosen.y.tolist(), chosen.sizes.tolist()) == ([1], [3])


@pytest.mark.parametrize("order", [None, np.array([3, 0, 2, 1, 4])])
def test_parts_have_few_rows_and_every_bag_once(monkeypatch, order):
    monkeypatch.setattr(batches, "ROWS_PER_CALL", 4)
    batch = bags([3, 2, 1, 5, 2])
    parts = list(batch.parts(order))
    assert [first for first, _ in parts] == sorted({first for first, _ in parts})
    for _, part in parts:
        part.learn()
    learned = np.concatenate([rows for rows, *_ in batch.model.core.learned]).ravel()
    whole = batch[slice(None) if order is None else order].block.ravel()
    assert learned.tolist() == whole.tolist()
    assert len(parts) > 1


def test_a_batch_changes_nothing_before_it_is_committed():
    model = SGTClassifier().partial_fit([["red"], ["blue"]], ["a", "b"])
    batch = model.prepare([["green"]], ["c"])
    assert model.classes_.tolist() == ["a", "b"]
    assert len(model.model_.schema.features[0].categories) == 2
    batch.commit()
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert len(model.model_.schema.features[0].categories) == 3


def test_a_batch_knows_whether_there_is_anything_to_learn():
    model = SGTRegressor()
    assert model.prepare([[1.0]], [1.0]).has_weight
    assert model.prepare([[1.0], [2.0]], [1.0, 2.0], [0.0, 1.0]).has_weight
    assert not model.prepare([[1.0]], [1.0], [0.0]).has_weight


def noisy_rows():
    random = np.random.default_rng(0)
    X = random.random((600, 2))
    return X, 10 * X[:, 0] + random.normal(size=600)


def test_leaves_settle_after_several_passes_under_the_quantile_loss_alone():
    X, y = noisy_rows()
    once = SGTRegressor(loss="quantile", epochs=1).fit(X, y)
    streamed = SGTRegressor(loss="quantile").partial_fit(X, y)
    assert once.n_updates_ == streamed.n_updates_
    for loss, changes in {"quantile": True, "absolute_error": False}.items():
        model = SGTRegressor(loss=loss, random_state=0, epochs=2).fit(X, y)
        again = SGTRegressor(loss=loss, random_state=0)
        batch = again.prepare(X, y)
        batch.commit()
        random = np.random.RandomState(0)
        for order in [random.permutation(600) for _ in range(2)]:
            batch.learn_pass(order)
        again.model_ = batch.model
        assert (model.predict(X) != again.predict(X)).any() == changes
        assert (model.n_updates_ > again.n_updates_) == changes


def test_settled_leaves_are_saved_and_learn_on(tmp_path):
    X, y = noisy_rows()
    model = SGTRegressor(loss="quantile", random_state=0).fit(X, y)
    model.save(tmp_path / "m.sgt")
    loaded = load(tmp_path / "m.sgt")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    for one in (model, loaded):
        one.partial_fit(X, y + 5)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert model.n_samples_seen_ == 5 * 600


def test_leaves_of_sparse_rows_settle_as_those_of_dense_ones():
    X, y = noisy_rows()
    X[X < 0.3] = 0.0
    dense = SGTRegressor(loss="quantile", random_state=0).fit(X, y)
    sparse = SGTRegressor(loss="quantile", random_state=0).fit(csr_array(X), y)
    np.testing.assert_array_equal(dense.predict(X), sparse.predict(X))


def test_rows_that_were_set_aside_do_not_count_in_leaves():
    X, y = noisy_rows()
    parameters = {"loss": "quantile", "random_state": 0, "epochs": 3, "n_iter_no_change": 3}
    model = SGTRegressor(max_leaves=1, **parameters).fit(X, y)
    learned, _ = set_aside(y, None, 0.1, np.random.RandomState(0))
    # A single leaf has the median of all rows that were learned, and of no others.
    assert model.predict(X[:1])[0] == pytest.approx(np.median(y[learned]))


def test_a_node_that_the_tree_does_not_have_is_refused():
    X, y = noisy_rows()
    model = SGTRegressor(loss="quantile").fit(X, y)
    with pytest.raises(ValueError, match="a node that the tree does not have"):
        model.model_.settle_leaves(np.full((600, 1), 10_000, np.uint32), y, None)
