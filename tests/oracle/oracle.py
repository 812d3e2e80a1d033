"""The oracle: stochastic gradient trees in the plainest form, written from the paper alone.

Sources: Gouk, Pfahringer, Frank, *Stochastic Gradient Trees* (ACML 2019) and ``docs/algorithm.md``,
which wins where the two differ. Nothing here is shared with the package.

A leaf keeps the rows that it has seen since its last change, and everything that a considered
change needs is worked out afresh from these rows: sums with ``math.fsum``, variances in two passes.
One liberty is taken for speed. A first pass in NumPy finds which candidates come near the best
penalised mean (within 1e-9 relative); only those are worked out with full care and compared.
A candidate farther away can neither win nor tie (ties are within 1e-12).

Names follow the paper: g and h are a row's gradient and hessian, G and H their sums, v a branch's
step, ``u`` (here :class:`Candidate`) a possible change, L a row's change in loss. A tree has one
output or several (K): the value of a node, g, h and v are vectors of K numbers, one by one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tests.oracle.losses import LogLoss, Loss, Quantile, SquaredError, expected_quantile
from tests.oracle.ranges import (
    ROWS_BETWEEN_LOOKS,
    Bins,
    ValueSample,
    better_bins,
    is_sampled,
    less_crowded,
    new_places,
    quantile_boundaries,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

MISSING = -1
"""The cell of a missing value; other cells are bin numbers or category numbers."""

TIE = 1e-12
GREATEST = 1e100
NEAR = 1e-9
NOISE_OF_STAGES = 3
"""Times gamma, the noise of a leaf: what a branch costs where members learn in stages."""


@dataclass(frozen=True)
class Settings:
    """The algorithm's settings, under the names that the core gives them."""

    n_bins: int = 64
    quantile_bins: bool = False
    warm_up: int = 1000
    grace_period: int = 200
    grace_growth: float = 0.0
    delta: float = 1e-7
    reg_lambda: float = 0.1
    lambda_per_row: bool = True
    gamma: float = 1.0
    max_depth: int | None = None
    max_leaves: int | None = None
    start_from_data: bool = True
    kept_rows: int = 0
    thinning: bool = False
    units_of_leaf: bool = False
    round_rows: int = 1
    linear_leaves: bool = False
    adaptive_ranges: bool = False
    following_rates: tuple[float, ...] = ()
    label_delay: int = 0


SURE = 0.001
COPIES = 8


def rows_of_block(rows_of_round: int) -> int:
    """The rows of each of the 2^k blocks of a round."""

    def power_of_two(most_rows: int) -> int:
        return 1 << (math.ceil(rows_of_round / most_rows) - 1).bit_length()

    blocks = max(min(power_of_two(32_768), 8), power_of_two(131_072))
    return math.ceil(rows_of_round / blocks)


def is_drawn(row: int, tree: int) -> bool:
    """Whether a tree learns a row that it is sure of: one in COPIES is, drawn by its number."""
    z = (row * 0x9E3779B97F4A7C15 + tree * 0xBF58476D1CE4E5B9) % 2**64
    z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93 % 2**64
    return z < 2**64 // COPIES


def exact_sum(values: Floats) -> float:
    """The sum, rounded once."""
    return math.fsum(values.tolist())


# --------------------------------------------------------------------------------------------------
# Boundaries ("Splitting on Numeric Attributes" in the paper, "Features" in the contract)
# --------------------------------------------------------------------------------------------------


def uniform_boundaries(lo: float, hi: float, n_bins: int) -> list[float]:
    """b_k = lo + (hi - lo) * (k / n_bins) for k = 1 .. n_bins - 1, equal ones once."""
    if lo == hi:
        return [lo]
    width = hi - lo
    if math.isinf(width):
        every = [lo * (1 - k / n_bins) + hi * (k / n_bins) for k in range(1, n_bins)]
    else:
        every = [lo + width * (k / n_bins) for k in range(1, n_bins)]
    return sorted(set(every))


# --------------------------------------------------------------------------------------------------
# The tree
# --------------------------------------------------------------------------------------------------


@dataclass
class NumericSplit:
    """Left means x <= boundary."""

    feature: int
    boundary: float
    missing_left: bool
    left: Node
    right: Node

    def child(self, x: Sequence[float]) -> Node:
        value = x[self.feature]
        goes_left = self.missing_left if math.isnan(value) else value <= self.boundary
        return self.left if goes_left else self.right


@dataclass
class NominalSplit:
    """One branch for each category; ``default`` is the branch that missing values take."""

    feature: int
    branches: dict[int, Node]
    default: int

    def child(self, x: Sequence[float]) -> Node | None:
        """The branch that x takes; None where its category has no branch."""
        value = x[self.feature]
        if math.isnan(value):
            return self.branches[self.default]
        return self.branches.get(int(value)) if value >= 0 else None


@dataclass
class Node:
    """A leaf, or (``split`` is set) a split node, which keeps the value it had as a leaf.

    ``g`` and ``h`` hold a number for each row, or a vector of K; ``y`` is for those trees that must
    take the derivatives of a leaf's rows again; ``copies`` for those in which a row may stand for
    several like it.
    """

    value: Floats
    depth: int
    nominal_above: frozenset[int]
    number: int = 0
    split: NumericSplit | NominalSplit | None = None
    cells: list[Integers] = field(default_factory=list)
    g: list[float] | list[Floats] = field(default_factory=list)
    h: list[float] | list[Floats] = field(default_factory=list)
    w: list[float] = field(default_factory=list)
    y: list[int] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)

    def forget_rows(self) -> None:
        self.cells, self.g, self.h, self.w, self.y, self.copies = [], [], [], [], [], []


@dataclass(frozen=True)
class Candidate:
    """A possible change u: no split (``feature`` None), a boundary, or a nominal feature."""

    feature: int | None = None
    boundary: int | None = None
    missing_left: bool = True


@dataclass
class Outcome:
    """A candidate worked out on a leaf's rows.

    ``labels`` names the branches (0 left and 1 right, or the category numbers), ``branch`` holds
    each row's place in it. ``steps`` has a vector v for each branch.
    """

    candidate: Candidate
    labels: list[int]
    branch: Integers
    steps: list[Floats]
    weights: list[float]
    mean: float


class LeafRows:
    """A leaf's rows as arrays, for one considered change; g and h have a column for each output."""

    def __init__(self, leaf: Node) -> None:
        self.columns = np.ascontiguousarray(np.vstack(leaf.cells).T)
        of_one = np.array(leaf.w)
        self.w = of_one * (leaf.copies or 1)
        self.g = np.array(leaf.g).reshape(len(self.w), -1)
        self.h = np.array(leaf.h).reshape(len(self.w), -1)
        self.wg = self.w[:, None] * self.g
        self.wh = self.w[:, None] * self.h
        self.total_weight = exact_sum(self.w)
        self.n_eff = self.total_weight**2 / exact_sum(self.w * of_one)

    def mean_hessian(self) -> float:
        """Of an output; the outputs count alike."""
        return math.fsum(self.wh.ravel().tolist()) / (self.total_weight * self.wh.shape[1])

    def dispersion(self) -> float:
        """Sum w (g - mean g)^2 / sum w h, summed over the outputs."""
        parts = []
        for g, wg, wh in zip(self.g.T, self.wg.T, self.wh.T, strict=True):
            G, H = exact_sum(wg), exact_sum(wh)
            spread = exact_sum(self.w * (g - G / self.total_weight) ** 2)
            parts.append(spread / H if H > 0 else 0.0)
        return math.fsum(parts)

    def noise(self, reg_lambda: float) -> float:
        """Var(g) (h + 2 lambda) / (h + lambda)^2; over the outputs the root of the squares' sum."""
        parts = []
        for g, wg, wh in zip(self.g.T, self.wg.T, self.wh.T, strict=True):
            mean_g, h = (exact_sum(column) / self.total_weight for column in (wg, wh))
            variance = exact_sum(self.w * (g - mean_g) ** 2) / self.total_weight
            curvature = h + reg_lambda
            if curvature > 0:
                parts.append(variance * (h + 2 * reg_lambda) / curvature**2)
        return math.hypot(*parts)


def is_clearly_less(later: float, best: float) -> bool:
    """Whether a later candidate replaces the best so far ("The best candidate")."""
    return later < best - TIE * max(abs(later), abs(best))


def first_of_the_best(outcomes: Iterable[Outcome]) -> Outcome | None:
    best: Outcome | None = None
    for later in outcomes:
        if best is None or is_clearly_less(later.mean, best.mean):
            best = later
    return best


def sums_by_cell(cells: Integers, values: Floats, n_cells: int = 0) -> Floats:
    """A sum for each cell, or (``values`` has columns) one for each cell and column."""
    if values.ndim == 1:
        return np.asarray(np.bincount(cells, weights=values, minlength=n_cells), dtype=np.float64)
    return np.column_stack([sums_by_cell(cells, column, n_cells) for column in values.T])


def sums_left(by_cell: Floats, missing_too: bool) -> Floats:
    """For each boundary the sum over the bins left of it; cell 0 is that of the missing rows."""
    return np.cumsum(by_cell[1:-1], axis=0) + (by_cell[0] if missing_too else 0.0)


def sums_right(by_cell: Floats, missing_too: bool) -> Floats:
    return np.cumsum(by_cell[:1:-1], axis=0)[::-1] + (by_cell[0] if missing_too else 0.0)


class OracleTree:
    """One tree f, grown by f_{t+1} = f_t + argmin_u [L_t(u) + Omega(u)] at its leaves.

    ``boundaries[i]`` are feature i's bin boundaries; for a nominal feature the list is empty.
    ``start`` is the root's value, a number or a vector of K. Under ``log_loss`` g = p - y and
    h = p (1 - p), so that it is known what they are at another value of the leaf. So it is under
    quantile losses (``quantiles``, one for each output), where g and h tell a row's residual.
    """

    quantiles: Sequence[Quantile] = ()
    is_in_stage_of_classes = False
    """Gamma is in units of the leaf's noise then ("Stages")."""

    def __init__(
        self,
        settings: Settings,
        nominal: Sequence[bool],
        boundaries: Sequence[Sequence[float]],
        start: float | Floats,
        log_loss: bool = False,
    ) -> None:
        self.settings = settings
        self.log_loss = log_loss
        self.nominal = nominal
        self.boundaries = boundaries
        self.root = Node(value=np.atleast_1d(start), depth=0, nominal_above=frozenset())
        self.n_leaves = 1
        self.n_nodes = 1
        # The rows of a round, each with what it says to its leaf; None where there are no rounds.
        self.round: list[tuple[Sequence[float], Callable[[Node], None]]] | None = None
        self.n_updates = 0
        self.n_splits = 0

    # ---- using the tree --------------------------------------------------------------------------

    def value(self, x: Sequence[float]) -> float:
        """f(x) of a tree of one output."""
        (value,) = self.values(x).tolist()
        return float(value)

    def values(self, x: Sequence[float]) -> Floats:
        """f(x): the leaf's value, or the kept one outside a split's domain (there u(x) = 0)."""
        node = self.root
        while node.split is not None:
            child = node.split.child(x)
            if child is None:
                return node.value
            node = child
        return node.value

    def leaf_to_learn(self, x: Sequence[float]) -> Node | None:
        """The leaf of x; an unseen category gets one unless ``max_leaves`` forbids (then None)."""
        node = self.root
        while node.split is not None:
            child = node.split.child(x)
            if child is None:
                assert isinstance(node.split, NominalSplit)
                if self.leaves_exceeded_by(1):
                    return None
                child = self.child_of(node, node.split.feature, node.value)
                node.split.branches[int(x[node.split.feature])] = child
                self.n_leaves += 1
            node = child
        return node

    def learn(
        self, x: Sequence[float], cells: Integers, g: Any, h: Any, w: float, copies: int = 1
    ) -> None:
        """Give one row to its leaf, which considers a change where one is due."""

        def keep(leaf: Node) -> None:
            leaf.cells.append(cells)
            leaf.g.append(g)
            leaf.h.append(h)
            leaf.w.append(w)
            leaf.copies.append(copies)

        self.give(x, keep)

    def give(self, x: Sequence[float], keep: Callable[[Node], None]) -> None:
        """Let the leaf of x keep a row: at once, or when the round ends."""
        if self.round is not None:
            self.round.append((x, keep))
            return
        leaf = self.leaf_to_learn(x)
        if leaf is not None:
            keep(leaf)
            self.consider_change_if_due(leaf)

    def end_round(self) -> None:
        """Give the rows of the round to their leaves; those that are due consider a change then."""
        assert self.round is not None
        rows, self.round = self.round, None
        unseen = [(*place, x) for x, _ in rows if (place := self.unseen_category(x)) is not None]
        for _, _, x in sorted(unseen, key=lambda found: found[:2]):
            self.leaf_to_learn(x)
        rows_before: dict[int, tuple[Node, int]] = {}
        for x, keep in rows:
            if self.unseen_category(x) is not None:
                continue  # a limit forbids the leaf
            leaf = self.leaf_to_learn(x)
            assert leaf is not None
            rows_before.setdefault(leaf.number, (leaf, len(leaf.w)))
            keep(leaf)
        for _, (leaf, before) in sorted(rows_before.items()):
            if self.next_look(before) <= len(leaf.w):
                self.consider_change(leaf)

    def unseen_category(self, x: Sequence[float]) -> tuple[int, int] | None:
        """The split that does not know the category of x, and that category."""
        node = self.root
        while node.split is not None:
            child = node.split.child(x)
            if child is None:
                return node.number, int(x[node.split.feature])
            node = child
        return None

    def consider_change_if_due(self, leaf: Node) -> None:
        if self.next_look(len(leaf.w) - 1) == len(leaf.w):
            self.consider_change(leaf)

    def next_look(self, n_rows: int) -> int:
        """At how many rows a leaf of so many next considers a change."""
        period, growth = self.settings.grace_period, self.settings.grace_growth
        look = period
        while look <= n_rows:
            look += min(max(period, int(growth * look)), 8 * period)
        return look

    # ---- a considered change ---------------------------------------------------------------------

    def consider_change(self, leaf: Node) -> None:
        rows = LeafRows(leaf)
        if not rows.n_eff > 1:
            return
        best = self.best_outcome(leaf, rows)
        if not self.is_significant(rows, best):
            return
        if self.quantiles:
            self.take_quantile_steps(leaf, rows, best)
            if best.candidate.feature is None and not best.steps[0].any():
                return
        self.apply(leaf, best)

    def take_quantile_steps(self, leaf: Node, rows: LeafRows, outcome: Outcome) -> None:
        """A branch's step is to the quantile of its kept rows, where these can tell."""
        kept = np.arange(len(rows.w)) >= len(rows.w) - self.settings.kept_rows
        if not self.may_split(leaf):
            return  # and keeps no rows
        for j, steps in enumerate(outcome.steps):
            here = kept & (outcome.branch == j)
            for k, loss in enumerate(self.quantiles):
                pairs = zip(rows.g[here, k].tolist(), rows.h[here, k].tolist(), strict=True)
                targets = [-loss.residual(g, h) for g, h in pairs]
                weighted = list(zip(targets, rows.w[here].tolist(), strict=True))
                step = expected_quantile(weighted, loss.alpha)
                if step is not None:
                    steps[k] = step

    def best_outcome(self, leaf: Node, rows: LeafRows) -> Outcome:
        """The candidate of the smallest penalised mean: the best of the features' best."""
        by_feature: dict[int | None, list[Candidate]] = {}
        for candidate in self.candidates_near_the_best(leaf, rows):
            by_feature.setdefault(candidate.feature, []).append(candidate)
        bests = []
        for candidates in by_feature.values():
            best = first_of_the_best(self.work_out(rows, candidate) for candidate in candidates)
            assert best is not None
            bests.append(best)
        overall = first_of_the_best(bests)
        assert overall is not None
        return overall

    def reg_lambda(self, rows: LeafRows) -> float:
        unit = rows.mean_hessian() if self.settings.units_of_leaf else 1.0
        return self.settings.reg_lambda * unit

    def gamma(self, rows: LeafRows) -> float:
        unit = rows.dispersion() if self.settings.units_of_leaf else 1.0
        if self.is_in_stage_of_classes:
            weight = 1.0 if self.settings.lambda_per_row else rows.total_weight
            unit = NOISE_OF_STAGES * rows.noise(self.reg_lambda(rows) / weight)
        return self.settings.gamma * unit

    def charge(self, rows: LeafRows, n_branches: int) -> float:
        """What a split into so many branches costs; 0 for a new value."""
        if n_branches == 0:
            return 0.0
        n_outputs = rows.wg.shape[1]
        beyond_two = 1.0
        if n_outputs > 2 and not (self.settings.units_of_leaf or self.is_in_stage_of_classes):
            beyond_two = math.sqrt(n_outputs / 2)
        return self.gamma(rows) * (2 + beyond_two * (n_branches - 2)) / rows.n_eff

    def step(self, G: float, H: float, weight: float, reg_lambda: float) -> float:
        """The paper's optimal v_u(j) = -G / (lambda' + H); 0 where the denominator is 0."""
        penalty = reg_lambda * (weight if self.settings.lambda_per_row else 1.0)
        return -G / (H + penalty) if H + penalty != 0 else 0.0

    def work_out(self, rows: LeafRows, candidate: Candidate) -> Outcome:
        """Equation (split-objective), with gamma once for each branch, as a mean over the rows."""
        labels, branch = self.branches(rows, candidate)
        steps, weights, changes = [], [], []
        reg_lambda = self.reg_lambda(rows)
        for j in range(len(labels)):
            here = branch == j
            weight = exact_sum(rows.w[here])
            step = []
            for wg, wh in zip(rows.wg[here].T, rows.wh[here].T, strict=True):
                G, H = exact_sum(wg), exact_sum(wh)
                v = self.step(G, H, weight, reg_lambda)
                step.append(v)
                changes += [G * v, H * v * v / 2]
            steps.append(np.array(step))
            weights.append(weight)
        new_branches = 0 if candidate.feature is None else len(labels)
        mean = math.fsum(changes) / rows.total_weight
        mean += self.charge(rows, new_branches)
        return Outcome(candidate, labels, branch, steps, weights, mean)

    def branches(self, rows: LeafRows, candidate: Candidate) -> tuple[list[int], Integers]:
        """q_u: the branches' labels, and for every row the place of its branch among them."""
        if candidate.feature is None:
            return [0], np.zeros(len(rows.w), dtype=np.intp)
        cells = rows.columns[candidate.feature]
        if candidate.boundary is None:
            labels = sorted(set(cells.tolist()))
            return labels, np.searchsorted(labels, cells)
        goes_left = np.where(cells == MISSING, candidate.missing_left, cells <= candidate.boundary)
        return [0, 1], np.where(goes_left, 0, 1).astype(np.intp)

    def variance(self, rows: LeafRows, outcome: Outcome) -> float:
        """The sum of the outputs' variances: their changes are taken as independent."""
        changes = self.changes_in_loss(rows, outcome)
        return math.fsum(self.variance_of(rows, column) for column in changes.T)

    def changes_in_loss(self, rows: LeafRows, outcome: Outcome) -> Floats:
        """L_i = g_i v + h_i v^2 / 2 for each output, every row with its own branch's v."""
        v = np.array(outcome.steps)[outcome.branch]
        return np.asarray(rows.g * v + rows.h * v * v / 2)

    def variance_of(self, rows: LeafRows, loss: Floats) -> float:
        """Var(L_i), in two passes.

        That is equation (loss-variance) inside the branches and the exact pooling over them in one.
        """
        with np.errstate(over="ignore"):  # infinite variance: nothing is proved
            mean_square = self.squared_deviations(rows, loss) / rows.total_weight
        return mean_square * rows.n_eff / (rows.n_eff - 1)

    def squared_deviations(self, rows: LeafRows, loss: Floats) -> float:
        """The sum of w_i (L_i - E(L))^2."""
        centre = exact_sum(rows.w * loss) / rows.total_weight
        return exact_sum(rows.w * (loss - centre) ** 2)

    def is_significant(self, rows: LeafRows, outcome: Outcome) -> bool:
        """Student's t-test on the mean change in loss ("Determining when to Split")."""
        if not -math.inf < outcome.mean < 0 or not (np.abs(outcome.steps) <= GREATEST).all():
            return False
        variance = self.variance(rows, outcome)
        if variance <= 1e-12 * outcome.mean * outcome.mean:
            return True
        t = outcome.mean / math.sqrt(variance / rows.n_eff)
        p = 2 * float(stats.t.sf(abs(t), rows.n_eff - 1))
        return p < self.settings.delta

    def apply(self, leaf: Node, outcome: Outcome) -> None:
        """f_{t+1} = f_t + u."""
        feature = outcome.candidate.feature
        if feature is None:
            leaf.value = leaf.value + outcome.steps[0]
            leaf.forget_rows()
            self.n_updates += 1
            return
        children = [self.child_of(leaf, feature, leaf.value + v) for v in outcome.steps]
        # the branch of the greatest weight, the first of several: where missing goes by default
        heaviest = outcome.weights.index(max(outcome.weights))
        if outcome.candidate.boundary is None:
            by_label = dict(zip(outcome.labels, children, strict=True))
            default = MISSING if MISSING in by_label else outcome.labels[heaviest]
            leaf.split = NominalSplit(feature, by_label, default)
        else:
            any_missing = bool(
                (np.array([cells[feature] for cells in leaf.cells]) == MISSING).any()
            )
            missing_left = outcome.candidate.missing_left if any_missing else heaviest == 0
            boundary = self.boundaries[feature][outcome.candidate.boundary]
            leaf.split = NumericSplit(feature, boundary, missing_left, children[0], children[1])
        for i in range(max(0, len(leaf.w) - self.settings.kept_rows), len(leaf.w)):
            j = int(outcome.branch[i])
            self.hand_down(leaf, i, children[j], outcome.steps[j])
        leaf.forget_rows()
        self.n_leaves += len(children) - 1
        self.n_splits += 1

    def hand_down(self, leaf: Node, i: int, child: Node, v: Floats) -> None:
        """A child learns row i of the leaf that has split; no change is considered meanwhile."""
        g, h = self.moved(np.atleast_1d(leaf.g[i]), np.atleast_1d(leaf.h[i]), v)
        child.cells.append(leaf.cells[i])
        is_one = np.ndim(leaf.g[i]) == 0
        child.g.append(float(g[0]) if is_one else g)
        child.h.append(float(h[0]) if is_one else h)
        child.w.append(leaf.w[i])
        child.copies += leaf.copies[i : i + 1]

    def moved(self, g: Floats, h: Floats, v: Floats) -> tuple[Floats, Floats]:
        """g and h where the value has moved by v.

        Those of the parabola by which the row was judged; under log loss the true ones, from the
        odds p / (1 - p), which grow by exp(v); under quantile losses too, from the residuals.
        """
        if self.quantiles:
            pairs = [
                loss.at(loss.residual(float(g[k]), float(h[k])) + float(v[k]))
                for k, loss in enumerate(self.quantiles)
            ]
            return np.array([g for g, _ in pairs]), np.array([h for _, h in pairs])
        if not self.log_loss:
            return g + h * v, h
        moved_g, moved_h = [], []
        for gradient, hessian, step in zip(g.tolist(), h.tolist(), v.tolist(), strict=True):
            is_of_class = math.copysign(1.0, gradient) < 0
            known = abs(gradient)
            other = hessian / known if known > 0 else 1.0
            p, q = (other, known) if is_of_class else (known, other)
            if step > 0:
                q *= math.exp(-step)
            else:
                p *= math.exp(step)
            p, q = (p / (p + q), q / (p + q)) if p + q > 0 else (p, q)
            moved_g.append(-q if is_of_class else p)
            moved_h.append(p * q)
        return np.array(moved_g), np.array(moved_h)

    def child_of(self, parent: Node, feature: int, value: Floats) -> Node:
        used = parent.nominal_above | ({feature} if self.nominal[feature] else set())
        self.n_nodes += 1
        return Node(
            value=value, depth=parent.depth + 1, nominal_above=used, number=self.n_nodes - 1
        )

    def may_split_on(self, feature: int) -> bool:
        return True

    def may_split(self, leaf: Node) -> bool:
        limit = self.settings.max_depth
        return (limit is None or leaf.depth < limit) and not self.leaves_exceeded_by(1)

    def leaves_exceeded_by(self, more: int) -> bool:
        limit = self.settings.max_leaves
        return limit is not None and self.n_leaves + more > limit

    def leaves(self) -> list[Node]:
        found, to_visit = [], [self.root]
        while to_visit:
            node = to_visit.pop()
            if isinstance(node.split, NumericSplit):
                to_visit += [node.split.left, node.split.right]
            elif node.split is not None:
                to_visit += node.split.branches.values()
            else:
                found.append(node)
        return found

    def renew_bins(self, feature: int, places: list[int | None]) -> None:
        """Give the rows of all leaves their new bins; unknown ones count as missing."""
        for leaf in self.leaves():
            for i, cells in enumerate(leaf.cells):
                if cells[feature] != MISSING:
                    place = places[cells[feature]]
                    leaf.cells[i] = cells.copy()  # other trees have the same array
                    leaf.cells[i][feature] = MISSING if place is None else place

    # ---- the first pass: which candidates are worth working out? ---------------------------------

    def candidates_near_the_best(self, leaf: Node, rows: LeafRows) -> list[Candidate]:
        """All candidates whose penalised mean may be the least, in the contract's order."""
        rough: list[tuple[Candidate, float, float]] = []

        def note(candidate: Candidate, mean: float, size: float) -> None:
            rough.append((candidate, mean, size))

        reg_lambda = self.reg_lambda(rows)
        whole = (a.sum(axis=0, keepdims=True) for a in (rows.wg, rows.wh, rows.w))
        change = float(self.rough_change(*whole, reg_lambda)[0]) / rows.total_weight
        note(Candidate(), change, abs(change))
        limit = self.settings.max_depth
        if limit is None or leaf.depth < limit:
            for feature in filter(self.may_split_on, range(len(self.nominal))):
                if not self.nominal[feature]:
                    found = self.rough_numeric(rows, feature, reg_lambda)
                elif feature not in leaf.nominal_above:
                    found = self.rough_nominal(rows, feature, reg_lambda)
                else:
                    found = []
                for candidate, change, n_branches in found:
                    if not self.leaves_exceeded_by(n_branches - 1):
                        penalty = self.charge(rows, n_branches)
                        note(candidate, change + penalty, abs(change) + penalty)
        _, least, size_of_least = min(rough, key=lambda entry: entry[1])
        return [
            candidate
            for candidate, mean, size in rough
            if mean <= least + NEAR * (size + size_of_least)
        ]

    def rough_change(self, G: Floats, H: Floats, W: Floats, reg_lambda: float) -> Floats:
        """G v + H v^2 / 2, summed over the outputs, for many branches at once."""
        penalty = reg_lambda * (W[:, None] if self.settings.lambda_per_row else 1.0)
        denominator = H + penalty
        safe = np.where(denominator != 0, denominator, 1.0)
        v = np.where(denominator != 0, -G / safe, 0.0)
        return np.asarray((G * v + H * v * v / 2).sum(axis=1), dtype=np.float64)

    def rough_nominal(
        self, rows: LeafRows, feature: int, reg_lambda: float
    ) -> list[tuple[Candidate, float, int]]:
        """One branch for each category that occurs, missing included; at least two."""
        cells = rows.columns[feature] + 1
        occurs = sums_by_cell(cells, np.ones(len(cells))) > 0
        n_branches = int(occurs.sum())
        if n_branches < 2:
            return []
        sums = (sums_by_cell(cells, a)[occurs] for a in (rows.wg, rows.wh, rows.w))
        change = float(self.rough_change(*sums, reg_lambda).sum()) / rows.total_weight
        return [(Candidate(feature), change, n_branches)]

    def rough_numeric(
        self, rows: LeafRows, feature: int, reg_lambda: float
    ) -> list[tuple[Candidate, float, int]]:
        """Every boundary with a row on each side, missing rows tried left, then right."""
        n_boundaries = len(self.boundaries[feature])
        if n_boundaries == 0:
            return []
        cells = rows.columns[feature] + 1  # 0 = missing, then the bins
        counts = sums_by_cell(cells, np.ones(len(cells)), n_boundaries + 2)
        G, H, W = (sums_by_cell(cells, a, n_boundaries + 2) for a in (rows.wg, rows.wh, rows.w))
        sides: list[tuple[bool, Floats]] = []
        for missing_left in (True, False) if counts[0] else (True,):
            left = (sums_left(a, missing_left) for a in (G, H, W))
            right = (sums_right(a, not missing_left) for a in (G, H, W))
            change = self.rough_change(*left, reg_lambda) + self.rough_change(*right, reg_lambda)
            any_left = sums_left(counts, missing_left) > 0
            any_right = sums_right(counts, not missing_left) > 0
            possible = any_left & any_right
            sides.append((missing_left, np.where(possible, change / rows.total_weight, np.nan)))
        found = []
        for k in range(n_boundaries):
            if k > 0 and counts[k + 1] == 0:
                continue  # no row in bin k: it divides the rows as the boundary below does
            for missing_left, changes in sides:
                if not math.isnan(changes[k]):
                    found.append((Candidate(feature, k, missing_left), float(changes[k]), 2))
        return found

    # ---- what it looks like ----------------------------------------------------------------------

    def structure(self) -> dict[str, Any]:
        return describe(self.root)


def describe(node: Node) -> dict[str, Any]:
    """A nested description.

    A leaf: ``value`` and ``rows`` (since its last change). A numeric split: ``value``, ``feature``,
    ``boundary``, ``missing`` ("left" or "right"), ``left``, ``right``. A nominal split: ``value``,
    ``feature``, ``missing`` (a category number or "missing") and ``branches``, by category number
    or "missing". A value is a number, or a list of K.
    """
    value = node.value.tolist() if len(node.value) > 1 else float(node.value[0])

    def name(label: int) -> int | str:
        return "missing" if label == MISSING else label

    split = node.split
    if split is None:
        return {"value": value, "rows": len(node.w)}
    if isinstance(split, NumericSplit):
        return {
            "value": value,
            "feature": split.feature,
            "boundary": split.boundary,
            "missing": "left" if split.missing_left else "right",
            "left": describe(split.left),
            "right": describe(split.right),
        }
    return {
        "value": value,
        "feature": split.feature,
        "missing": name(split.default),
        "branches": {name(label): describe(child) for label, child in split.branches.items()},
    }


# --------------------------------------------------------------------------------------------------
# Learners: warm-up, loss, committee
# --------------------------------------------------------------------------------------------------


class OracleLearner:
    """What both learners share: warm-up, boundaries, cells.

    ``ranges[i]`` is feature i's (lo, hi) or None. The warm-up is skipped where every numeric
    feature has one; otherwise those that lack one get it from the warm-up rows.
    """

    def __init__(
        self,
        settings: Settings,
        nominal: Sequence[bool],
        ranges: Sequence[tuple[float, float] | None] | None = None,
    ) -> None:
        self.settings = settings
        self.nominal = list(nominal)
        self.ranges = ranges
        self.trees: list[OracleTree] = []
        self.boundaries: list[list[float]] = []
        self.buffer: list[tuple[list[float], float, float]] = []
        self.warming_up = True
        # Of the round under way: all its rows (0: there is none), those that have come, and
        # whether the trees stand still in it.
        self.round_size = 0
        self.rows_of_round = 0
        self.is_frozen = False
        self.n_learned = 0
        # What is watched: each feature's sample and the range that its bins were laid for.
        self.samples: dict[int, ValueSample] = {}
        self.laid_for: dict[int, tuple[float, float]] = {}
        self.n_range_updates = 0
        if ranges is not None and all(
            is_nominal or given is not None
            for is_nominal, given in zip(self.nominal, ranges, strict=True)
        ):
            self.end_warm_up()

    def learn(self, x_row: Floats, y: float, w: float = 1.0) -> None:
        """One row; rows of weight 0 are ignored."""
        if w == 0:
            return
        x = [float(value) for value in x_row]
        if self.warming_up:
            self.buffer.append((x, y, w))
            if len(self.buffer) == self.settings.warm_up:
                self.end_warm_up()
        else:
            self.learn_in_rounds(x, y, w)

    def learn_in_rounds(self, x: list[float], y: float, w: float) -> None:
        """One row: at once, or for the end of its round."""
        if self.settings.round_rows == 1:
            self.learn_row(x, y, w)
            self.n_learned += 1
            self.watch(x)
            return
        if self.is_frozen and self.rows_of_round > 0 and self.is_new_class(y):
            self.end_round()
        if self.round_size == 0:
            self.begin_round()
        self.learn_row(x, y, w)
        self.n_learned += 1
        self.rows_of_round += 1
        if self.rows_of_round == self.round_size:
            self.end_round()

    def begin_round(self) -> None:
        """A round of the given size; "auto" (0) is half a grace period for each leaf."""
        size = self.settings.round_rows
        self.is_frozen = True
        if size == 0:
            leaves = sum(tree.n_leaves for tree in self.trees) / max(len(self.trees), 1)
            size = int(0.5 * leaves * self.settings.grace_period)
            self.is_frozen = size >= 1024
            size = max(size, 1024)
        self.round_size, self.rows_of_round = size, 0
        for tree in self.trees:
            tree.round = [] if self.is_frozen else None

    def end_round(self) -> None:
        for tree in self.trees:
            if tree.round is not None:
                tree.end_round()
        self.round_size = self.rows_of_round = 0
        self.is_frozen = False

    def is_new_class(self, y: float) -> bool:
        return False

    def end_warm_up(self) -> None:
        """Fix boundaries and start from the rows so far, then learn them in order."""
        if not self.warming_up:
            return
        self.boundaries = [self.boundaries_of(i) for i in range(len(self.nominal))]
        self.warming_up = False
        self.start()
        for x, y, w in self.buffer:
            self.learn_in_rounds(x, y, w)
        self.end_round()
        self.begin_watch()
        self.buffer = []

    # ---- ranges that adapt -----------------------------------------------------------------------

    def values_of_buffer(self, feature: int) -> list[float]:
        return [x[feature] for x, _, _ in self.buffer if not math.isnan(x[feature])]

    def begin_watch(self) -> None:
        """Watch the features whose bins came from the warm-up."""
        if not self.settings.adaptive_ranges or self.settings.round_rows != 1:
            return
        for feature in self.laid_for:
            sample = self.samples[feature] = ValueSample()
            for value in self.values_of_buffer(feature):
                sample.take(value)

    def watch(self, x: Sequence[float]) -> None:
        """After a row was learned."""
        for feature, sample in self.samples.items():
            if is_sampled(self.n_learned - 1) and not math.isnan(x[feature]):
                sample.take(x[feature])
        if self.n_learned % ROWS_BETWEEN_LOOKS != 0:
            return
        for feature, sample in self.samples.items():
            old = Bins(self.boundaries[feature], *self.laid_for[feature])
            better = better_bins(sample, old, self.settings.n_bins)
            if better is not None:
                self.renew_bins(feature, better)

    def renew_bins(self, feature: int, bins: Bins) -> None:
        places = new_places(self.boundaries[feature], bins.boundaries)
        for tree in self.trees_with_bins():
            tree.renew_bins(feature, places)
        self.boundaries[feature] = bins.boundaries
        self.laid_for[feature] = bins.lo, bins.hi
        self.n_range_updates += 1

    def trees_with_bins(self) -> list[OracleTree]:
        return self.trees

    def boundaries_of(self, feature: int) -> list[float]:
        if self.nominal[feature]:
            return []
        given = self.ranges[feature] if self.ranges is not None else None
        if given is not None:
            return uniform_boundaries(given[0], given[1], self.settings.n_bins)
        values = self.values_of_buffer(feature)
        bins = Bins([])
        if values:
            bins = Bins(
                quantile_boundaries(values, self.settings.n_bins)
                if self.settings.quantile_bins
                else uniform_boundaries(min(values), max(values), self.settings.n_bins),
                min(values),
                max(values),
            )
        better = less_crowded(values, bins, self.settings.n_bins)
        if better is not None and self.settings.adaptive_ranges:
            bins = better
            self.n_range_updates += 1
        self.laid_for[feature] = bins.lo, bins.hi
        return bins.boundaries

    def cells(self, x: Sequence[float]) -> Integers:
        """Each feature's cell: the category number, or the bin; bin k is b_{k-1} < x <= b_k."""
        found = []
        for feature, value in enumerate(x):
            if math.isnan(value):
                found.append(MISSING)
            elif self.nominal[feature]:
                found.append(int(value))
            else:
                found.append(bisect_left(self.boundaries[feature], value))
        return np.array(found, dtype=np.intp)

    under_log_loss = False

    def new_tree(self, start: float | Floats) -> None:
        self.add_tree(
            OracleTree(self.settings, self.nominal, self.boundaries, start, self.under_log_loss)
        )

    def add_tree(self, tree: OracleTree) -> None:
        tree.round = [] if self.is_frozen else None
        tree.quantiles = self.quantiles()
        self.trees.append(tree)

    def quantiles(self) -> Sequence[Quantile]:
        """The losses of the outputs, where they are quantile losses."""
        return ()

    def structure(self, k: int) -> dict[str, Any]:
        """Tree k in words and numbers; see :func:`describe`."""
        return self.trees[k].structure()

    @property
    def n_changes(self) -> int:
        """Changes applied so far, in all trees."""
        return sum(tree.n_updates + tree.n_splits for tree in self.trees)

    def start(self) -> None:
        raise NotImplementedError

    def learn_row(self, x: list[float], y: float, w: float) -> None:
        raise NotImplementedError


class OracleRegressor(OracleLearner):
    """One tree under a loss of one output; squared error is the paper's "Streaming Regression"."""

    def __init__(
        self,
        settings: Settings,
        nominal: Sequence[bool],
        ranges: Sequence[tuple[float, float] | None] | None = None,
        loss: Loss | None = None,
    ) -> None:
        self.loss = loss or SquaredError()
        self.under_log_loss = isinstance(self.loss, LogLoss)
        super().__init__(settings, nominal, ranges)

    def quantiles(self) -> Sequence[Quantile]:
        return [self.loss] if isinstance(self.loss, Quantile) else ()

    def targets_of_buffer(self) -> list[tuple[float, float]]:
        return [(y, w) for _, y, w in self.buffer]

    def best_constant(self) -> float:
        return self.loss.constant(self.targets_of_buffer()) if self.buffer else 0.0

    def start(self) -> None:
        if self.buffer:
            self.loss.see(self.targets_of_buffer())
        self.new_tree(self.best_constant() if self.settings.start_from_data else 0.0)

    def predict(self, x_row: Floats) -> float:
        """The raw score."""
        if self.warming_up:
            return self.best_constant()
        return self.trees[0].value([float(value) for value in x_row])

    def learn_row(self, x: list[float], y: float, w: float) -> None:
        tree = self.trees[0]
        g, h = self.loss.derivatives(y, tree.value(x))
        tree.learn(x, self.cells(x), g, h, w)


class OracleClassifier(OracleLearner):
    """K - 1 trees under softmax and cross entropy ("Streaming Classification").

    Classes are numbered in order of first appearance; class 0 is the reference with f = 0, and
    ``trees[k - 1]`` belongs to class k.
    """

    under_log_loss = True

    def __init__(
        self,
        settings: Settings,
        nominal: Sequence[bool],
        ranges: Sequence[tuple[float, float] | None] | None = None,
    ) -> None:
        self.n_classes = 0
        self.reference_weights: list[float] = []
        super().__init__(settings, nominal, ranges)

    def is_new_class(self, y: float) -> bool:
        return y == self.n_classes

    def weights_of_buffer(self) -> list[float]:
        """The weight of each class in the warm-up rows so far."""
        by_class: dict[int, list[float]] = {}
        for _, y, w in self.buffer:
            by_class.setdefault(int(y), []).append(w)
        return [math.fsum(by_class[k]) for k in range(len(by_class))]

    def start(self) -> None:
        weights = self.weights_of_buffer()
        self.n_classes = len(weights)
        for k in range(1, self.n_classes):
            from_data = self.settings.start_from_data
            self.new_tree(math.log(weights[k] / weights[0]) if from_data else 0.0)

    def predict_proba(self, x_row: Floats) -> list[float]:
        """Probabilities by class number, for the classes seen so far."""
        if self.warming_up:
            weights = self.weights_of_buffer()
            return [weight / math.fsum(weights) for weight in weights]
        return self.softmax([float(value) for value in x_row])

    def softmax(self, x: Sequence[float]) -> list[float]:
        if self.n_classes == 0:
            return []
        powers = self.powers(x)
        total = math.fsum(powers)
        return [power / total for power in powers]

    def scores(self, x: Sequence[float]) -> list[float]:
        """f_k(x) for each class."""
        return [0.0] + [tree.value(x) for tree in self.trees]

    def powers(self, x: Sequence[float]) -> list[float]:
        """exp(f_k(x)) for each class, all divided by the greatest."""
        scores = self.scores(x)
        highest = max(scores)
        return [math.exp(score - highest) for score in scores]

    def learn_row(self, x: list[float], y: float, w: float) -> None:
        self.admit_class(y, w)
        self.learn_in_trees(x, y, w)

    def admit_class(self, y: float, w: float) -> None:
        """A class that no row had gets its tree, and the reference class counts."""
        if y == self.n_classes:
            self.begin_class(w)
        if y == 0:
            self.reference_weights.append(w)
        assert 0 <= y < self.n_classes, "class numbers follow the order of first appearance"

    def learn_in_trees(self, x: list[float], y: float, w: float) -> None:
        """g = p - [y = k] and h = p (1 - p), where 1 - p is the sum of the other probabilities.

        Written so, neither is lost to rounding where p comes near 1.
        """
        powers = self.powers(x)
        total = math.fsum(powers)
        cells = self.cells(x)
        for k, tree in enumerate(self.trees, start=1):
            p = powers[k] / total
            others = math.fsum(powers[:k] + powers[k + 1 :]) / total
            g = -others if y == k else p
            copies = self.copies(g, k - 1)
            if copies > 0:
                tree.learn(x, cells, g, p * others, w, copies)

    def begin_class(self, w: float) -> None:
        """A class's first row after the warm-up; the first class of all needs no tree."""
        self.n_classes += 1
        if self.n_classes > 1:
            from_data = self.settings.start_from_data
            self.new_tree(math.log(w / math.fsum(self.reference_weights)) if from_data else 0.0)

    def copies(self, g: float, tree: int) -> int:
        """As how many rows a tree learns the row: 0 is not at all."""
        settings = self.settings
        thins = settings.thinning and settings.reg_lambda > 0 and not settings.linear_leaves
        if not (thins and self.n_classes > 2 and abs(g) < SURE):
            return 1
        number = self.n_learned
        if self.is_frozen:
            number = self.rows_of_round % rows_of_block(self.round_size)
        return COPIES if is_drawn(number, tree) else 0
