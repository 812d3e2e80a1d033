"""What the demonstration does: a tree learns a stream of flights, and every step is measured."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.evaluation import Evaluation, MajorityClass, Point, Prequential
from sgtrees.inspection import SplitInWords, TreeView, top_splits, view_trees
from sgtrees.streams import FlightDelays

# The label that the demonstration is about, and how many splits it tells.
LATE = "late"
_TOP = 5

# What the models are called, and the figure that is told of them.
TREE = "gradient tree"
MAJORITY = "majority class"
_METRIC = "error"


@dataclass(frozen=True)
class DemoResult:
    """What came out, be it in the end or on the way.

    Attributes
    ----------
    asked_rows : int
        The number of rows that were to be learned.
    seed : int
        The stream's seed.
    evaluation : Evaluation
        The errors and the tree's growth, window by window.
    total_seconds : float
        All the time since the start, the making of the rows included.
    depth : int
        The tree's depth; 0 before it has begun.
    tree : TreeView or None
        The tree; None before it has begun.
    top_splits : tuple of SplitInWords
        Its most telling splits, with the probability of "late" for each answer.
    """

    asked_rows: int
    seed: int
    evaluation: Evaluation
    total_seconds: float
    depth: int = 0
    tree: TreeView | None = None
    top_splits: tuple[SplitInWords, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows that were learned."""
        return self.evaluation.rows

    @property
    def complete(self) -> bool:
        """Whether all rows were learned."""
        return self.rows == self.asked_rows

    @property
    def best_error(self) -> float:
        """The best possible error over all rows."""
        ends = [0, *(point.rows for point in self.evaluation.points)]
        sizes = [end - start for start, end in pairwise(ends)]
        errors = [point.best_error or 0.0 for point in self.evaluation.points]
        return sum(n * error for n, error in zip(sizes, errors, strict=True)) / max(self.rows, 1)

    def milestones(self) -> tuple[Point, ...]:
        """Return the points at 1, 2 or 5 times a power of ten rows, and the last one."""
        points = self.evaluation.points
        return tuple(p for p in points if _is_round(p.rows) or p.rows == self.rows)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON."""
        tree = self.evaluation.last(TREE) if self.rows else None
        return {
            "rows": self.rows,
            "asked_rows": self.asked_rows,
            "complete": self.complete,
            "seed": self.seed,
            "seconds": {
                "learning": 0.0 if tree is None else tree.seconds,
                "total": self.total_seconds,
            },
            "rows_per_second": self.evaluation.rows_per_second(TREE) if self.rows else 0.0,
            "error": {
                "tree": self.evaluation.total(_METRIC, TREE) if self.rows else None,
                "majority_class": self.evaluation.total(_METRIC, MAJORITY) if self.rows else None,
                "best_possible": self.best_error,
            },
            "tree": {
                "n_leaves": 0 if tree is None else tree.n_leaves,
                "n_nodes": 0 if tree is None else tree.n_nodes,
                "depth": self.depth,
                "memory_bytes": 0 if tree is None else tree.memory_bytes,
            },
            "top_splits": [
                {
                    "question": split.question,
                    "where": split.where,
                    "share": split.share,
                    "late": dict(split.answers),
                }
                for split in self.top_splits
            ],
            "curve": [
                {
                    "rows": point.rows,
                    "window": point.window,
                    "error": point.models[TREE].window[_METRIC],
                    "majority_error": point.models[MAJORITY].window[_METRIC],
                    "best_error": point.best_error,
                    "n_leaves": point.models[TREE].n_leaves,
                    "seconds": point.models[TREE].seconds,
                }
                for point in self.evaluation.points
            ],
        }


def _is_round(rows: int) -> bool:
    """Tell whether a number is 1, 2 or 5 times a power of ten."""
    return rows / 10 ** math.floor(math.log10(rows)) in (1.0, 2.0, 5.0)


class Demo:
    """A tree that learns whether flights arrive late, from the stream `FlightDelays`.

    Parameters
    ----------
    rows : int, default=1_000_000
        The number of rows to learn.
    seed : int, default=0
        The stream's seed.

    Examples
    --------
    >>> demo = Demo(rows=20_000)
    >>> for point in demo.run():
    ...     pass
    >>> result = demo.result()
    >>> result.complete, len(result.tree.leaves) > 10
    (True, True)
    >>> errors = [result.evaluation.total("error", name) for name in (TREE, MAJORITY)]
    >>> result.best_error < errors[0] < errors[1]
    True
    """

    def __init__(self, rows: int = 1_000_000, seed: int = 0) -> None:
        self.rows = rows
        self.seed = seed
        flights = FlightDelays(seed)
        self._model = SGTClassifier(categorical_features=flights.nominal)
        self._evaluation = Prequential(
            flights.head(rows),
            {TREE: self._model, MAJORITY: MajorityClass()},
            metrics=[_METRIC],
        )
        self._began = time.perf_counter()

    def run(self) -> Iterator[Point]:
        """Learn the stream, window by window.

        Yields
        ------
        Point
            What is known at the end of each window.
        """
        self._began = time.perf_counter()
        yield from self._evaluation.run()

    def result(self) -> DemoResult:
        """Return what has come out so far; also where `run` was left before its end.

        Returns
        -------
        DemoResult
            Measurements, and the tree as it is now.
        """
        total_seconds = time.perf_counter() - self._began
        evaluation = self._evaluation.result()
        if not evaluation.points:
            return DemoResult(self.rows, self.seed, evaluation, total_seconds)
        columns = FlightDelays().columns
        trees = view_trees(
            self._model,
            feature_names=[column.name for column in columns],
            category_names={c.name: c.categories for c in columns if c.categories is not None},
        )
        # With two labels there is one tree, and none before the warm-up's end.
        tree = trees[0] if trees else None
        return DemoResult(
            self.rows,
            self.seed,
            evaluation,
            total_seconds,
            depth=self._model.depth_,
            tree=tree,
            top_splits=() if tree is None else top_splits(tree, _TOP, label=LATE),
        )
