"""The oracle for bags of instances ("Multi-Instance Learning" in the paper), and random bags.

A bag's score is pooled from its instances' scores. Everything about a bag (routes, scores, g and h)
is fixed before the first of its instances is learned; then all of them are added to their leaves,
and the leaves that became due meanwhile consider a change, in the order in which they became due.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.oracle.configurations import (
    Column,
    Floats,
    Generator,
    by_first_appearance,
    one_of,
    random_columns,
    random_probes,
    random_ranges,
    random_settings,
)
from tests.oracle.oracle import Node, OracleLearner, OracleTree, Settings

N_BAG_CONFIGURATIONS = 60


def logistic(score: float) -> float:
    if score >= 0:
        return 1 / (1 + math.exp(-score))
    return math.exp(score) / (1 + math.exp(score))


def highest(scores: Sequence[float]) -> tuple[float, list[float]]:
    """The greatest score, and its derivatives: 1 for the first instance that has it."""
    score = max(scores)
    decides = scores.index(score)
    return score, [1.0 if i == decides else 0.0 for i in range(len(scores))]


def soft_maximum(scores: Sequence[float], r: float) -> tuple[float, list[float]]:
    """log(mean of exp(r f)) / r, and its derivatives, the softmax of r f."""
    top = max(scores)
    powers = [math.exp(r * (score - top)) for score in scores]
    total = math.fsum(powers)
    return top + math.log(total / len(scores)) / r, [power / total for power in powers]


class OracleBags(OracleLearner):
    """One tree under the log loss of bags; ``sharpness`` 0 stands for the highest score."""

    def __init__(
        self,
        settings: Settings,
        nominal: Sequence[bool],
        ranges: Sequence[tuple[float, float] | None] | None = None,
        sharpness: float = 0.0,
    ) -> None:
        self.sharpness = sharpness
        self.waiting: list[tuple[list[list[float]], float, float]] = []
        super().__init__(settings, nominal, ranges)

    def pool(self, scores: Sequence[float]) -> tuple[float, list[float]]:
        return soft_maximum(scores, self.sharpness) if self.sharpness else highest(scores)

    # ---- warm-up: it ends with a whole bag -------------------------------------------------------

    def learn_bag(self, rows: Floats, label: float, w: float = 1.0) -> None:
        """One bag; bags of weight 0 are ignored."""
        if w == 0:
            return
        bag = [[float(value) for value in row] for row in rows]
        if not self.warming_up:
            self.learn_now(bag, label, w)
            return
        self.waiting.append((bag, label, w))
        self.buffer += [(x, label, w) for x in bag]
        if len(self.buffer) >= self.settings.warm_up:
            self.end_warm_up()

    def end_warm_up(self) -> None:
        if not self.warming_up:
            return
        self.boundaries = [self.boundaries_of(i) for i in range(len(self.nominal))]
        self.warming_up = False
        self.start()
        for bag, label, w in self.waiting:
            self.learn_now(bag, label, w)
        self.waiting, self.buffer = [], []

    def log_odds(self) -> float:
        """Of the waiting bags; a class that is absent counts as half a bag."""
        if not self.waiting:
            return 0.0
        positive = math.fsum(w for _, label, w in self.waiting if label == 1)
        negative = math.fsum(w for _, label, w in self.waiting if label == 0)
        half = (positive + negative) / len(self.waiting) / 2
        return math.log((positive or half) / (negative or half))

    def start(self) -> None:
        self.new_tree(self.log_odds() if self.settings.start_from_data else 0.0)

    # ---- one bag ---------------------------------------------------------------------------------

    def learn_now(self, bag: list[list[float]], label: float, w: float) -> None:
        (tree,) = self.trees
        self.learn_in_tree(tree, bag, [tree.value(x) for x in bag], label, w)

    def learn_in_tree(
        self,
        tree: OracleTree,
        bag: list[list[float]],
        scores: list[float],
        label: float,
        w: float,
    ) -> None:
        score, shares = self.pool(scores)
        p, q = logistic(score), logistic(-score)
        g, h = (-q if label == 1 else p), p * q
        due: list[Node] = []
        for x, share in zip(bag, shares, strict=True):
            leaf = tree.leaf_to_learn(x)
            if leaf is None:
                continue
            leaf.cells.append(self.cells(x))
            leaf.g.append(g * share)
            leaf.h.append(h * share)
            leaf.w.append(w)
            passed = tree.next_look(len(leaf.g) - 1) == len(leaf.g)
            if passed and not any(leaf is other for other in due):
                due.append(leaf)
        for leaf in due:
            tree.consider_change(leaf)

    def instance_score(self, x_row: Floats) -> float:
        if self.warming_up:
            return self.log_odds()
        return self.trees[0].value([float(value) for value in x_row])

    def bag_score(self, rows: Floats) -> float:
        return self.pool([self.instance_score(row) for row in rows])[0]


# --------------------------------------------------------------------------------------------------
# Random bags
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BagConfiguration:
    """Settings and a stream of bags; bag i is ``sizes[i]`` rows of X."""

    name: str
    settings: Settings
    nominal: list[bool]
    ranges: list[tuple[float, float] | None] | None
    sharpness: float
    X: Floats
    sizes: list[int]
    y: Floats
    w: Floats | None
    probes: Floats

    @property
    def bags(self) -> list[tuple[Floats, float, float]]:
        ends = np.cumsum(self.sizes)
        weights = np.ones(len(self.y)) if self.w is None else self.w
        return [
            (self.X[end - size : end], float(label), float(w))
            for end, size, label, w in zip(ends, self.sizes, self.y, weights, strict=True)
        ]


def random_sizes(random: Generator, n: int) -> list[int]:
    """Small bags, large ones (beyond several grace periods), single instances; n in all."""
    largest = int(one_of(random, 1, 5, 20, 20, 200))
    sizes: list[int] = []
    while (left := n - sum(sizes)) > 0:
        sizes.append(min(left, int(random.integers(1, largest + 1))))
    return sizes


def random_labels(random: Generator, columns: list[Column], sizes: list[int]) -> Floats:
    """A bag is positive where its most striking instance is one; some labels are wrong."""
    striking = sum((column.effect for column in columns), np.zeros(sum(sizes)))
    starts = np.cumsum([0, *sizes[:-1]])
    of_bag = np.maximum.reduceat(striking, starts)
    y = of_bag > np.quantile(of_bag, one_of(random, 0.1, 0.5, 0.9))
    wrong = random.random(len(y)) < one_of(random, 0.05, 0.3)
    return np.asarray(y ^ wrong, dtype=np.float64)


def random_bag_weights(random: Generator, n_bags: int) -> Floats | None:
    if random.random() < 0.5:
        return None
    w = random.exponential(1.0, n_bags) + 0.01
    w[random.random(n_bags) < 0.2] = 0.0
    return np.asarray(w, dtype=np.float64)


def bag_configuration(number: int) -> BagConfiguration:
    """Configuration ``number``; the same one in every call."""
    random = np.random.default_rng([20191118, number])
    n = int(random.integers(600, 2500))
    columns = random_columns(random, n)
    quantile_bins = bool(random.random() < 0.35)
    settings = random_settings(random, "binary", quantile_bins)
    ranges = random_ranges(random, columns, quantile_bins)
    sizes = random_sizes(random, n)
    y = random_labels(random, columns, sizes)
    for column in columns:
        if column.is_nominal:
            column.values = by_first_appearance(column.values, np.ones(n, np.bool_))
    X = np.ascontiguousarray(np.column_stack([column.values for column in columns]))
    return BagConfiguration(
        name=f"bags {number}",
        settings=settings,
        nominal=[column.is_nominal for column in columns],
        ranges=ranges,
        sharpness=0.0 if number % 2 == 0 else one_of(random, 0.3, 1.0, 4.0),
        X=X,
        sizes=sizes,
        y=y,
        w=random_bag_weights(random, len(sizes)),
        probes=random_probes(random, columns, X),
    )
