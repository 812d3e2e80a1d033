"""What the demonstration does: a tree learns a stream of flights, and every step is measured."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sgtrees.classifier import SGTClassifier
from sgtrees.evaluation import CurvePoint, LearningCurve, MajorityClass, window_ends
from sgtrees.inspection import SplitInWords, TreeView, top_splits, view_trees
from sgtrees.streams import Block, FlightDelays

# The label that the demonstration is about, and how many splits it tells.
LATE = "late"
_TOP = 5


@dataclass(frozen=True)
class DemoResult:
    """What came out, be it in the end or on the way.

    Attributes
    ----------
    asked_rows : int
        The number of rows that were to be learned.
    seed : int
        The stream's seed.
    curve : LearningCurve
        The errors and the tree's growth, window by window.
    total_seconds : float
        All the time since the start, the making of the rows included.
    n_nodes, n_leaves, depth, memory_bytes : int
        The tree's size; zeros before it has begun.
    tree : TreeView or None
        The tree; None before it has begun.
    top_splits : tuple of SplitInWords
        Its most telling splits, with the probability of "late" for each answer.
    """

    asked_rows: int
    seed: int
    curve: LearningCurve
    total_seconds: float
    n_nodes: int = 0
    n_leaves: int = 0
    depth: int = 0
    memory_bytes: int = 0
    tree: TreeView | None = None
    top_splits: tuple[SplitInWords, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all rows were learned."""
        return self.curve.rows == self.asked_rows

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON."""
        curve = self.curve
        return {
            "rows": curve.rows,
            "asked_rows": self.asked_rows,
            "complete": self.complete,
            "seed": self.seed,
            "seconds": {"learning": curve.seconds, "total": self.total_seconds},
            "rows_per_second": curve.rows_per_second,
            "error": {
                "tree": curve.error,
                "majority_class": curve.majority_error,
                "best_possible": curve.best_error,
            },
            "tree": {
                "n_leaves": self.n_leaves,
                "n_nodes": self.n_nodes,
                "depth": self.depth,
                "memory_bytes": self.memory_bytes,
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
            "curve": [asdict(point) for point in curve.points],
        }


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
    >>> result.complete, result.n_leaves > 10
    (True, True)
    >>> result.curve.best_error < result.curve.error < result.curve.majority_error
    True
    """

    def __init__(self, rows: int = 1_000_000, seed: int = 0) -> None:
        self.rows = rows
        self.seed = seed
        columns = FlightDelays.columns
        self._model = SGTClassifier(
            categorical_features=[place for place, column in enumerate(columns) if column.nominal]
        )
        self._points: list[CurvePoint] = []
        self._began = time.perf_counter()

    def run(self) -> Iterator[CurvePoint]:
        """Learn the stream, window by window.

        Yields
        ------
        CurvePoint
            What is known at the end of each window.
        """
        stream = FlightDelays(self.seed)
        majority = MajorityClass()
        rows = 0
        self._points = []
        self._began = time.perf_counter()
        for end in window_ends(self.rows):
            point = self._learn(stream.take(end - rows), majority, end)
            rows = end
            self._points.append(point)
            yield point

    def _learn(self, block: Block, majority: MajorityClass, rows: int) -> CurvePoint:
        began = time.perf_counter()
        predicted = self._model.learn_predict(block.X, block.y)
        seconds = time.perf_counter() - began
        assert block.best_error is not None
        return CurvePoint(
            rows=rows,
            window=len(block),
            error=float(np.mean(predicted != block.y)),
            majority_error=float(np.mean(majority.learn_predict(block.y) != block.y)),
            best_error=block.best_error,
            n_leaves=self._model.n_leaves_,
            seconds=seconds + (self._points[-1].seconds if self._points else 0.0),
        )

    def result(self) -> DemoResult:
        """Return what has come out so far; also where `run` was left before its end.

        Returns
        -------
        DemoResult
            Measurements, and the tree as it is now.
        """
        total_seconds = time.perf_counter() - self._began
        curve = LearningCurve(tuple(self._points))
        if not curve.points:
            return DemoResult(self.rows, self.seed, curve, total_seconds)
        columns = FlightDelays.columns
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
            curve,
            total_seconds,
            n_nodes=self._model.n_nodes_,
            n_leaves=self._model.n_leaves_,
            depth=self._model.depth_,
            memory_bytes=self._model._known("memory_bytes").core.memory_bytes,
            tree=tree,
            top_splits=() if tree is None else top_splits(tree, _TOP, label=LATE),
        )
