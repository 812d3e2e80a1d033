"""Merging: what must be the same, what may differ, and that a refusal changes nothing."""

import copy
import threading

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTMultiInstanceClassifier, SGTRegressor, load, losses
from sgtrees.models.merging import MergeError
from tests.fingerprint import fingerprint

RANGES = {"feature_ranges": (0, 1), "grace_period": 10_000, "warm_up": 1000}


def rows(n, seed=0, d=2):
    X = np.random.default_rng(seed).random((n, d))
    return X, np.where(X[:, 0] > 0.4, "up", "down")


def classifier(**parameters):
    return SGTClassifier(**(RANGES | parameters))


def learned(model, n=200, seed=0):
    X, y = rows(n, seed)
    # Both labels in the same order, whatever the rows say.
    return model.partial_fit(np.vstack([[[0.1, 0.5], [0.9, 0.5]], X]), ["down", "up", *y])


def gathered(model):
    """How many rows the only leaf has; the very first one came before there were two classes."""
    return int(model._model.core.tree(0)["rows"][0])


def check_refused(reason, mine, other, base=None):
    before = [fingerprint(model) for model in (mine, other)]
    with pytest.raises(MergeError, match=reason):
        mine.merge(other, base)
    assert [fingerprint(model) for model in (mine, other)] == before


# ---- what is added -------------------------------------------------------------------------------


def test_models_without_a_base_add_all_of_their_rows():
    here, there = learned(classifier()), learned(classifier(), seed=1)
    here.merge(there)
    assert here._model.core.n_rows == 404
    assert gathered(here) == 402
    assert here._model.core.tree(0)["cover"].tolist() == [402.0]


def test_the_rows_of_the_base_count_once():
    base = learned(classifier())
    here, there, third = (learned(copy.deepcopy(base), 100, seed) for seed in (1, 2, 3))
    here.merge(there, base).merge(third, base)
    assert gathered(here) == 201 + 3 * 102


def test_a_merged_model_learns_on_and_changes_when_its_leaf_has_enough_rows():
    here, there = (
        learned(classifier(grace_period=500), n, seed) for n, seed in ((300, 0), (150, 1))
    )
    here.merge(there)
    assert here.n_leaves_ == 1
    X, y = rows(500 - gathered(here), seed=2)
    assert here.partial_fit(X[:-1], y[:-1]).n_leaves_ == 1
    assert here.partial_fit(X[-1:], y[-1:]).n_leaves_ == 2


def test_merging_with_the_base_itself_adds_nothing():
    base = learned(classifier())
    here = learned(copy.deepcopy(base), 100, 1)
    expected = gathered(here)
    assert gathered(here.merge(copy.deepcopy(base), base)) == expected
    assert gathered(here.merge(base, base)) == expected


def test_the_number_of_threads_may_differ():
    assert gathered(learned(classifier()).merge(learned(classifier(n_threads=2)))) == 402


def test_labels_that_were_only_declared_come_along():
    here, there = learned(classifier()), learned(classifier())
    there.partial_fit([[0.5, 0.5]], ["up"], classes=["sideways", "up"])
    assert here.merge(there).classes_.tolist() == ["down", "sideways", "up"]


@pytest.mark.parametrize("loss", ["squared_error", losses.LogCosh(scale=1e3)], ids=str)
def test_moments_about_other_first_rows_are_those_of_all_rows(loss):
    random = np.random.default_rng(3)
    X = random.random((1000, 2))
    # The first gradients of the two models lie far apart.
    y = 1e3 + random.normal(size=1000)
    y[0], y[500] = 1e3 - 50, 1e3 + 80
    parts = [SGTRegressor(**RANGES, loss=loss) for _ in range(3)]
    for model, part in zip(parts, (slice(0, 500), slice(500, 1000), slice(0, 1000)), strict=True):
        model.partial_fit(X[part], y[part])
    here, there, whole = parts
    here.merge(there)
    for model in (here, whole):
        model._model.core.add_features([])
    mine, expected = (m._model.core.state()["tree0/leaves/numbers"] for m in (here, whole))
    np.testing.assert_allclose(mine, expected, rtol=1e-9)


# ---- categories ----------------------------------------------------------------------------------


def events(model, colours):
    for colour in colours:
        model.learn_one({"colour": colour, "size": 0.5}, "up" if colour == "red" else "down")
    return model


@pytest.mark.parametrize("many", [[], [f"shade {i}" for i in range(400)]], ids=["few", "many"])
def test_categories_get_the_numbers_of_the_model_that_takes_them(many):
    settings = {"feature_ranges": {"size": (0, 1)}, "grace_period": 2000, "gamma": 0.0}
    here = events(SGTClassifier(**settings), ["red", "blue", *many[:100]])
    there = events(SGTClassifier(**settings), ["red", "green", "blue", "yellow", *many[::-1]])
    whole = events(copy.deepcopy(here), ["red", "green", "blue", "yellow", *many[::-1]])
    here.merge(there)
    assert set(here._model.schema.category_numbers[0]) == {"red", "blue", "green", "yellow", *many}
    for model in (here, whole):
        events(model, (["red", "green", "blue", "yellow"] * 500)[: 2000 - gathered(model)])
    assert here.n_leaves_ == whole.n_leaves_ > 3
    for colour in ("red", "blue", "green", "yellow", *many[:5]):
        assert here.predict_one({"colour": colour}) == whole.predict_one({"colour": colour})


def test_a_model_that_met_no_new_category_takes_those_of_the_other():
    settings = {"feature_ranges": {"size": (0, 1)}}
    base = events(SGTClassifier(**settings), ["red", "blue"])
    here = events(copy.deepcopy(base), ["red"])
    there = events(copy.deepcopy(base), ["green"])
    here.merge(there, base)
    assert here._model.schema.category_numbers[0] == {"red": 0, "blue": 1, "green": 2}
    assert here._model.core.n_rows == 4


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gamma": 0.5}, "gamma is 1.0 in one and 0.5 in the other"),
        ({"grace_period": 777}, "grace_period is 10000 in one and 777"),
        ({"n_bins": 64}, "n_bins is 32 in one and 64"),
        ({"feature_ranges": (0, 2)}, "bins of feature 0"),
        ({"class_weight": {"up": 2.0}}, "class_weight"),
        ({"loss": "focal"}, "losses differ"),
        ({"feature_ranges": None}, "warm-up"),
        ({"categorical_features": [1]}, "features are not the same"),
    ],
)
def test_models_with_other_settings_are_refused(changes, reason):
    check_refused(reason, learned(classifier()), learned(classifier(**changes)))
    check_refused(reason.split(" is ")[0], learned(classifier(**changes)), learned(classifier()))


def test_models_with_other_classes_are_refused():
    here, there = learned(classifier()), learned(classifier())
    check_refused("classes are not the same", here, there.partial_fit([[0.5, 0.5]], ["away"]))
    X, y = rows(100)
    backwards = classifier().partial_fit(np.vstack([[[0.9, 0.5]], X]), ["up", *y])
    check_refused("order of first appearance", here, backwards)


def test_models_with_other_features_are_refused():
    settings = {"feature_ranges": {"size": (0, 1)}}
    here = events(SGTClassifier(**settings), ["red", "blue"])
    there = copy.deepcopy(here)
    there.learn_one({"colour": "red", "taste": "sweet"}, "up")
    check_refused("only one of them has 'taste'", here, there)


def test_models_with_a_late_feature_that_has_no_bins_are_refused():
    here = events(SGTClassifier(feature_ranges={"size": (0, 1)}), ["red", "blue"])
    here.learn_one({"weight": 0.5}, "up")
    check_refused("no bins yet", here, copy.deepcopy(here))


def test_models_whose_trees_have_grown_apart_are_refused():
    base = learned(classifier(grace_period=50), 300)
    assert base.n_leaves_ > 1
    here, there = (learned(copy.deepcopy(base), 3000, seed) for seed in (1, 2))
    check_refused("trees are not the same", here, there)
    check_refused("trees are not the same", here, there, base)


def test_a_base_that_is_none_is_refused():
    base = learned(classifier())
    here, there = (learned(copy.deepcopy(base), 50, seed) for seed in (1, 2))
    later = learned(copy.deepcopy(base), 300, 3)
    check_refused("base is not what both", here, there, later)


def test_a_base_that_numbers_categories_in_another_way_is_refused():
    settings = {"feature_ranges": {"size": (0, 1)}}
    base = events(SGTClassifier(**settings), ["red", "blue", "green"])
    other_base = events(SGTClassifier(**settings), ["red", "green", "blue"])
    here, there = (events(copy.deepcopy(base), ["red"]) for _ in range(2))
    check_refused(
        "numbers the categories of column 'colour' in another way", here, there, other_base
    )


def test_other_kinds_of_estimators_are_refused():
    here = learned(classifier())
    X, _ = rows(50)
    with pytest.raises(TypeError, match="SGTClassifier, got SGTRegressor"):
        here.merge(SGTRegressor().partial_fit(X, X[:, 0]))
    with pytest.raises(TypeError, match="got SGTClassifier and str"):
        here.merge(learned(classifier()), "base")


def test_an_estimator_cannot_be_merged_with_itself_or_with_nothing():
    here = learned(classifier())
    check_refused("with itself", here, here)
    check_refused("learned nothing", here, classifier())
    check_refused("learned nothing", classifier(), here)


def test_losses_of_ones_own_must_be_the_same():
    def mine(y, raw):
        return raw - y, np.ones_like(raw)

    def other(y, raw):
        return raw - y, np.ones_like(raw)

    X, _ = rows(50)
    one, same, third = (
        SGTRegressor(**RANGES, loss=loss).partial_fit(X, X[:, 0]) for loss in (mine, mine, other)
    )
    assert one.merge(same)._model.core.n_rows == 100
    check_refused("losses differ", one, third)
    two, three = (
        SGTRegressor(**RANGES, loss=losses.Quantile(alpha=a)).partial_fit(X, X[:, 0])
        for a in (0.5, 0.6)
    )
    check_refused("losses differ", two, three)


def test_losses_whose_scales_came_from_other_warm_ups_are_refused():
    X, _ = rows(400)
    one, other = (
        SGTRegressor(warm_up=100, loss="huber").partial_fit(X, factor * X[:, 0])
        for factor in (1.0, 7.0)
    )
    check_refused("scales differ", one, other)


def test_bags_with_another_positive_label_are_refused():
    bags, y = [[[0.5, 0.5]], [[0.1, 0.2]]], [0, 1]
    one, other = (
        SGTMultiInstanceClassifier(**RANGES, positive_label=label).partial_fit(bags, y)
        for label in (0, 1)
    )
    check_refused("positive labels differ", one, other)


def test_models_that_only_predict_are_refused(tmp_path):
    here = learned(classifier())
    here.save(tmp_path / "model", inference_only=True)
    check_refused("inference_only", here, load(tmp_path / "model"))


# ---- threads -------------------------------------------------------------------------------------


def test_two_threads_may_merge_each_others_models():
    one, other = learned(classifier()), learned(classifier(), seed=1)

    def merge(mine, theirs):
        for _ in range(10):
            mine.merge(copy.deepcopy(theirs))
            mine.merge(theirs)

    threads = [threading.Thread(target=merge, args=pair) for pair in ((one, other), (other, one))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
