"""The oracle for ensembles: members that are boosted, averaged, or chosen between.

Source: "Ensembles" in ``docs/algorithm.md``. A member is a whole model: the learners of
``following.py``, ``linear.py`` and ``vectors.py``, in which a tree knows two more things about the
row that it is learned now, the scores that others give it, and as how many rows it is learned.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.oracle.following import (
    FollowingClassifier,
    FollowingOfTargets,
    FollowingRegressor,
    FollowingSoftmaxTree,
    FollowingTree,
    FollowingVectorClassifier,
    Race,
    WithFollowingLeaves,
    WithLosses,
    probabilities,
)
from tests.oracle.linear import (
    LinearClassifier,
    LinearOfTargets,
    LinearRegressor,
    LinearTree,
    WithLinearLeaves,
)
from tests.oracle.oracle import (
    Floats,
    Integers,
    OracleClassifier,
    OracleLearner,
    OracleRegressor,
    OracleTree,
    Settings,
    rows_of_block,
)
from tests.oracle.ranges import draw
from tests.oracle.replacement import LEAST_PROBABILITY, RECENT, Adwin, Judge, Proof, Unit
from tests.oracle.vectors import (
    OracleOfTargets,
    OracleVectorClassifier,
    every_node,
    softmax_derivatives,
)

GREATEST_LOG_LOSS = -math.log(LEAST_PROBABILITY)

# What is drawn for a member
SEQUENCE_OF_COPIES = 2**40
SEQUENCE_OF_FEATURES = 2**41
MEMBERS_OF_A_SEED = 10_000
MOST_COPIES = 100

# A boosted member that does harm
ROWS_OF_YOUTH = 1000
ROWS_OF_LOOK = 32
T_OF_HARM = -3.0

# Calibration
FACTORS = (1.0, 0.8, 0.9, 1.1, 1.25, 1.5, 1.75, 2.0)
CHARGE = 0.01


@dataclass(frozen=True)
class EnsembleSettings(Settings):
    """``combination``: "boosting", "averaging" or "choosing"."""

    combination: str = "boosting"
    n_estimators: int = 3
    learning_rate: float = 0.1
    mean_copies: float = 0.0
    feature_share: float = 1.0
    seed: int = 0
    replaces_on_drift: bool = False
    calibrates: bool = True

    @property
    def n_members(self) -> int:
        return 2 if self.combination == "choosing" else self.n_estimators

    def of_member(self, member: int) -> EnsembleSettings:
        """In rounds leaves follow no rows, and keep none that have copies."""
        settings = self
        if self.combination == "choosing":
            settings = replace(settings, linear_leaves=member == 1)
        if self.round_rows != 1:
            settings = replace(settings, following_rates=())
            if self.mean_copies > 0:
                settings = replace(settings, kept_rows=0)
        return settings

    @property
    def draws(self) -> bool:
        return self.combination != "choosing"

    def drawn(self, number: int, member: int, sequence: int) -> float:
        """From 0 to 1."""
        sequence += self.seed * MEMBERS_OF_A_SEED + member
        return (draw(number, sequence) >> 11) / 2**53

    def may_split_on(self, feature: int, member: int) -> bool:
        if not self.draws or self.feature_share == 1:
            return True
        return self.drawn(feature, member, SEQUENCE_OF_FEATURES) < self.feature_share

    def copies(self, row: int, member: int) -> int:
        """As how many rows a member learns the row of that number: a draw of a Poisson number."""
        if not self.draws or self.mean_copies == 0:
            return 1
        u = self.drawn(row, member, SEQUENCE_OF_COPIES)
        n, share = 0, math.exp(-self.mean_copies)
        up_to_n = share
        while u >= up_to_n and n < MOST_COPIES:
            n += 1
            share *= self.mean_copies / n
            up_to_n += share
        return n


# --------------------------------------------------------------------------------------------------
# The trees of a member
# --------------------------------------------------------------------------------------------------


class MemberTree(FollowingTree):
    """``base``: what others give the row that is looked at; ``copies``: as how many it is learned.

    The leaf of a row of no copies does not learn it, and follows it all the same.
    """

    base: float | Floats = 0.0
    copies = 1
    member = 0

    def may_split_on(self, feature: int) -> bool:
        assert isinstance(self.settings, EnsembleSettings)
        return self.settings.may_split_on(feature, self.member)

    def values(self, x: Sequence[float]) -> Floats:
        return np.asarray(self.base + super().values(x))

    def learn(
        self, x: Sequence[float], cells: Integers, g: Any, h: Any, w: float, copies: int = 1
    ) -> None:
        if self.copies > 0:
            super().learn(x, cells, g, h, self.copies * w, copies)


class LinearMemberTree(MemberTree, LinearTree):
    """With linear leaves."""


class SoftmaxMemberTree(MemberTree, FollowingSoftmaxTree):
    """With a score for each class in its leaves, on top of nothing: a row's class says it all."""

    def learn_class(self, x: Sequence[float], cells: Integers, y: int, w: float) -> None:
        if self.copies > 0:
            super().learn_class(x, cells, y, self.copies * w)


class BoostedVectorTree(MemberTree):
    """With a score for each class in its leaves, on top of others: each row has its own g and h."""

    def add_class(self) -> None:
        """The rows so far say nothing about it."""
        for node in every_node(self.root):
            node.value = np.append(node.value, 0.0)
            node.g = [np.append(g, 0.0) for g in node.g]
            node.h = [np.append(h, 0.0) for h in node.h]
        for offsets in self.offsets.values():
            assert not offsets.steps
            offsets.first = np.column_stack([offsets.first, np.zeros(len(self.rates))])


# --------------------------------------------------------------------------------------------------
# The model of a member
# --------------------------------------------------------------------------------------------------


class MemberModel(WithFollowingLeaves):
    """A model that may stand on the scores of others: then its roots are 0."""

    adds_to_others = False
    member = 0
    follows = True
    """Not in ``fit``."""

    def begin(self, ensemble: OracleLearner) -> None:
        """With the features, and the rows of the warm-up, of the ensemble."""
        self.ranges, self.boundaries = ensemble.ranges, ensemble.boundaries
        self.buffer, self.warming_up = ensemble.buffer, False
        self.start()
        self.buffer = []

    def new_tree(self, start: float | Floats) -> None:
        root = np.zeros_like(np.atleast_1d(start)) if self.adds_to_others else start
        arguments = (self.settings, self.nominal, self.boundaries, root, self.under_log_loss)
        if isinstance(self, WithLinearLeaves):
            self.add_tree(LinearMemberTree(*arguments, standards=self.standards))
        else:
            self.add_tree(MemberTree(*arguments))

    def add_tree(self, tree: OracleTree) -> None:
        assert isinstance(tree, MemberTree)
        tree.member = self.member
        tree.follow_with(self.rates)
        super().add_tree(tree)

    def fresh(self) -> MemberModel:
        """The same with trees of one leaf, which has the value of the root."""
        other = copy.copy(self)
        other.trees = []
        for tree in self.trees:
            other.new_tree(tree.root.value)
        other.restart_following()
        return other

    def follow(self, x: list[float], y: Any, w: float) -> None:
        if self.rates and self.follows:
            super().follow(x, y, w)

    def take(self, x: list[float], y: Any, w: float, base: Sequence[float], copies: int) -> None:
        """Learn a row on top of the scores that others give it."""
        self.stand_on(base)
        for tree in self.trees:
            assert isinstance(tree, MemberTree)
            tree.copies = copies
        self.learn_row(x, y, w)
        for tree in self.trees:
            assert isinstance(tree, MemberTree)
            tree.base = 0.0

    def stand_on(self, base: Sequence[float]) -> None:
        (tree,) = self.trees
        assert isinstance(tree, MemberTree)
        tree.base = np.array(base)

    def admit(self, w: float) -> None:
        """A class that no row had."""

    def count(self, y: Any, w: float) -> None:
        """The weights by which a class is measured that comes late."""

    def judged(self, y: Any, raw: Sequence[float]) -> list[float]:
        """The loss of each target, bounded for classes."""
        raise NotImplementedError

    def errors(self, y: Any, raw: Sequence[float]) -> list[float]:
        """What a detector sees of each target."""
        raise NotImplementedError

    errors_have_units = True


class OfLosses(MemberModel, WithLosses):
    """Targets under losses of one output."""

    @property
    def errors_have_units(self) -> bool:  # type: ignore[override]
        return not self.losses_by_output()[0].is_of_classes

    def judged(self, y: Any, raw: Sequence[float]) -> list[float]:
        found = []
        for loss, target, score in self.by_output(y, np.array(raw)):
            most = GREATEST_LOG_LOSS if loss.is_of_classes else math.inf
            found.append(min(loss.value(target, score), most))
        return found

    def errors(self, y: Any, raw: Sequence[float]) -> list[float]:
        return [loss.error(t, score) for loss, t, score in self.by_output(y, np.array(raw))]


class OfClasses(MemberModel, FollowingClassifier):
    """Classes, by a committee."""

    errors_have_units = False

    def fresh(self) -> MemberModel:
        other = super().fresh()
        assert isinstance(other, OfClasses)
        other.reference_weights = list(self.reference_weights)
        return other

    def admit(self, w: float) -> None:
        self.settle_all()
        self.begin_class(w)

    def count(self, y: Any, w: float) -> None:
        if y == 0:
            self.reference_weights.append(w)

    def stand_on(self, base: Sequence[float]) -> None:
        for k, tree in enumerate(self.trees, start=1):
            assert isinstance(tree, MemberTree)
            tree.base = base[k]

    def judged(self, y: Any, raw: Sequence[float]) -> list[float]:
        p, _ = probabilities(raw)[int(y)]
        return [-math.log(max(p, LEAST_PROBABILITY))]

    def errors(self, y: Any, raw: Sequence[float]) -> list[float]:
        k = int(y)
        return [float(any(s >= raw[k] for j, s in enumerate(raw) if j != k))]


class OfVectors(OfClasses, FollowingVectorClassifier):
    """Classes, by one tree."""

    def new_softmax_tree(self, start: Floats) -> None:
        self.add_tree(SoftmaxMemberTree(self.settings, self.nominal, self.boundaries, start))

    new_tree = new_softmax_tree  # type: ignore[assignment]

    def fresh(self) -> MemberModel:
        other = super().fresh()
        assert isinstance(other, OfVectors)
        other.weights_learned = list(self.weights_learned)
        return other

    def stand_on(self, base: Sequence[float]) -> None:
        assert not any(base)


class OfBoostedVectors(OfVectors):
    """Classes, by one tree that adds to the scores of others."""

    def new_softmax_tree(self, start: Floats) -> None:
        root = np.zeros_like(start)
        self.add_tree(BoostedVectorTree(self.settings, self.nominal, self.boundaries, root))

    new_tree = new_softmax_tree  # type: ignore[assignment]

    def begin_class(self, w: float) -> None:
        self.n_classes += 1
        if self.n_classes == 1:
            return
        if not self.trees:
            self.new_softmax_tree(np.zeros(1))
        (tree,) = self.trees
        assert isinstance(tree, BoostedVectorTree)
        tree.add_class()

    def stand_on(self, base: Sequence[float]) -> None:
        for tree in self.trees:
            assert isinstance(tree, MemberTree)
            tree.base = np.array(base)

    def learn_row(self, x: list[float], y: Any, w: float) -> None:
        """The row is thinned by the gradient of its own class."""
        self.follow(x, y, w)
        for tree in self.trees:
            g, h = softmax_derivatives(int(y), tree.values(x).tolist())
            copies = self.copies(float(g[int(y)]), 0)
            if copies > 0:
                tree.learn(x, self.cells(x), g, h, w, copies)


class MemberRegressor(OfLosses, FollowingRegressor):
    """One tree under a loss of one output."""


class MemberOfTargets(OfLosses, FollowingOfTargets):
    """One tree with an output for each target."""


class LinearMemberRegressor(MemberRegressor, LinearRegressor):
    """With linear leaves."""


class LinearMemberOfTargets(MemberOfTargets, LinearOfTargets):
    """With linear leaves."""


class LinearMemberClassifier(OfClasses, LinearClassifier):
    """With linear leaves."""


# --------------------------------------------------------------------------------------------------
# Members
# --------------------------------------------------------------------------------------------------


class Member:
    """A model, what watches it, and the model in the background that may take its place."""

    watches_errors = False

    def __init__(self, model: MemberModel) -> None:
        self.model = model
        self.background: MemberModel | None = None
        self.judge = Judge()
        self.units: dict[int, Unit] = {}
        self.recent_losses: dict[int, float] = {}
        self.benefit = Proof([], [])

    def models(self) -> list[MemberModel]:
        return [self.model] if self.background is None else [self.model, self.background]

    def own_scores(self, x: list[float]) -> list[float]:
        return self.model.chosen_raw(x)

    def admit(self, w: float) -> None:
        for model in self.models():
            model.admit(w)

    def learn(self, x: list[float], y: Any, w: float, base: list[float], copies: int) -> None:
        if not self.watches_errors:
            assert self.background is None
            self.model.take(x, y, w, base, copies)
            return
        self.note_errors(self.model.errors(y, self.own_scores(x)))
        seen = [self.seen(model, x, y) for model in self.models()]
        for model in self.models():
            model.take(x, y, w, base, copies)
        self.watch(seen, w)

    # ---- change ----------------------------------------------------------------------------------

    def note_errors(self, errors: list[float]) -> None:
        if not self.model.errors_have_units:
            return
        are_new = [self.units.setdefault(k, Unit()).take(e) for k, e in enumerate(errors)]
        if any(are_new):
            self.judge.detector = Adwin()

    def seen(self, model: MemberModel, x: list[float], y: Any) -> tuple[float, list[float]]:
        """The error of a prediction, and its losses."""
        raw = model.chosen_raw(x)
        errors = model.errors(y, raw)
        if model.errors_have_units:
            errors = [self.units[k].of(error) for k, error in enumerate(errors)]
        return math.fsum(errors) / len(errors), model.judged(y, raw)

    def watch(self, seen: list[tuple[float, list[float]]], w: float) -> None:
        error, losses = seen[0]
        difference = errors = 0.0
        if self.background is not None:
            error_of_background, losses_of_background = seen[1]
            difference = w * self.difference(losses, losses_of_background)
            errors = w * (error - error_of_background)
        verdict = self.judge.see(error, difference, errors, self.model.n_learned)
        if verdict == "alarm":
            self.background, self.recent_losses = self.model.fresh(), {}
        elif verdict == "replaced":
            assert self.background is not None
            self.model, self.background, self.units = self.background, None, {}
        elif verdict == "no lead":
            self.background = None

    def difference(self, losses: list[float], losses_of_background: list[float]) -> float:
        """Of several targets each in units of its recent mean loss."""
        pairs = list(zip(losses, losses_of_background, strict=True))
        if len(pairs) == 1:
            return losses[0] - losses_of_background[0]
        assert self.judge.proof is not None
        share = max(1 / (len(self.judge.proof.differences) + 1), RECENT)
        found = []
        for k, (one, other) in enumerate(pairs):
            mean = self.recent_losses.get(k, 0.0)
            mean += share * ((abs(one) + abs(other)) / 2 - mean)
            self.recent_losses[k] = mean
            found.append((one - other) / mean if mean > 0 else 0.0)
        return math.fsum(found)

    # ---- harm ------------------------------------------------------------------------------------

    def judge_benefit(self, benefit: float) -> None:
        """By how much it has lowered the loss of a row that it has learned just now."""
        self.benefit.differences.append(benefit)
        n = len(self.benefit.differences)
        if n >= ROWS_OF_YOUTH and n % ROWS_OF_LOOK == 0 and self.benefit.t() < T_OF_HARM:
            self.judge.note("harm", self.model.n_learned)
            self.model, self.benefit = self.model.fresh(), Proof([], [])


# --------------------------------------------------------------------------------------------------
# Ensembles
# --------------------------------------------------------------------------------------------------


class Ensemble(OracleLearner):
    """Members over the same features, which learn the same rows."""

    settings: EnsembleSettings
    members: list[Member]
    next_member = 0
    """That learns in stages."""
    is_fitting = False
    """Rows come in an order of the caller's own, perhaps several times."""
    has_been_fitted = False
    stage_rows: list[tuple[list[float], Any, float]]
    stage_scores: list[list[float]]
    """Of the members that have learned in stages, for each row."""
    first_scores: list[float]
    """Where a sum of members begins: the best constants."""

    @property
    def is_boosted(self) -> bool:
        return self.settings.combination == "boosting"

    @property
    def has_race(self) -> bool:
        return self.settings.combination != "averaging"

    @property
    def is_calibrated(self) -> bool:
        return False

    @property
    def factor(self) -> float:
        """By which scores are multiplied before they are predicted."""
        return FACTORS[self.calibration.ahead] if self.is_calibrated else 1.0

    def scores_without_trees(self) -> list[float]:
        return []

    def new_model(self, settings: EnsembleSettings) -> MemberModel:
        raise NotImplementedError

    def start(self) -> None:
        self.first_scores = self.scores_without_trees()
        super().start()
        self.race = Race(self.settings.n_members)
        self.calibration = Race(len(FACTORS))
        self.members = [self.new_member(m) for m in range(self.settings.n_members)]
        self.find_trees()

    def new_member(self, m: int) -> Member:
        model = self.new_model(self.settings.of_member(m))
        model.member, model.adds_to_others = m, self.is_boosted
        model.begin(self)
        return Member(model)

    @property
    def watches(self) -> bool:
        """Whether trees may be replaced, or begin anew."""
        may_replace = self.settings.replaces_on_drift and self.settings.round_rows == 1
        return may_replace and not self.is_fitting

    def new_tree(self, start: float | Floats) -> None:
        """Trees are those of the members; here is what the sum begins with."""
        self.first_scores += np.atleast_1d(start).tolist()

    def find_trees(self) -> None:
        self.trees = [tree for member in self.members for tree in member.model.trees]

    def trees_with_bins(self) -> list[OracleTree]:
        return [
            tree for member in self.members for model in member.models() for tree in model.trees
        ]

    def structure(self, k: int) -> dict[str, Any]:
        for member in self.members:
            if k < len(member.model.trees):
                return member.model.structure(k)
            k -= len(member.model.trees)
        raise IndexError(k)

    # ---- scores ----------------------------------------------------------------------------------

    def scores_of_members(self, x: list[float]) -> list[list[float]]:
        """Of each member; boosted ones are added up to it."""
        own = [member.own_scores(x) for member in self.members]
        if not self.is_boosted:
            return own
        sums, so_far = [], self.first_scores
        for scores in own:
            so_far = [
                f + self.settings.learning_rate * s for f, s in zip(so_far, scores, strict=True)
            ]
            sums.append(so_far)
        return sums

    def ways(self) -> list[int]:
        """The members that a race is between, in the order in which equal ones are preferred.

        Of boosted ones all up to that member are in use: at first these are all.
        """
        members = list(range(len(self.members)))
        return members[::-1] if self.is_boosted else members

    def combined(self, by_member: list[list[float]]) -> list[float]:
        if self.has_race:
            return by_member[self.ways()[self.race.ahead]]
        share = 1 / len(by_member)
        return [math.fsum(share * s for s in scores) for scores in zip(*by_member, strict=True)]

    def raw_scores(self, x: list[float]) -> list[float]:
        """What is predicted."""
        return [self.factor * s for s in self.combined(self.scores_of_members(x))]

    # ---- learning --------------------------------------------------------------------------------

    def admit(self, y: Any, w: float) -> None:
        """A class that no row had is known to all members before one of them learns the row."""

    def learn_row(self, x: list[float], y: Any, w: float) -> None:
        self.tell_members_the_round()
        self.tell_members_to_watch()
        self.admit(y, w)
        scores = self.scores_of_members(x)
        nothing = [0.0] * len(scores[0])
        bases = [self.first_scores, *scores] if self.is_boosted else [nothing] * len(scores)
        number = self.n_learned
        if self.is_frozen:
            number = self.rows_of_round % rows_of_block(self.round_size)
        for m, member in enumerate(self.members):
            member.learn(x, y, w, bases[m], self.settings.copies(number, m))
        if not self.is_frozen:
            if self.is_calibrated:
                self.calibrate(y, w, self.combined(scores))
            self.compare_members(y, w, scores)
        self.find_trees()

    def calibrate(self, y: Any, w: float, raw: list[float]) -> None:
        """By the losses that the row's scores would have had with each factor."""
        losses = []
        for factor in FACTORS:
            (loss,) = self.members[0].model.judged(y, [factor * s for s in raw])
            losses.append(w * (loss + CHARGE * abs(math.log(factor))))
        self.calibration.run(losses)

    def compare_members(self, y: Any, w: float, scores: list[list[float]]) -> None:
        """By the losses of what they have predicted."""
        judged = self.members[0].model.judged
        losses = [math.fsum(judged(y, of_member)) for of_member in scores]
        if self.is_boosted and self.watches:
            for m in range(1, len(losses)):
                self.members[m].judge_benefit(losses[m - 1] - losses[m])
        if self.has_race:
            self.race.run([w * losses[m] for m in self.ways()])

    def tell_members_the_round(self) -> None:
        for member in self.members:
            for model in member.models():
                model.n_learned, model.is_frozen = self.n_learned, self.is_frozen
                model.round_size, model.rows_of_round = self.round_size, self.rows_of_round

    def tell_members_to_watch(self) -> None:
        for member in self.members:
            member.watches_errors = self.watches and not self.is_boosted
            for model in member.models():
                model.follows = not self.is_fitting

    # ---- fit -------------------------------------------------------------------------------------

    def learn_pass(self, rows: Sequence[tuple[Floats, Any, float]]) -> None:
        """A pass of ``fit``: it follows no row, and looks for neither change nor harm."""
        self.is_fitting = self.has_been_fitted = True
        for x, y, w in rows:
            self.learn(x, y, w)
        self.end_warm_up()
        self.end_round()
        self.is_fitting = False
        for member in self.members:
            for model in member.models():
                model.restart_following()

    def begin_stages(self, rows: Sequence[tuple[Floats, Any, float]]) -> None:
        """``fit`` of boosting in stages: bins and start come from all rows, in their order."""
        self.is_fitting = self.has_been_fitted = True
        self.next_member = 0
        self.stage_rows = [([float(v) for v in x], y, w) for x, y, w in rows if w > 0]
        if self.warming_up:
            self.buffer = self.stage_rows
            self.boundaries = [self.boundaries_of(i) for i in range(len(self.nominal))]
            self.warming_up = False
            self.start()
            self.begin_watch()
            self.buffer = []
        for _, y, w in self.stage_rows:
            self.admit(y, w)
            for member in self.members:
                member.model.count(y, w)
        self.find_trees()
        self.tell_members_to_watch()
        self.stage_scores = [list(self.first_scores) for _ in self.stage_rows]

    def learn_stage(self, orders: Sequence[Sequence[int]]) -> None:
        """The next member learns the rows in passes; those before it stand still."""
        model = self.members[self.next_member].model
        model.n_learned = self.n_learned
        for tree in model.trees:
            tree.is_in_stage_of_classes = isinstance(model, OfClasses)
        for i in (i for order in orders for i in order):
            x, y, w = self.stage_rows[i]
            model.take(x, y, w, self.stage_scores[i], copies=1)
            model.n_learned += 1
        for (x, _, _), scores in zip(self.stage_rows, self.stage_scores, strict=True):
            for k, own in enumerate(model.chosen_raw(x)):
                scores[k] += self.settings.learning_rate * own
        for tree in model.trees:
            for leaf in tree.leaves():
                leaf.forget_rows()
            tree.is_in_stage_of_classes = False
        self.next_member += 1

    def end_stages(self) -> None:
        self.n_learned = self.members[0].model.n_learned
        self.is_fitting = False
        for member in self.members:
            member.model.restart_following()

    def losses_of_members(self, rows: Sequence[tuple[Floats, Any, float]]) -> list[float]:
        """The mean losses of rows set aside: by the first member, by the first two, ..."""
        judged = self.members[0].model.judged
        sums = [0.0] * len(self.members)
        for x, y, w in rows:
            for m, scores in enumerate(self.scores_of_members([float(value) for value in x])):
                sums[m] += w * math.fsum(judged(y, scores))
        return [total / math.fsum(w for _, _, w in rows) for total in sums]

    def judge_members(self, losses: list[float]) -> None:
        """Let the race begin with the losses of rows set aside."""
        self.race.begin_with([losses[m] for m in self.ways()])

    @property
    def n_in_use(self) -> int:
        return self.ways()[self.race.ahead] + 1


class EnsembleRegressor(Ensemble, OracleRegressor):
    """One target."""

    def new_model(self, settings: EnsembleSettings) -> MemberModel:
        kind = LinearMemberRegressor if settings.linear_leaves else MemberRegressor
        return kind(settings, self.nominal, None, self.loss)

    def predict(self, x_row: Floats) -> float:
        if self.warming_up:
            return super().predict(x_row)
        (raw,) = self.raw_scores([float(value) for value in x_row])
        return raw


class EnsembleOfTargets(Ensemble, OracleOfTargets):
    """Several targets or labels."""

    def new_model(self, settings: EnsembleSettings) -> MemberModel:
        kind = LinearMemberOfTargets if settings.linear_leaves else MemberOfTargets
        return kind(settings, self.nominal, None, self.losses)

    def predict(self, x_row: Floats) -> Floats:
        if self.warming_up:
            return super().predict(x_row)
        return np.array(self.raw_scores([float(value) for value in x_row]))


class EnsembleClassifier(Ensemble, OracleClassifier):
    """Classes, each member a committee."""

    @property
    def is_calibrated(self) -> bool:
        """A forest of one member is that member."""
        adds_up_several = self.is_boosted or (not self.has_race and len(self.members) > 1)
        return self.settings.calibrates and adds_up_several and not self.has_been_fitted

    def scores_without_trees(self) -> list[float]:
        return [0.0]

    def new_model(self, settings: EnsembleSettings) -> MemberModel:
        kind = LinearMemberClassifier if settings.linear_leaves else OfClasses
        return kind(settings, self.nominal)

    def admit(self, y: Any, w: float) -> None:
        is_new = self.is_new_class(y)
        self.admit_class(y, w)
        for member in self.members if is_new else []:
            member.admit(w)

    def softmax(self, x: Sequence[float]) -> list[float]:
        if self.n_classes == 0:
            return []
        return [p for p, _ in probabilities(self.raw_scores(list(x)))]


class EnsembleVectorClassifier(EnsembleClassifier, OracleVectorClassifier):
    """Classes, each member a tree with a score for each class in its leaves."""

    def new_model(self, settings: EnsembleSettings) -> MemberModel:
        kind = OfBoostedVectors if self.is_boosted else OfVectors
        return kind(settings, self.nominal)

    def new_softmax_tree(self, start: Floats) -> None:
        self.first_scores = start.tolist()

    def admit(self, y: Any, w: float) -> None:
        super().admit(y, w)
        self.weights_learned.append(w)

    def begin_class(self, w: float) -> None:
        """Where the sum begins a class is as rare as it is so far."""
        self.n_classes += 1
        if self.n_classes > 1:
            from_data = self.settings.start_from_data
            share = math.log(w / math.fsum(self.weights_learned)) if from_data else 0.0
            self.first_scores.append(share)
