import numpy as np
import pandas as pd
import pytest

from sgtrees_experiments.multi_instance import MITIClassifier
from sgtrees_experiments.multi_instance.miti_tree import (
    Instances,
    best_split,
    gini,
    grow,
    highest_share,
    squared_shares,
)


def instances(X, bag, positive_bags, weight=None):
    X, bag = np.asarray(X, dtype=float), np.asarray(bag)
    positive = np.isin(bag, positive_bags)
    return Instances.of(X, bag, positive, np.ones(len(X)) if weight is None else np.array(weight))


def random_instances(seed, n_bags=12, n_features=3):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_bags)
    bag = np.repeat(np.arange(n_bags), sizes)
    X = rng.integers(0, 6, (len(bag), n_features)).astype(float)
    positive = rng.choice(n_bags, n_bags // 2, replace=False)
    return instances(X, bag, positive, (1.0 / sizes)[bag])


def best_merit_by_trying(data, rows, merit_of):
    """Try each boundary of each feature, one after the other."""
    best = -np.inf
    for feature in range(data.X.shape[1]):
        values = np.unique(data.X[rows, feature])
        for below in values[:-1]:
            left = data.X[rows, feature] <= below
            sides = []
            for side in (rows[left], rows[~left]):
                weight = data.weight[side]
                sides.append((weight[data.positive[side]].sum(), weight.sum()))
            best = max(best, merit_of(sides))
    return best


CRITERIA = {
    "gini": (gini, lambda sides: -sum(2 * w * (p / w) * (1 - p / w) for p, w in sides) / 2),
    "highest": (highest_share(5.0), lambda sides: max(p / (w + 5.0) for p, w in sides)),
    "squares": (squared_shares(5.0), lambda sides: sum((p / (w + 5.0)) ** 2 for p, w in sides)),
}


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("seed", range(20))
def test_the_best_split_is_the_one_found_by_trying_all(name, seed):
    data = random_instances(seed)
    rows = np.arange(len(data.bag))[::2]
    criterion, merit_of = CRITERIA[name]
    merit = best_merit_by_trying(data, rows, merit_of)
    found = best_split(data, rows, criterion)
    sides = [data.X[rows, found[0]] <= found[1], data.X[rows, found[0]] > found[1]]
    shares = [
        (data.weight[rows[s]][data.positive[rows[s]]].sum(), data.weight[rows[s]].sum())
        for s in sides
    ]
    # Where two splits are equally good, rounding may prefer either.
    assert merit_of(shares) == pytest.approx(merit, abs=1e-12)


def test_rows_that_are_alike_cannot_be_split():
    data = instances([[1.0], [1.0]], [0, 1], [1])
    assert best_split(data, np.arange(2), gini) is None


def test_a_leaf_that_cannot_be_split_holds_the_positive_share_of_the_weight():
    data = instances([[1.0], [1.0]], [0, 1], [1], [1.0, 3.0])
    tree = grow(data, gini, doubt=5.0)
    assert tree.feature == [-1]
    assert tree.value == [0.75]


def test_a_bag_that_one_leaf_explains_is_taken_out_of_the_rest_of_the_tree():
    # Each positive bag has an instance at 10; its other one lies among the negative bags' ones.
    X = [[10.0], [1.0], [10.0], [2.0], [1.0], [2.0]]
    bag = [0, 0, 1, 1, 2, 3]
    tree = grow(instances(X, bag, [0, 1]), gini, doubt=5.0)
    # With the explained bags gone only negatives are left below, and there is nothing to split.
    assert tree.feature == [0, -1, -1]
    assert tree.value == [0.0, 0.0, 1.0]
    assert tree.boundary[0] == 6.0


def test_the_surest_node_comes_first_and_settles_what_the_others_have_to_explain():
    # At 10 lie three positive bags, at 0 one instance of the third of them beside a negative one.
    X = [[10.0], [10.0], [10.0], [0.0], [0.0], [0.0], [0.0]]
    bag = [0, 1, 2, 2, 3, 4, 5]
    tree = grow(instances(X, bag, [0, 1, 2]), gini, doubt=5.0)
    assert tree.value[tree.right[0]] == 1.0
    # The rest of bag 2 is gone: without that the leaf at 0 would have a share of 1/4.
    assert tree.value[tree.left[0]] == 0.0


def grow_slowly(data, criterion, doubt):
    """The same tree, from a list of nodes whose promises are all computed anew at each step."""
    explained, nodes, tree = set(), [(0, np.arange(len(data.bag)))], {}
    number = 1

    def left_of(rows):
        return np.array([r for r in rows if data.bag[r] not in explained], dtype=int)

    while nodes:
        nodes = [(node, left_of(rows)) for node, rows in nodes]
        empty = [node for node, rows in nodes if not len(rows)]
        tree.update(dict.fromkeys(empty, 0.0))
        nodes = [(node, rows) for node, rows in nodes if len(rows)]
        if not nodes:
            break
        place = max(range(len(nodes)), key=lambda i: data.share(nodes[i][1], doubt))
        node, rows = nodes.pop(place)
        positive = data.positive[rows]
        if positive.all():
            explained.update(data.bag[rows].tolist())
        found = None
        if positive.any() and not positive.all():
            found = best_split(data, rows, criterion)
        if found is None:
            tree[node] = data.share(rows)
            continue
        left = data.X[rows, found[0]] <= found[1]
        tree[node] = (*found, number, number + 1)
        nodes += [(number, rows[left]), (number + 1, rows[~left])]
        number += 2
    return tree


@pytest.mark.parametrize("seed", range(30))
def test_the_queue_gives_the_tree_that_looking_at_all_nodes_each_time_gives(seed):
    data = random_instances(seed, n_bags=20)
    slow, tree = grow_slowly(data, gini, 5.0), grow(data, gini, 5.0)
    assert len(slow) == len(tree.feature)
    for node, expected in slow.items():
        if isinstance(expected, tuple):
            assert (tree.feature[node], tree.boundary[node]) == expected[:2]
            assert (tree.left[node], tree.right[node]) == expected[2:]
        else:
            assert tree.feature[node] == -1
            assert tree.value[node] == pytest.approx(expected)


def test_more_than_65536_distinct_values_are_told_apart():
    n = 70_000
    X = np.arange(n, dtype=float)[:, None]
    data = instances(X, np.arange(n), np.arange(n - 100, n))
    assert best_split(data, np.arange(n), gini) == (0, n - 100.5)


def separable(seed=0, n_bags=60):
    rng = np.random.default_rng(seed)
    bags = [rng.random((rng.integers(2, 8), 2)) for _ in range(n_bags)]
    return bags, np.array([bool(bag[:, 0].max() > 0.8) for bag in bags])


def test_the_tree_explains_what_it_has_learned():
    bags, y = separable()
    model = MITIClassifier().fit(bags, y)
    assert model.score(bags, y) == 1.0
    assert model.n_leaves_ == (model.n_nodes_ + 1) // 2
    proba = model.predict_proba(bags)
    assert (proba.sum(axis=1) == 1.0).all()
    assert (proba[:, 1] > 0.5).tolist() == y.tolist()


def test_lists_groups_and_frames_give_the_same_model():
    bags, y = separable()
    rows, groups = np.concatenate(bags), np.repeat(np.arange(len(bags)), [len(b) for b in bags])
    frame = pd.DataFrame(rows, columns=["a", "b"]).assign(bag=groups)
    fresh, _ = separable(1)
    fresh_rows = np.concatenate(fresh)
    fresh_groups = np.repeat(np.arange(len(fresh)), [len(b) for b in fresh])
    by_list = MITIClassifier().fit(bags, y).predict_proba(fresh)
    by_group = MITIClassifier().fit(rows, y, groups).predict_proba(fresh_rows, fresh_groups)
    by_frame = MITIClassifier().fit(frame, y)
    fresh_frame = pd.DataFrame(fresh_rows, columns=["a", "b"]).assign(bag=fresh_groups)
    assert (by_list == by_group).all()
    assert (by_list == by_frame.predict_proba(fresh_frame)).all()


def test_rows_of_bags_may_be_mixed():
    bags, y = separable()
    rows, groups = np.concatenate(bags), np.repeat(np.arange(len(bags)), [len(b) for b in bags])
    order = np.random.default_rng(3).permutation(len(rows))
    # Bags count in order of first appearance.
    appearance = list(dict.fromkeys(groups[order].tolist()))
    model = MITIClassifier().fit(rows[order], y[appearance], groups[order])
    assert model.score(bags, y) == 1.0


def test_nominal_features_are_split_by_single_categories():
    frame = pd.DataFrame(
        {
            "bag": [0, 0, 1, 2, 2, 3],
            "colour": pd.Categorical(["red", "blue", "green", "blue", "red", "green"]),
        }
    )
    model = MITIClassifier().fit(frame, ["no", "yes", "no", "yes"])
    assert model.predict(frame).tolist() == ["no", "yes", "no", "yes"]
    strange = pd.DataFrame({"bag": [9], "colour": pd.Categorical(["violet"])})
    assert model.predict(strange).tolist() == ["no"]


def test_missing_numbers_count_as_the_mean():
    bags = [[[0.0], [None]], [[10.0]], [[0.0]], [[10.0], [np.nan]]]
    model = MITIClassifier().fit(bags, [0, 1, 0, 1])
    assert model.predict([[[np.nan]], [[9.0]]]).tolist() == [0, 1]


def test_the_positive_label_is_the_greater_one_unless_said():
    bags, y = separable()
    words = np.where(y, "musk", "other")
    assert MITIClassifier(positive_label="musk").fit(bags, words).score(bags, words) == 1.0
    # The other way round bags would have to be negative where all instances are: not so here.
    assert MITIClassifier().fit(bags, words)._positive_place == 1


WRONG = {
    "criterion": ({"criterion": "entropy"}, ValueError, "criterion='entropy' is not known"),
    "weight": ({"weight": "none"}, ValueError, "weight='none' is not known"),
    "doubt": ({"doubt": -1.0}, ValueError, "doubt == -1.0, must be >= 0"),
    "doubt's type": ({"doubt": "5"}, TypeError, "doubt must be an instance of"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_parameters(case):
    parameters, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        MITIClassifier(**parameters).fit(*separable())


def test_wrong_bags_are_refused_and_leave_the_model_as_it_was():
    bags, y = separable()
    model = MITIClassifier().fit(bags, y)
    before = model.predict_proba(bags)
    with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 2"):
        model.predict([[[1.0]]])
    with pytest.raises(ValueError, match="y has 1 labels"):
        model.fit(bags, [0])
    with pytest.raises(ValueError, match="requires y to be passed"):
        model.fit(bags, None)
    with pytest.raises(ValueError, match="all bags so far have the label 'a'"):
        model.fit(bags, ["a"] * len(bags))
    assert (model.predict_proba(bags) == before).all()
