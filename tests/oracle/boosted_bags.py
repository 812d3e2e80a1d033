"""The oracle for boosting of bags: trees whose scores of an instance add up."""

from __future__ import annotations

import math

from tests.oracle.bags import Floats, OracleBags, logistic
from tests.oracle.ensembles import EnsembleSettings
from tests.oracle.following import Race

GREATEST_LOSS = -math.log(1e-4)


class BoostedBags(OracleBags):
    """A tree for each member; the one of member m learns at the scores of those before it."""

    settings: EnsembleSettings

    def start(self) -> None:
        self.first = self.log_odds() if self.settings.start_from_data else 0.0
        self.race = Race(self.settings.n_members)
        self.instances_learned = 0
        for _ in range(self.settings.n_members):
            self.new_tree(0.0)

    def sums(self, x: list[float]) -> list[float]:
        """The score of an instance by no member, by the first one, by the first two, ..."""
        found = [self.first]
        for tree in self.trees:
            found.append(found[-1] + self.settings.learning_rate * tree.value(x))
        return found

    def learn_now(self, bag: list[list[float]], label: float, w: float) -> None:
        scores = [self.sums(x) for x in bag]
        for m, tree in enumerate(self.trees):
            at = [of_x[m] + tree.value(x) for x, of_x in zip(bag, scores, strict=True)]
            copies = self.settings.copies(self.instances_learned, m)
            if copies > 0:
                self.learn_in_tree(tree, bag, at, label, copies * w)
        by_members = [self.pool(list(of_n))[0] for of_n in zip(*scores, strict=True)][1:]
        losses = [self.loss_of_bag(score, label) for score in by_members]
        self.race.run([w * loss for loss in reversed(losses)])
        self.instances_learned += len(bag)

    def loss_of_bag(self, score: float, label: float) -> float:
        return min(-math.log(logistic(score if label == 1 else -score)), GREATEST_LOSS)

    def instance_score(self, x_row: Floats) -> float:
        if self.warming_up:
            return self.log_odds()
        members = len(self.trees) - self.race.ahead
        return self.sums([float(value) for value in x_row])[members]
