"""The oracle for following leaves: offsets that every row moves, and a race between their rates.

Source: "Following leaves" in ``docs/algorithm.md``. The trees are those of ``oracle.py`` and
``vectors.py``; they are grown as if nothing followed. Here each leaf also keeps the steps by which
its offsets have come about, so that what they were without the latest rows can be worked out again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.oracle.losses import LEAST_PROBABILITY, LEAST_VARIANCE, Loss
from tests.oracle.oracle import (
    GREATEST,
    Floats,
    Node,
    NominalSplit,
    NumericSplit,
    OracleClassifier,
    OracleLearner,
    OracleRegressor,
    OracleTree,
    Outcome,
)
from tests.oracle.vectors import OracleOfTargets, OracleVectorClassifier, SoftmaxTree, every_node

RECENT = 0.001
FADES = 0.999
ROWS_OF_A_HEAT = 16

ALWAYS = -math.inf
"""The row of a step that is no row's: a change of the leaf."""


Step = tuple[float, Callable[[Floats], Floats]]
"""The number of a row (or ALWAYS), and what it made of the offsets."""


class RecentMean:
    """The first row's, and then m <- m + 0.001 (x - m)."""

    def __init__(self) -> None:
        self.mean: float | None = None

    def see(self, x: float) -> float:
        self.mean = x if self.mean is None else self.mean + RECENT * (x - self.mean)
        return self.mean


class Race:
    """Faded sums of the ways' losses; ``ahead`` is the way with the least."""

    def __init__(self, n_ways: int) -> None:
        self.sums = [0.0] * n_ways
        self.rows: list[list[float]] = []
        self.ahead = 0

    def run(self, losses: list[float]) -> None:
        """One row's loss at each way."""
        self.rows.append(losses)
        if len(self.rows) < ROWS_OF_A_HEAT:
            return
        rows, self.rows = self.rows, []
        if all(math.isfinite(loss) for row in rows for loss in row):
            for way in range(len(self.sums)):
                heat = math.fsum(row[way] for row in rows)
                self.sums[way] = FADES**ROWS_OF_A_HEAT * self.sums[way] + heat
            self.ahead = self.sums.index(min(self.sums))

    def begin_with(self, losses: list[float]) -> None:
        """As if all rows so far had had these."""
        self.sums = [loss / (1 - FADES) for loss in losses]
        self.rows = []
        self.ahead = self.sums.index(min(self.sums))


class Offsets:
    """A leaf's offsets, a row for each rate and a column for each output.

    ``steps`` are the functions that have led here from ``first``, each with its row's number.
    """

    def __init__(self, first: Floats, steps: list[Step]) -> None:
        self.first = first
        self.steps = steps

    def before(self, row: int) -> Floats:
        """Without the moves of that row and of all later ones."""
        offsets = self.first
        for number, step in self.steps:
            if number < row:
                offsets = step(offsets)
        return offsets

    def settle(self, row: int) -> None:
        """Forget how the steps before that row were made; they have been."""
        while self.steps and self.steps[0][0] < row:
            _, step = self.steps.pop(0)
            self.first = step(self.first)


class FollowingTree(OracleTree):
    """A tree that keeps offsets for its nodes, by their numbers; those of a split are 0."""

    offsets: dict[int, Offsets]

    def follow_with(self, rates: Sequence[float]) -> None:
        self.rates = np.array(rates)[:, None]
        self.offsets = {}

    def offsets_of(self, node: Node) -> Offsets:
        if node.number not in self.offsets:
            zeros = np.zeros((len(self.rates), len(node.value)))
            self.offsets[node.number] = Offsets(zeros, [])
        return self.offsets[node.number]

    def place_of(self, x: Sequence[float]) -> Node:
        """The leaf of x, or the split that has not seen its category."""
        node = self.root
        while node.split is not None:
            child = node.split.child(x)
            if child is None:
                break
            node = child
        return node

    def raw(self, x: Sequence[float], before: int) -> Floats:
        """The scores at each way: the value alone, then with the offsets before that row."""
        value = self.values(x)
        if not len(self.rates):
            return value[None, :]
        offsets = self.offsets_of(self.place_of(x)).before(before)
        return np.concatenate([value[None, :], value + offsets])

    def move(self, x: Sequence[float], row: int, moves: Floats, lowest: float) -> None:
        """Let a row move the offsets of its leaf; a category that is new has none yet."""
        leaf = self.place_of(x)
        if leaf.split is None:
            here = self.offsets_of(leaf)
            moves = np.maximum(moves, lowest - here.before(row))
            here.steps.append((row, lambda offsets: offsets + moves))

    def apply(self, leaf: Node, outcome: Outcome) -> None:
        """Of the way back to the score before, an offset keeps the share sqrt(rate)."""
        super().apply(leaf, outcome)
        here = self.offsets_of(leaf)
        if outcome.candidate.feature is None:
            here.steps.append((ALWAYS, self.way_back(outcome.steps[0])))
            return
        for label, v in zip(outcome.labels, outcome.steps, strict=True):
            below = self.child_of_branch(leaf, label)
            steps = [*here.steps, (ALWAYS, self.way_back(v))]
            self.offsets[below.number] = Offsets(here.first, steps)
        del self.offsets[leaf.number]

    def way_back(self, v: Floats) -> Callable[[Floats], Floats]:
        return lambda offsets: np.sqrt(self.rates) * (offsets - v)

    def child_of_branch(self, node: Node, label: int) -> Node:
        if isinstance(node.split, NumericSplit):
            return node.split.left if label == 0 else node.split.right
        assert isinstance(node.split, NominalSplit)
        return node.split.branches[label]

    def settle(self, row: int) -> None:
        for offsets in self.offsets.values():
            offsets.settle(row)


class FollowingSoftmaxTree(FollowingTree, SoftmaxTree):
    """Vector leaves that follow."""

    def add_class(self, log_odds: float | None) -> None:
        """The new output has no offset."""
        super().add_class(log_odds)
        for offsets in self.offsets.values():
            assert not offsets.steps
            offsets.first = np.column_stack([offsets.first, np.zeros(len(self.rates))])


class WithFollowingLeaves(OracleLearner):
    """What every learner whose leaves follow has in common."""

    n_races = 1

    def __init__(self, *args: Any, **more: Any) -> None:
        self.row = 0
        self.restart_following_of(args[0].following_rates)
        super().__init__(*args, **more)

    def restart_following_of(self, rates: Sequence[float]) -> None:
        self.rates = list(rates)
        self.mean_weight = RecentMean()
        self.recent: dict[tuple[int, int], RecentMean] = {}
        self.races = [Race(len(self.rates) + 1) for _ in range(self.n_races)]

    def restart_following(self) -> None:
        """After ``fit``, and in a merge."""
        self.restart_following_of(self.rates)
        for tree in self.trees:
            assert isinstance(tree, FollowingTree)
            tree.follow_with(self.rates)

    def new_tree(self, start: float | Floats) -> None:
        tree = FollowingTree(
            self.settings, self.nominal, self.boundaries, start, self.under_log_loss
        )
        tree.follow_with(self.rates)
        self.add_tree(tree)

    def following_trees(self) -> list[FollowingTree]:
        return [tree for tree in self.trees if isinstance(tree, FollowingTree)]

    def structure(self, k: int) -> dict[str, Any]:
        """Tree k at its values of this moment: those that are predicted."""
        tree = self.following_trees()[k]
        every_way = [race.ahead for race in self.races]
        values = {}
        for node in every_node(tree.root):
            values[node.number] = node.value
            ways = np.vstack([np.zeros(len(node.value)), tree.offsets_of(node).before(self.row)])
            chosen = every_way if len(every_way) > 1 else every_way * len(node.value)
            node.value = node.value + ways[chosen, np.arange(len(node.value))]
        found = super().structure(k)
        for node in every_node(tree.root):
            node.value = values[node.number]
        return found

    def learn_row(self, x: list[float], y: Any, w: float) -> None:
        self.follow(x, y, w)
        super().learn_row(x, y, w)

    def follow(self, x: list[float], y: Any, w: float) -> None:
        """Run the races, then move the offsets; all at the scores before this row's moves."""
        relative = w / self.mean_weight.see(w)
        known_before = self.row - self.settings.label_delay
        judged = [self.losses_of(x, y, raw) for raw in self.raw(x, known_before)]
        for race, of_ways in zip(self.races, zip(*judged, strict=True), strict=True):
            race.run([relative * loss for loss in of_ways])
        moves = np.array(
            [
                self.moves(x, y, raw, min(1.0, rate * relative), way)
                for way, (rate, raw) in enumerate(
                    zip(self.rates, self.raw(x, self.row)[1:], strict=True), start=1
                )
            ]
        )
        self.move_offsets(x, np.where(np.abs(moves) <= GREATEST, moves, 0.0))
        self.row += 1
        for tree in self.following_trees():
            tree.settle(self.row - self.settings.label_delay)

    def settle_all(self) -> None:
        """Let the moves of the latest rows, too, count in the races."""
        for tree in self.following_trees():
            tree.settle(self.row)

    def raw(self, x: Sequence[float], before: int) -> list[Floats]:
        """The raw scores of each way, with the offsets before that row."""
        (tree,) = self.following_trees()
        return list(tree.raw(x, before))

    def chosen_raw(self, x: Sequence[float]) -> list[float]:
        """The raw scores that are predicted."""
        ways = self.raw(x, self.row)
        chosen = [race.ahead for race in self.races]
        if len(chosen) == 1:
            return ways[chosen[0]].tolist()
        return [float(ways[way][k]) for k, way in enumerate(chosen)]

    def losses_of(self, x: Sequence[float], y: Any, raw: Floats) -> list[float]:
        """Of each race, at the raw scores of one way."""
        raise NotImplementedError

    def moves(self, x: Sequence[float], y: Any, raw: Floats, rho: float, way: int) -> list[float]:
        """Of each output, at the raw scores of one way."""
        raise NotImplementedError

    def move_offsets(self, x: Sequence[float], moves: Floats) -> None:
        (tree,) = self.following_trees()
        tree.move(x, self.row, moves, -math.inf)


# --------------------------------------------------------------------------------------------------
# Targets, each under a loss of one output
# --------------------------------------------------------------------------------------------------


class WithLosses(WithFollowingLeaves):
    """Targets, each with a race of its own."""

    def losses_by_output(self) -> Sequence[Loss]:
        raise NotImplementedError

    def losses_of(self, x: Sequence[float], y: Any, raw: Floats) -> list[float]:
        return [loss.value(target, score) for loss, target, score in self.by_output(y, raw)]

    def by_output(self, y: Any, raw: Floats) -> list[tuple[Loss, float, float]]:
        targets = np.atleast_1d(y).tolist()
        return list(zip(self.losses_by_output(), targets, raw.tolist(), strict=True))

    def moves(self, x: Sequence[float], y: Any, raw: Floats, rho: float, way: int) -> list[float]:
        found = []
        for k, (loss, target, score) in enumerate(self.by_output(y, raw)):
            _, h = loss.derivatives(target, score)
            recent = self.recent.setdefault((way, k), RecentMean()).see(loss.averaged(h))
            found.append(loss.move(target, score, rho, recent))
        return found

    def move_offsets(self, x: Sequence[float], moves: Floats) -> None:
        (tree,) = self.following_trees()
        tree.move(x, self.row, moves, self.losses_by_output()[0].lowest_offset)


class FollowingRegressor(WithLosses, OracleRegressor):
    """One tree under a loss of one output."""

    def losses_by_output(self) -> Sequence[Loss]:
        return [self.loss]

    def predict(self, x_row: Floats) -> float:
        if self.warming_up:
            return super().predict(x_row)
        (raw,) = self.chosen_raw([float(value) for value in x_row])
        return raw


class FollowingOfTargets(WithLosses, OracleOfTargets):
    """One tree with an output for each target."""

    def __init__(self, *args: Any) -> None:
        self.n_races = len(args[3])
        super().__init__(*args)

    def losses_by_output(self) -> Sequence[Loss]:
        return self.losses

    def predict(self, x_row: Floats) -> Floats:
        if self.warming_up:
            return super().predict(x_row)
        return np.array(self.chosen_raw([float(value) for value in x_row]))


# --------------------------------------------------------------------------------------------------
# Classes
# --------------------------------------------------------------------------------------------------


def probabilities(scores: Sequence[float]) -> list[tuple[float, float]]:
    """p of each class and 1 - p, the sum of the others."""
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    total = math.fsum(powers)
    return [
        (power / total, math.fsum(powers[:k] + powers[k + 1 :]) / total)
        for k, power in enumerate(powers)
    ]


class FollowingClassifier(WithFollowingLeaves, OracleClassifier):
    """K - 1 trees; the reference class has none, and no offset."""

    def learn_row(self, x: list[float], y: Any, w: float) -> None:
        if y == self.n_classes:
            self.settle_all()
            self.begin_class(w)
        super().learn_row(x, y, w)

    def raw(self, x: Sequence[float], before: int) -> list[Floats]:
        """Scores of all classes, the reference's 0 among them."""
        of_reference = np.zeros((len(self.rates) + 1, 1))
        of_trees = [tree.raw(x, before) for tree in self.following_trees()]
        return list(np.hstack([of_reference, *of_trees]))

    def softmax(self, x: Sequence[float]) -> list[float]:
        if self.n_classes == 0:
            return []
        return [p for p, _ in probabilities(self.chosen_raw(x))]

    def losses_of(self, x: Sequence[float], y: Any, raw: Floats) -> list[float]:
        p, _ = probabilities(raw.tolist())[int(y)]
        return [-math.log(max(p, LEAST_PROBABILITY))]

    def moves(self, x: Sequence[float], y: Any, raw: Floats, rho: float, way: int) -> list[float]:
        return [
            -rho * (-others if k == y else p) / max(p * others, LEAST_VARIANCE)
            for k, (p, others) in enumerate(probabilities(raw.tolist()))
        ]

    def move_offsets(self, x: Sequence[float], moves: Floats) -> None:
        for k, tree in enumerate(self.following_trees(), start=1):
            tree.move(x, self.row, moves[:, k : k + 1], -math.inf)


class FollowingVectorClassifier(FollowingClassifier, OracleVectorClassifier):
    """One tree with a score for each class in every leaf."""

    def new_softmax_tree(self, start: Floats) -> None:
        tree = FollowingSoftmaxTree(self.settings, self.nominal, self.boundaries, start)
        tree.follow_with(self.rates)
        self.add_tree(tree)

    def raw(self, x: Sequence[float], before: int) -> list[Floats]:
        if not self.trees:
            return [np.zeros(1)] * (len(self.rates) + 1)
        return WithFollowingLeaves.raw(self, x, before)

    def moves(self, x: Sequence[float], y: Any, raw: Floats, rho: float, way: int) -> list[float]:
        """The outputs are one too many: together they would move farther than one alone."""
        K = len(raw)
        return super().moves(x, y, raw, rho * (K - 1) / K, way)

    def move_offsets(self, x: Sequence[float], moves: Floats) -> None:
        if self.trees:
            WithFollowingLeaves.move_offsets(self, x, moves)
