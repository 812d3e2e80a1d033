"""The demonstration: a tree learns a stream of flights, and is evaluated on it."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.evaluation import Evaluation, MajorityClass, Point, Prequential
from sgtrees.inspection import SplitSummary, TreeView, top_splits, view_trees
from sgtrees.streams import FlightDelays

# The label of interest, and the number of splits in the result.
LATE = "late"
_TOP = 5

# The names of the models, and the metric.
TREE = "gradient tree"
MAJORITY = "majority class"
_METRIC = "error"


@dataclass(frozen=True)
class DemoResult:
    """The result of the demonstration.

    It is complete at the end of the stream, and partial if the demonstration was stopped.

    Attributes
    ----------
    requested_rows : int
        The number of rows to learn.
    seed : int
        The stream's seed.
    evaluation : Evaluation
        The errors and the tree's size, window by window.
    total_seconds : float
        The time since the start, including the generation of the rows.
    depth : int
        The tree's depth; 0 before there is a tree.
    tree : TreeView or None
        The tree; None during the warm-up.
    top_splits : tuple of SplitSummary
        Its most important splits, with the probability of "late" for each branch.
    """

    requested_rows: int
    seed: int
    evaluation: Evaluation
    total_seconds: float
    depth: int = 0
    tree: TreeView | None = None
    top_splits: tuple[SplitSummary, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows that were learned."""
        return self.evaluation.rows

    @property
    def complete(self) -> bool:
        """Whether all rows were learned."""
        return self.rows == self.requested_rows

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
        """Return the result for JSON."""
        tree = self.evaluation.last(TREE) if self.rows else None
        return {
            "rows": self.rows,
            "requested_rows": self.requested_rows,
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
                    "test": split.test,
                    "where": split.where,
                    "share": split.share,
                    "late": dict(split.branches),
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
    """Return whether a number is 1, 2 or 5 times a power of ten."""
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
            The measurements at the end of each window.
        """
        self._began = time.perf_counter()
        yield from self._evaluation.run()

    def result(self) -> DemoResult:
        """Return the result so far; also if `run` was stopped before its end.

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
        # With two labels there is one tree, and none during the warm-up.
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
