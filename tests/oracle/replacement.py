"""The oracle's trees that are replaced: detector, background and proof in the plainest form.

ADWIN keeps its inputs themselves, and works out every cut from them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.oracle.oracle import (
    Floats,
    Node,
    NominalSplit,
    NumericSplit,
    OracleClassifier,
    OracleRegressor,
    OracleTree,
    Settings,
)

ROWS_OF_BUCKET, ROWS_OF_TEST = 32, 64
BUCKETS_OF_SIZE = 5
DELTA = 0.01
FADING = 0.998
FIRST_LOOK, ROWS_OF_LOOK, ROWS_OF_YOUTH, ROWS_OF_TRIAL = 100, 32, 1000, 5000
PROVING_T, LEADING_T = 3.0, 1.0
LEAST_PROBABILITY = 1e-4
RECENT, ROWS_OF_UNIT, GREATEST_ERROR = 0.001, 100, 6.0


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


class Adwin:
    """Buckets of inputs, oldest first: at most five of a size, the sizes powers of two."""

    def __init__(self) -> None:
        self.buckets: list[list[float]] = []
        self.newest: list[float] = []
        self.since_test = 0
        self.before = self.after = math.nan

    def add(self, x: float) -> bool:
        """Whether the window was cut, and the mean has risen."""
        self.newest.append(x)
        if len(self.newest) < ROWS_OF_BUCKET:
            return False
        self.buckets.append(self.newest)
        self.newest = []
        self.compress()
        self.since_test += ROWS_OF_BUCKET
        if self.since_test < ROWS_OF_TEST:
            return False
        self.since_test = 0
        dropped: list[float] = []
        while self.must_be_cut():
            dropped += self.buckets.pop(0)
        if not dropped:
            return False
        self.before, self.after = mean(dropped), mean(self.window)
        return self.after > self.before

    @property
    def window(self) -> list[float]:
        return [x for bucket in self.buckets for x in bucket]

    def compress(self) -> None:
        size = ROWS_OF_BUCKET
        while True:
            places = [i for i, bucket in enumerate(self.buckets) if len(bucket) == size]
            if len(places) <= BUCKETS_OF_SIZE:
                return
            first, second = places[:2]
            self.buckets[first] += self.buckets.pop(second)
            size *= 2

    def must_be_cut(self) -> bool:
        window = self.window
        n = len(window)
        centre = mean(window)
        variance = math.fsum((x - centre) ** 2 for x in window) / n
        log_term = math.log(2 / (DELTA / math.log(n)))
        sums = [math.fsum(bucket) for bucket in self.buckets]
        older = 0
        for i in range(1, len(self.buckets)):
            older += len(self.buckets[i - 1])
            m = 1 / (1 / older + 1 / (n - older))
            bound = math.sqrt(2 / m * variance * log_term) + 2 / (3 * m) * log_term
            if abs(math.fsum(sums[:i]) / older - math.fsum(sums[i:]) / (n - older)) >= bound:
                return True
        return False


@dataclass
class Proof:
    """The differences of the losses and of the errors, oldest first."""

    differences: list[float]
    errors: list[float]

    def lead(self) -> float:
        weights = [FADING**age for age in reversed(range(len(self.differences)))]
        return math.fsum(w * d for w, d in zip(weights, self.differences, strict=True)) / math.fsum(
            weights
        )

    def has_no_more_errors(self) -> bool:
        weights = [FADING**age for age in reversed(range(len(self.errors)))]
        return math.fsum(w * e for w, e in zip(weights, self.errors, strict=True)) >= -1e-12

    def t(self) -> float:
        lead = self.lead()
        weights = [FADING**age for age in reversed(range(len(self.differences)))]
        total = math.fsum(weights)
        squares = math.fsum(
            w * (d - lead) ** 2 for w, d in zip(weights, self.differences, strict=True)
        )
        error = math.sqrt(squares / total * math.fsum(w * w for w in weights)) / total
        if error == 0.0:
            return 0.0 if lead == 0.0 else math.copysign(math.inf, lead)
        return lead / error


class Unit:
    """What the errors of a target are measured by: the mean of recent ones, now and then."""

    def __init__(self) -> None:
        self.n_errors = 0
        self.mean = self.unit = 0.0

    def take(self, error: float) -> bool:
        """Whether the unit is another one now."""
        self.n_errors += 1
        if not math.isfinite(error):
            return False
        self.mean += max(1 / self.n_errors, RECENT) * (error - self.mean)
        is_first = self.unit == 0.0 and self.n_errors >= ROWS_OF_UNIT and self.mean > 0.0
        if not is_first and not (self.unit > 0.0 and self.mean <= self.unit / 2):
            return False
        self.unit = self.mean
        return True

    def of(self, error: float) -> float:
        """The error as the detector takes it."""
        if not math.isfinite(error):
            return 1.0
        return 0.0 if self.unit == 0.0 else min(1.0, error / (GREATEST_ERROR * self.unit))


class Judge:
    """Decides when others are started, when they take over, and when they are given up."""

    def __init__(self) -> None:
        self.detector = Adwin()
        self.proof: Proof | None = None
        self.events: list[tuple[str, int]] = []

    def see(self, error: float, difference: float, errors: float, row: int) -> str | None:
        """What must be done after a row; its differences count if there is a background."""
        has_risen = self.detector.add(error)
        if self.proof is None:
            if not has_risen:
                return None
            self.proof = Proof([], [])
            return self.note("alarm", row)
        self.proof.differences.append(difference)
        self.proof.errors.append(errors)
        n = len(self.proof.differences)
        if n < FIRST_LOOK or n % ROWS_OF_LOOK != 0:
            return None
        if self.proof.t() > PROVING_T and self.proof.has_no_more_errors():
            self.detector, self.proof = Adwin(), None
            return self.note("replaced", row)
        is_worse = n >= ROWS_OF_YOUTH and self.proof.t() < -PROVING_T
        if is_worse or (n >= ROWS_OF_TRIAL and self.proof.t() <= LEADING_T):
            self.proof = None
            return self.note("no lead", row)
        return None

    def note(self, kind: str, row: int) -> str:
        self.events.append((kind, row))
        return kind


def frozen(node: Node) -> Node:
    """A copy of what predicts, which does not change any more."""
    split = node.split
    if isinstance(split, NumericSplit):
        split = replace(split, left=frozen(split.left), right=frozen(split.right))
    elif isinstance(split, NominalSplit):
        split = replace(split, branches={k: frozen(child) for k, child in split.branches.items()})
    return Node(node.value.copy(), node.depth, node.nominal_above, split=split)


class PastTree:
    """A tree as it was."""

    def __init__(self, root: Node) -> None:
        self.root = root

    def value(self, x: Sequence[float]) -> float:
        (value,) = self.values(x).tolist()
        return float(value)

    def values(self, x: Sequence[float]) -> Floats:
        return OracleTree.values(self, x)  # type: ignore[arg-type]


class History:
    """What the trees were before each of their rows."""

    def __init__(self, delay: int) -> None:
        self.delay = delay
        self.of_tree: dict[int, list[PastTree]] = {}

    def take(self, trees: Sequence[OracleTree]) -> None:
        if self.delay > 0:
            for tree in trees:
                self.of_tree.setdefault(id(tree), []).append(PastTree(frozen(tree.root)))

    def trees_before_delay(self, trees: list[OracleTree]) -> list[OracleTree]:
        """As they were when the labels of the latest rows had not come."""
        if self.delay == 0:
            return trees
        return [self.of_tree[id(tree)][-1 - self.delay :][0] for tree in trees]  # type: ignore[misc]


class Replaced:
    """What a learner whose trees are replaced adds: the trees in the background."""

    trees: list[OracleTree]
    n_learned: int

    def __init__(self, settings: Settings, *arguments: object, **named: object) -> None:
        self.judge = Judge()
        self.history = History(settings.label_delay)
        self.background: list[OracleTree] | None = None
        super().__init__(settings, *arguments, **named)  # type: ignore[call-arg]

    def note_error(self, x: list[float], y: float) -> None:
        """What errors are measured by takes that of a prediction of the trees in place."""

    def losses_of(self, x: list[float], y: float) -> float:
        raise NotImplementedError

    def error_of(self, x: list[float], y: float) -> float:
        raise NotImplementedError

    def learn_in_trees(self, x: list[float], y: float, w: float) -> None:
        raise NotImplementedError

    def learn_and_watch(self, x: list[float], y: float, w: float) -> None:
        self.note_error(x, y)
        error = self.error_of(x, y)
        self.history.take(self.trees)
        judged_error, judged_loss = self.judged(x, y)
        self.learn_in_trees(x, y, w)
        difference = errors = 0.0
        if self.background is not None:
            in_place, self.trees = self.trees, self.background
            self.history.take(self.trees)
            error_of_background, loss_of_background = self.judged(x, y)
            difference = w * (judged_loss - loss_of_background)
            errors = w * (judged_error - error_of_background)
            self.learn_in_trees(x, y, w)
            self.background, self.trees = self.trees, in_place
        verdict = self.judge.see(error, difference, errors, self.n_learned)
        if verdict == "alarm":
            self.background = [
                OracleTree(t.settings, t.nominal, t.boundaries, t.root.value, t.log_loss)
                for t in self.trees
            ]
        elif verdict == "replaced":
            self.replace()
        elif verdict == "no lead":
            self.background = None

    def judged(self, x: list[float], y: float) -> tuple[float, float]:
        """Error and loss of what could have been predicted when labels are late."""
        now = self.trees
        self.trees = self.history.trees_before_delay(now)
        try:
            return self.error_of(x, y), self.losses_of(x, y)
        finally:
            self.trees = now

    def replace(self) -> None:
        assert self.background is not None
        self.trees, self.background = self.background, None


class ReplacedClassifier(Replaced, OracleClassifier):
    """A committee of which all trees are replaced together."""

    def learn_in_trees(self, x: list[float], y: float, w: float) -> None:
        OracleClassifier.learn_in_trees(self, x, y, w)

    def error_of(self, x: list[float], y: float) -> float:
        scores = self.scores(x)
        k = int(y)
        return float(any(s >= scores[k] for j, s in enumerate(scores) if j != k))

    def losses_of(self, x: list[float], y: float) -> float:
        return -math.log(max(self.softmax(x)[int(y)], LEAST_PROBABILITY))

    def learn_row(self, x: list[float], y: float, w: float) -> None:
        self.admit_class(y, w)
        self.learn_and_watch(x, y, w)

    def new_tree(self, start: object) -> None:
        super().new_tree(start)
        if self.background is not None:
            tree = self.trees[-1]
            self.background.append(
                OracleTree(
                    tree.settings, tree.nominal, tree.boundaries, tree.root.value, tree.log_loss
                )
            )


class ReplacedRegressor(Replaced, OracleRegressor):
    """One tree of numbers; an error counts in units of the recent ones."""

    def __init__(self, settings: Settings, *arguments: object, **named: object) -> None:
        self.unit = Unit()
        super().__init__(settings, *arguments, **named)

    def note_error(self, x: list[float], y: float) -> None:
        if self.unit.take(abs(y - self.trees[0].value(x))):
            self.judge.detector = Adwin()

    def replace(self) -> None:
        super().replace()
        self.unit = Unit()

    def error_of(self, x: list[float], y: float) -> float:
        return self.unit.of(abs(y - self.trees[0].value(x)))

    def losses_of(self, x: list[float], y: float) -> float:
        return (y - self.trees[0].value(x)) ** 2 / 2

    def learn_in_trees(self, x: list[float], y: float, w: float) -> None:
        OracleRegressor.learn_row(self, x, y, w)

    def learn_row(self, x: list[float], y: float, w: float) -> None:
        self.learn_and_watch(x, y, w)
