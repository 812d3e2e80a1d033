import numpy as np
import pytest
from scipy.sparse import csr_array

from sgtrees import SGTBoostingClassifier, SGTBoostingRegressor, SGTRegressor, load
from sgtrees.inspection import view_model
from tests.fingerprint import fingerprint

QUICK = {"warm_up": 50, "grace_period": 20, "delta": 0.01, "n_estimators": 5, "random_state": 1}


def waves(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    return X, np.sin(6.0 * X[:, 0]) + X[:, 1] + rng.normal(scale=0.1, size=n_rows)


def raw_of_members(model, X):
    """The raw score after each member, by its trees alone (of one output)."""
    learner = model.model_.learner
    sums = [np.full(len(X), learner.start()[0])]
    for number in range(learner.n_trees):
        tree, values = learner.tree(number), np.empty(len(X))
        for row, x in enumerate(X):
            node = 0
            while tree["feature"][node] >= 0:
                goes_left = x[tree["feature"][node]] <= tree["threshold"][node]
                node = next(
                    child
                    for child in np.flatnonzero(tree["parent"] == node)
                    if tree["is_left"][child] == goes_left
                )
            values[row] = tree["value"][node]
        sums.append(sums[-1] + learner.tree_shrinkage(number) * values)
    return sums


def test_a_prediction_is_the_start_plus_the_members_scores_times_the_learning_rate():
    X, y = waves(2000)
    model = SGTBoostingRegressor(**QUICK, learning_rate=0.3, following_rates=()).partial_fit(X, y)
    learner = model.model_.learner
    assert [learner.tree_shrinkage(t) for t in range(5)] == [0.3] * 5
    *_, last = raw_of_members(model, X[:100])
    np.testing.assert_allclose(model.predict(X[:100]), last, rtol=1e-12)


def test_members_learn_what_those_before_them_leave():
    X, y = waves(4000)
    model = SGTBoostingRegressor(**QUICK, learning_rate=0.5, following_rates=()).partial_fit(X, y)
    errors = [np.abs(raw - y[-200:]).mean() for raw in raw_of_members(model, X[-200:])]
    assert errors == sorted(errors, reverse=True)


def test_it_predicts_smooth_targets_better_than_one_tree():
    X, y = waves(5000)
    one = SGTRegressor(warm_up=50, grace_period=20, delta=0.01)
    many = SGTBoostingRegressor(**QUICK | {"n_estimators": 20})
    errors = [np.abs(m.learn_predict(X, y) - y)[2500:].mean() for m in (one, many)]
    assert errors[1] < 0.9 * errors[0]


def test_a_block_its_parts_its_events_and_two_threads_give_the_same_model():
    X, y = waves(6000)
    whole = SGTBoostingRegressor(**QUICK).partial_fit(X, y)
    threads = SGTBoostingRegressor(**QUICK, n_threads=2).partial_fit(X, y)
    parts = SGTBoostingRegressor(**QUICK)
    for begin in range(0, 5000, 317):
        parts.partial_fit(X[begin : min(begin + 317, 5000)], y[begin : min(begin + 317, 5000)])
    for x, target in zip(X[5000:].tolist(), y[5000:].tolist(), strict=True):
        parts.learn_one(dict(enumerate(x)), target)
    assert fingerprint(whole) == fingerprint(threads) == fingerprint(parts)


def test_a_late_class_gets_a_tree_of_each_member():
    X, y = waves(1500)
    labels = np.where(np.arange(1500) < 700, y > 1.0, np.digitize(y, [0.5, 1.5])).astype(int)
    model = SGTBoostingClassifier(**QUICK).partial_fit(X[:700], labels[:700])
    assert model.n_trees_ == 5
    model.partial_fit(X[700:], labels[700:])
    assert model.n_trees_ == 10
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.predict(X) == labels)[700:].mean() > 0.7


def test_classes_may_be_in_vectors():
    X, y = waves(2000)
    labels = np.where(np.arange(2000) < 700, y > 1.0, np.digitize(y, [0.5, 1.5])).astype(int)
    model = SGTBoostingClassifier(**QUICK, multiclass="vector").partial_fit(X, labels)
    assert model.n_trees_ == 5
    assert (model.predict(X) == labels)[700:].mean() > 0.7


def test_a_member_may_have_a_share_of_the_features():
    X, y = waves(3000)
    X = np.hstack([X, X, X])
    model = SGTBoostingRegressor(**QUICK, max_features=0.4).partial_fit(X, y)
    used = [
        {node.split.feature.number for node in tree.nodes if node.split is not None}
        for tree in view_model(model).trees
    ]
    assert all(used)
    assert len(set(map(frozenset, used))) > 1
    assert max(map(len, used)) < 9


def test_the_seed_says_how_often_members_learn_rows():
    X, y = waves(800)
    a, b, c = (SGTBoostingRegressor(**QUICK | {"random_state": seed}) for seed in (1, 1, 2))
    same = fingerprint(a.partial_fit(X, y)) == fingerprint(b.partial_fit(X, y))
    assert same
    assert fingerprint(a) != fingerprint(c.partial_fit(X, y))


def test_without_a_seed_each_model_has_its_own():
    X, y = waves(800)
    parameters = QUICK | {"random_state": None}
    a, b = (SGTBoostingRegressor(**parameters).partial_fit(X, y) for _ in range(2))
    assert a.model_.options["seed"] != b.model_.options["seed"]
    drawn = [
        SGTBoostingRegressor(**QUICK | {"random_state": np.random.RandomState(3)})
        .partial_fit(X, y)
        .model_.options["seed"]
        for _ in range(2)
    ]
    assert drawn[0] == drawn[1]


def test_with_poisson_mean_0_every_member_learns_every_row_once():
    X, y = waves(800)
    seeds = (
        SGTBoostingRegressor(**QUICK | {"random_state": seed}, poisson_mean=0.0).partial_fit(X, y)
        for seed in (1, 2)
    )
    a, b = (model.predict(X).tolist() for model in seeds)
    assert a == b


def test_a_loaded_model_goes_on_as_if_never_saved(tmp_path):
    X, y = waves(2000)
    model = SGTBoostingRegressor(**QUICK).partial_fit(X[:777], y[:777])
    model.save(tmp_path / "model")
    again = load(tmp_path / "model").partial_fit(X[777:], y[777:])
    assert type(again) is SGTBoostingRegressor
    assert fingerprint(again) == fingerprint(model.partial_fit(X[777:], y[777:]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators == 0, must be >= 1 and <= 10000."),
        ({"learning_rate": 0.0}, r"learning_rate == 0.0, must be > 0.0 and <= 1.0."),
        ({"learning_rate": 1.5}, r"learning_rate == 1.5, must be > 0.0 and <= 1.0."),
        ({"poisson_mean": -1.0}, "poisson_mean == -1.0, must be >= 0.0 and <= 10.0."),
        ({"random_state": -1}, "Seed must be between 0"),
        ({"max_features": 0.0}, "max_features == 0.0, must be > 0.0 and <= 1.0."),
        ({"leaf_model": "linear", "multiclass": "vector"}, "multiclass='committee' only"),
    ],
)
def test_wrong_parameters_are_named_and_learn_nothing(parameters, message):
    model = SGTBoostingClassifier(**parameters)
    with pytest.raises(ValueError, match=message):
        model.partial_fit([[1.0], [2.0]], ["a", "b"])
    assert fingerprint(model) is None


@pytest.mark.parametrize("estimator", [SGTBoostingClassifier, SGTBoostingRegressor])
def test_a_loss_in_python_is_refused_by_name(estimator):
    def own(y, raw):
        return raw - y, np.ones_like(raw)

    with pytest.raises(ValueError, match=r"in rounds only, got .*own.*round_rows"):
        estimator(loss=own).partial_fit([[1.0], [2.0]], [0, 1])


# ---- fit -----------------------------------------------------------------------------------------


def fitted(X, y, **settings):
    kind = SGTBoostingRegressor if np.asarray(y).dtype.kind == "f" else SGTBoostingClassifier
    return kind(**{"n_estimators": 5, "random_state": 0} | settings).fit(X, y)


def rows_of_stages(n_rows=6000):
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 4))
    return X, np.sin(6.0 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0.5) + 0.1 * rng.normal(size=n_rows)


@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_fit_by_two_threads_from_sparse_rows_or_columns_gives_the_same_model(n_classes):
    X, y = rows_of_stages()
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    model = fitted(X, y, n_threads=1)
    for other in (
        fitted(X, y, n_threads=2),
        fitted(csr_array(X), y),
        fitted(np.asfortranarray(X), y),
        fitted(X, y, poisson_mean=0.0),
    ):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert other.n_leaves_ == model.n_leaves_


def test_fit_draws_no_copies_and_a_stream_after_it_does():
    X, y = rows_of_stages()
    drawn, whole = (fitted(X, y, poisson_mean=mean) for mean in (1.0, 0.0))
    np.testing.assert_array_equal(drawn.predict(X), whole.predict(X))
    assert (
        drawn.partial_fit(X[:3000], y[:3000]).predict(X)
        != whole.partial_fit(X[:3000], y[:3000]).predict(X)
    ).any()


def test_bins_of_fit_are_quantiles_of_all_rows_unless_they_are_given():
    X, y = rows_of_stages()
    X[:, 0] = np.exp(5.0 * X[:, 0])
    of_fit = fitted(X, y).model_.learner.boundaries(0)
    counts = np.histogram(X[:, 0], [-np.inf, *of_fit, np.inf])[0]
    assert len(of_fit) == 127
    assert counts.max() < 2 * counts.min()
    given = fitted(X, y, n_bins=8, binning="uniform", adaptive_ranges=False)
    np.testing.assert_allclose(np.diff(given.model_.learner.boundaries(0), 2), 0.0, atol=1e-9)
    in_stream = SGTBoostingRegressor(n_estimators=5).partial_fit(X, y)
    assert len(in_stream.model_.learner.boundaries(0)) == 31


def test_a_fitted_model_goes_on_after_it_was_saved_as_if_it_never_was(tmp_path):
    X, y = rows_of_stages()
    model = fitted(X[:5000], y[:5000], n_iter_no_change=2, n_estimators=20)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(
        model.partial_fit(X[5000:], y[5000:]).predict(X),
        again.partial_fit(X[5000:], y[5000:]).predict(X),
    )
    assert again.n_samples_seen_ == model.n_samples_seen_ == 3 * 4500 + 1000


def test_only_the_member_that_learns_has_cells():
    X, y = rows_of_stages()
    fit, stream = fitted(X, y), SGTBoostingRegressor(n_estimators=5).partial_fit(X, y)
    assert fit.memory_bytes_ / fit.n_leaves_ < 0.2 * stream.memory_bytes_ / stream.n_leaves_
    assert fit.feature_importances_[3] < 0.05


def test_fit_reports_each_stage(capsys):
    X, y = rows_of_stages(500)
    fitted(X, y, verbose=1, n_estimators=2)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("[SGTBoostingRegressor] stage 2 of 2: 500 rows in ")
