import numpy as np
import pytest

from sgtrees import SGTForestClassifier, SGTForestRegressor, SGTRegressor, load
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.model_file import read_file, write_file
from sgtrees.streams import Agrawal, Drift
from tests.fingerprint import fingerprint

QUICK = {"warm_up": 50, "grace_period": 20, "delta": 0.01, "n_estimators": 4, "random_state": 1}


def rows(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, 2.0 * X[:, 0] + np.where(X[:, 1] > 0, X[:, 2], -1.0)


def test_a_forest_of_one_whose_member_learns_every_row_once_is_a_tree():
    X, y = rows(1500)
    forest = SGTForestRegressor(**QUICK | {"n_estimators": 1}, poisson_mean=0.0)
    tree = SGTRegressor(warm_up=50, grace_period=20, delta=0.01)
    assert forest.learn_predict(X, y).tolist() == tree.learn_predict(X, y).tolist()
    assert forest.n_nodes_ == tree.n_nodes_ > 1


def test_a_prediction_is_the_mean_of_the_members_scores():
    X, y = rows(1500)
    model = SGTForestRegressor(**QUICK, max_depth=0, start="neutral", following_rates=())
    model.partial_fit(X, y)
    roots = [model.model_.learner.tree(t)["value"][0] for t in range(4)]
    assert len(set(roots)) == 4
    np.testing.assert_allclose(model.predict(X[:5]), np.mean(roots), rtol=1e-12)


def test_classes_are_in_the_vectors_of_one_tree_for_each_member():
    X, y = rows(1500)
    labels = np.digitize(y, [-1.0, 1.0])
    assert SGTForestClassifier(**QUICK).partial_fit(X, labels).n_trees_ == 4
    assert SGTForestClassifier(**QUICK, multiclass="vector").partial_fit(X, labels).n_trees_ == 4
    committees = SGTForestClassifier(**QUICK, multiclass="committee").partial_fit(X, labels)
    assert committees.n_trees_ == 8


def test_every_loss_and_leaf_model_goes_with_the_default_of_multiclass():
    X, y = rows(800)
    for parameters in ({"loss": "exponential"}, {"loss": "focal"}, {"leaf_model": "linear"}):
        model = SGTForestClassifier(**QUICK, **parameters).partial_fit(X, y > 0)
        assert model.n_trees_ == 4
    linear = SGTForestClassifier(**QUICK, leaf_model="linear")
    assert linear.partial_fit(X, np.digitize(y, [-1.0, 1.0])).n_trees_ == 8


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_block_its_parts_and_its_events_give_the_same_model(n_threads):
    X, y = rows(6000)
    labels = np.where(np.arange(6000) < 3000, y > 0, np.digitize(y, [-1.0, 1.0])).astype(int)
    whole = SGTForestClassifier(**QUICK, n_threads=n_threads).partial_fit(X, labels)
    parts = SGTForestClassifier(**QUICK)
    for begin in range(0, 5000, 317):
        end = min(begin + 317, 5000)
        parts.partial_fit(X[begin:end], labels[begin:end])
    for x, label in zip(X[5000:].tolist(), labels[5000:].tolist(), strict=True):
        parts.learn_one(dict(enumerate(x)), label)
    assert fingerprint(whole) == fingerprint(parts)
    events = [whole.predict_one(dict(enumerate(x))) for x in X[:50].tolist()]
    assert whole.predict(X[:50]).tolist() == events


def test_members_whose_errors_rise_are_replaced():
    stream = Drift(Agrawal(1), Agrawal(5, seed=1), at=8_000).take(16_000)
    model = SGTForestClassifier(n_estimators=4, random_state=0).partial_fit(stream.X, stream.y)
    kinds = [event.kind for event in model.drifts_]
    assert kinds.count("alarm") >= 4
    assert "replaced" in kinds
    at = [event.row for event in model.drifts_]
    assert at == sorted(at)
    assert at[0] >= 8_000


def test_memory_is_limited_over_all_trees():
    X, y = rows(6000)
    model = SGTForestRegressor(**QUICK, max_memory="400KB").partial_fit(X, y)
    assert model.memory_bytes_ <= 400_000
    assert SGTForestRegressor(**QUICK).partial_fit(X, y).memory_bytes_ > 400_000


def test_a_small_file_predicts_the_same_and_learns_nothing(tmp_path):
    X, y = rows(1000)
    model = SGTForestRegressor(**QUICK).partial_fit(X, y)
    model.save(tmp_path / "small", inference_only=True)
    small = load(tmp_path / "small")
    assert small.predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(ValueError, match="inference_only"):
        small.partial_fit(X, y)


def test_a_file_of_another_kind_of_ensemble_or_number_of_members_is_refused(tmp_path):
    X, y = rows(300)
    SGTForestRegressor(**QUICK).partial_fit(X, y).save(tmp_path / "model")
    contents = read_file(tmp_path / "model")
    options = contents.document["model"]["options"]
    options["n_estimators"] = 3
    write_file(tmp_path / "other", contents)
    with pytest.raises(ModelFileError, match="array 'members' does not fit the number of members"):
        load(tmp_path / "other")
    options["n_estimators"] = 4
    contents.document["estimator"] = "SGTBoostingRegressor"
    write_file(tmp_path / "other", contents)
    with pytest.raises(ModelFileError, match="averaging, which no SGTBoostingRegressor does"):
        load(tmp_path / "other")
    options["combination"] = "voting"
    write_file(tmp_path / "other", contents)
    with pytest.raises(ModelFileError, match="combination"):
        load(tmp_path / "other")


def test_a_forest_has_no_learning_rate():
    with pytest.raises(TypeError, match="unknown parameter 'learning_rate'"):
        SGTForestClassifier(learning_rate=0.1)


@pytest.mark.parametrize("estimator", [SGTForestClassifier, SGTForestRegressor])
def test_a_loss_in_python_is_refused_by_name(estimator):
    def own(y, raw):
        return raw - y, np.ones_like(raw)

    model = estimator(loss=own)
    with pytest.raises(ValueError, match=r"in rounds only, got .*own"):
        model.partial_fit([[1.0], [2.0]], [0, 1])
