import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score

from sgtrees import SGTMultiInstanceClassifier
from tests.fingerprint import fingerprint

QUICK = {"warm_up": 50, "grace_period": 20}
POOLINGS = pytest.mark.parametrize("pooling", ["max", "log_sum_exp"])


def number_bags(n_bags=120, seed=0):
    """Return bags of two columns; positive are those with an instance above 0.8 in the first."""
    random = np.random.default_rng(seed)
    bags = [random.random((random.integers(1, 9), 2)) for _ in range(n_bags)]
    return bags, np.array([int(bag[:, 0].max() > 0.8) for bag in bags])


def frame_bags(n_bags=120, seed=0):
    """Return a frame of shuffled rows with a column of each kind, and a label for each row."""
    random = np.random.default_rng(seed)
    n_rows = 5 * n_bags
    frame = pd.DataFrame(
        {
            "bag": random.permutation(np.repeat([f"b{i}" for i in range(n_bags)], 5)),
            "size": random.normal(size=n_rows),
            "colour": random.choice(["red", "green", "blue"], n_rows),
            "ripe": random.random(n_rows) < 0.5,
        }
    )
    positive = ((frame["colour"] == "red") & (frame["size"] > 0.8)).groupby(frame["bag"]).max()
    frame.loc[random.random(n_rows) < 0.1, "size"] = np.nan
    frame.loc[random.random(n_rows) < 0.1, "colour"] = None
    return frame, np.where(positive[frame["bag"]], "yes", "no")


def as_list(frame):
    """Return the bags of a frame, in order of first appearance, without their column."""
    return [rows.drop(columns="bag") for _, rows in frame.groupby("bag", sort=False)]


def first_of_each(frame, y):
    return y[~frame["bag"].duplicated().to_numpy()]


# ---- learning -----------------------------------------------------------------------------------


@POOLINGS
def test_it_learns_what_makes_a_bag_positive_and_finds_the_instance(pooling):
    bags, y = number_bags(300)
    model = SGTMultiInstanceClassifier(pooling=pooling, random_state=0).fit(bags, y)
    fresh, truth = number_bags(300, seed=1)
    assert model.score(fresh, truth) > 0.95
    decide = model.deciding_instances(fresh)
    found = [bag[place, 0] for bag, place, label in zip(fresh, decide, truth, strict=True) if label]
    assert np.mean(np.array(found) > 0.8) > 0.95


@POOLINGS
def test_a_bags_probability_is_the_pooled_score_of_its_instances(pooling):
    bags, y = number_bags()
    model = SGTMultiInstanceClassifier(pooling=pooling, sharpness=3.0, random_state=0).fit(bags, y)
    scores = model.instance_scores(bags)
    assert [len(of_bag) for of_bag in scores] == [len(bag) for bag in bags]
    if pooling == "max":
        pooled = np.array([of_bag.max() for of_bag in scores])
    else:
        pooled = np.array([np.log(np.mean(np.exp(3.0 * of_bag))) / 3.0 for of_bag in scores])
    probabilities = model.predict_proba(bags)
    np.testing.assert_allclose(probabilities[:, 1], 1 / (1 + np.exp(-pooled)), rtol=1e-12)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert model.predict(bags).tolist() == (probabilities[:, 1] > 0.5).astype(int).tolist()
    assert model.deciding_instances(bags).tolist() == [of_bag.argmax() for of_bag in scores]


@POOLINGS
def test_bags_at_once_in_halves_and_one_by_one_give_the_same_model(pooling):
    bags, y = number_bags(300)
    whole = SGTMultiInstanceClassifier(pooling=pooling, **QUICK).partial_fit(bags, y)
    halves = SGTMultiInstanceClassifier(pooling=pooling, **QUICK)
    halves.partial_fit(bags[:101], y[:101]).partial_fit(bags[101:], y[101:])
    single = SGTMultiInstanceClassifier(pooling=pooling, **QUICK)
    for bag, label in zip(bags, y, strict=True):
        single.partial_fit([bag], [label], classes=[0, 1])
    assert whole.n_splits_ > 0
    assert fingerprint(whole) == fingerprint(halves) == fingerprint(single)


def test_all_ways_to_give_bags_give_the_same_model():
    frame, y = frame_bags()
    rows = frame.drop(columns="bag")
    by_bag = first_of_each(frame, y)
    models = [
        SGTMultiInstanceClassifier(random_state=0).fit(as_list(frame), by_bag),
        SGTMultiInstanceClassifier(random_state=0).fit(rows, y, groups=frame["bag"]),
        SGTMultiInstanceClassifier(random_state=0).fit(rows, by_bag, groups=list(frame["bag"])),
        SGTMultiInstanceClassifier(random_state=0).fit(frame, y),
        SGTMultiInstanceClassifier(random_state=0).fit(pl.from_pandas(frame), by_bag),
        SGTMultiInstanceClassifier(random_state=0).fit(pa.Table.from_pandas(frame), by_bag),
        SGTMultiInstanceClassifier(bag_column="molecule", random_state=0).fit(
            frame.rename(columns={"bag": "molecule"}), y
        ),
    ]
    assert models[0].n_splits_ > 0
    expected = models[0].predict_proba(as_list(frame))
    for model in models[:-1]:
        np.testing.assert_array_equal(model.predict_proba(frame), expected)
        np.testing.assert_array_equal(model.predict_proba(rows, groups=frame["bag"]), expected)
    np.testing.assert_array_equal(models[-1].predict_proba(as_list(frame)), expected)
    assert models[0].score(frame, y) == models[0].score(as_list(frame), by_bag) > 0.8


def test_bags_may_be_nested_lists_or_an_array_of_three_dimensions():
    block = np.random.default_rng(0).random((100, 4, 2))
    y = block[:, :, 0].max(axis=1) > 0.8
    arrays = SGTMultiInstanceClassifier(random_state=0).fit(list(block), y)
    for bags in (block, block.tolist(), tuple(map(np.asfortranarray, block))):
        other = SGTMultiInstanceClassifier(random_state=0).fit(bags, y)
        assert fingerprint(other) == fingerprint(arrays)
    assert arrays.predict(block.tolist()).tolist() == arrays.predict(block).tolist()


def test_bags_of_objects_and_of_missing_columns():
    bags = [[["red", 1.0], ["blue", None]], [[None, 2.0]], [["blue", 3.0]]] * 60
    model = SGTMultiInstanceClassifier(random_state=0).fit(bags, [1, 0, 0] * 60)
    assert model.predict(bags[:3]).tolist() == [1, 0, 0]
    assert model.predict([[["never seen", 1.0]]]).shape == (1,)


def test_fit_starts_anew_and_is_repeatable():
    bags, y = number_bags()
    model = SGTMultiInstanceClassifier(random_state=3, epochs=7)
    first = fingerprint(model.fit(bags, y))
    assert fingerprint(model.fit(bags, y)) == first
    assert fingerprint(clone(model).fit(bags, y)) == first
    assert fingerprint(clone(model).set_params(random_state=4).fit(bags, y)) != first


def test_a_single_pass_takes_the_bags_in_their_order():
    bags, y = number_bags()
    fitted = SGTMultiInstanceClassifier(epochs=1, warm_up=10**6, grace_period=20).fit(bags, y)
    streamed = SGTMultiInstanceClassifier(warm_up=10**6, grace_period=20).partial_fit(bags, y)
    streamed._model.core.end_warm_up()
    assert fitted.instance_scores(bags)[5].tolist() == streamed.instance_scores(bags)[5].tolist()


def test_partial_fit_goes_on_after_fit():
    bags, y = number_bags()
    model = SGTMultiInstanceClassifier(random_state=0).fit(bags, y)
    before = fingerprint(model)
    model.partial_fit(bags, y)
    assert fingerprint(model) != before


def test_the_number_of_passes_falls_with_the_number_of_instances(capsys):
    bags, y = number_bags()
    SGTMultiInstanceClassifier(verbose=1, epochs=2, random_state=0).fit(bags, y)
    printed = capsys.readouterr().out
    assert "[SGTMultiInstanceClassifier] pass 2 of 2: 120 bags in" in printed
    passes = [
        SGTMultiInstanceClassifier()._auto_passes(rows) for rows in (500, 6_000, 30_000, 10**6)
    ]
    assert passes == [100, 100, 20, 1]


def test_partial_fit_makes_one_pass_whatever_epochs_is():
    bags, y = number_bags()
    once, often = (SGTMultiInstanceClassifier(epochs=epochs, **QUICK) for epochs in (1, 50))
    assert fingerprint(once.partial_fit(bags, y)) == fingerprint(often.partial_fit(bags, y))
    assert once.n_splits_ > 0


def test_a_long_call_is_cut_between_bags(monkeypatch):
    bags, y = number_bags()
    whole = SGTMultiInstanceClassifier(random_state=0, epochs=3).fit(bags, y)
    monkeypatch.setattr("sgtrees.models.batch.ROWS_PER_CALL", 10)
    pieces = SGTMultiInstanceClassifier(random_state=0, epochs=3).fit(bags, y)
    assert fingerprint(whole) == fingerprint(pieces)


# ---- labels and weights -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("negative", "positive"), [(0, 1), (False, True), ("a", "b"), (-1, 1), (1.0, 2.0), (3, 7)]
)
def test_labels_of_any_type(negative, positive):
    bags, y = number_bags()
    labels = [positive if label else negative for label in y]
    model = SGTMultiInstanceClassifier(random_state=0).fit(bags, labels)
    assert model.classes_.tolist() == [negative, positive]
    assert set(model.predict(bags).tolist()) == {negative, positive}
    assert model.score(bags, labels) > 0.95


def test_the_positive_label_may_be_the_lesser_one():
    bags, y = number_bags()
    expected = SGTMultiInstanceClassifier(random_state=0).fit(bags, y)
    named = ["musk" if label else "no musk" for label in y]
    model = SGTMultiInstanceClassifier(positive_label="musk", random_state=0).fit(bags, named)
    assert model.classes_.tolist() == ["musk", "no musk"]
    np.testing.assert_array_equal(
        model.predict_proba(bags)[:, 0], expected.predict_proba(bags)[:, 1]
    )
    assert model.deciding_instances(bags).tolist() == expected.deciding_instances(bags).tolist()


def test_the_positive_label_stays_what_it_was_when_the_model_started():
    bags, y = number_bags()
    model = SGTMultiInstanceClassifier(**QUICK).partial_fit(bags, y)
    other = copy.deepcopy(model).set_params(positive_label=0)
    assert fingerprint(other.partial_fit(bags, y)) == fingerprint(model.partial_fit(bags, y))


def test_weights_of_bags_and_classes():
    bags, y = number_bags()
    weights = np.where(y == 1, 3.0, 1.0)
    by_weight = SGTMultiInstanceClassifier(random_state=0).fit(bags, y, sample_weight=weights)
    by_class = SGTMultiInstanceClassifier(random_state=0, class_weight={1: 3.0}).fit(bags, y)
    assert fingerprint(by_weight) == fingerprint(by_class)
    balanced = SGTMultiInstanceClassifier(random_state=0, class_weight="balanced", epochs=1)
    balanced.set_params(delta=1e-300).fit(bags, y)
    np.testing.assert_allclose(balanced.predict_proba(bags), 0.5, atol=1e-12)


def test_a_bag_of_weight_zero_is_passed_over():
    frame, y = frame_bags()
    bags, labels = as_list(frame), first_of_each(frame, y)
    odd = bags[0].assign(colour="purple")
    without = SGTMultiInstanceClassifier(**QUICK).partial_fit(bags, labels)
    with_it = SGTMultiInstanceClassifier(**QUICK).partial_fit(
        [*bags[:5], odd, *bags[5:]],
        [*labels[:5], "yes", *labels[5:]],
        sample_weight=[1.0] * 5 + [0.0] + [1.0] * (len(bags) - 5),
    )
    assert fingerprint(without) == fingerprint(with_it)


# ---- scikit-learn -------------------------------------------------------------------------------


def test_cross_validation_over_bags():
    bags, y = number_bags()
    model = SGTMultiInstanceClassifier(random_state=0, epochs=30)
    assert is_classifier(model)
    assert cross_val_score(model, bags, y, cv=4).mean() > 0.8
    shuffled = KFold(4, shuffle=True, random_state=0)
    assert cross_val_score(model, bags, y, cv=shuffled, scoring="roc_auc").mean() > 0.8
    assert cross_val_predict(model, bags, y, cv=4, method="predict_proba").shape == (120, 2)
    search = GridSearchCV(model, {"pooling": ["max", "log_sum_exp"]}, cv=3).fit(bags, y)
    assert search.best_score_ > 0.8


def test_parameters_are_kept_as_given():
    model = SGTMultiInstanceClassifier(pooling="max", sharpness=7, bag_column="molecule")
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(delta=0.5).get_params()["delta"] == 0.5


@POOLINGS
def test_pickles_and_copies_predict_and_go_on_alike(pooling):
    frame, y = frame_bags()
    bags, labels = as_list(frame), first_of_each(frame, y)
    for model in (
        SGTMultiInstanceClassifier(pooling=pooling, **QUICK).partial_fit(bags[:60], labels[:60]),
        SGTMultiInstanceClassifier(pooling=pooling).partial_fit(bags[:60], labels[:60]),
    ):
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert fingerprint(other) == fingerprint(model)
            np.testing.assert_array_equal(other.predict_proba(bags), model.predict_proba(bags))
            mine = copy.deepcopy(model).partial_fit(bags[60:], labels[60:])
            assert fingerprint(other.partial_fit(bags[60:], labels[60:])) == fingerprint(mine)


def test_what_is_known_of_a_fitted_model():
    frame, y = frame_bags()
    model = SGTMultiInstanceClassifier(random_state=0)
    with pytest.raises(NotFittedError):
        model.predict(frame)
    assert not hasattr(model, "classes_")
    model.fit(frame, y)
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["size", "colour", "ripe"]
    assert model.n_leaves_ > model.depth_ > 0
