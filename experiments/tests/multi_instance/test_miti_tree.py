import numpy as np
import pytest

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


def test_more_than_65536_distinct_values_are_distinguished():
    n = 70_000
    X = np.arange(n, dtype=float)[:, None]
    data = instances(X, np.arange(n), np.arange(n - 100, n))
    assert best_split(data, np.arange(n), gini) == (0, n - 100.5)
