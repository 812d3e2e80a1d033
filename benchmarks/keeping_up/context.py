"""What all sections share: where the streams are, and which settings our models get."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.records import Run
from benchmarks.accuracy.runs import run_ours
from benchmarks.accuracy.streams import FILE_ORDER, StudyStream
from sgtrees import SGTClassifier, SGTRegressor

Settings = dict[str, Any]

# Each switches off what follows a stream; what an estimator does not know is not passed.
NO_FOLLOWING: Settings = {"following_rates": ()}
NO_REPLACEMENT: Settings = {"on_drift": "ignore"}
ALL_OFF: Settings = {**NO_FOLLOWING, **NO_REPLACEMENT, "adaptive_ranges": False}


@dataclass(frozen=True)
class Context:
    """How a run of the table is made."""

    folder: Path
    quick: bool = False
    settings: Settings = field(default_factory=dict)

    @property
    def seeds(self) -> range:
        """The shuffles."""
        return range(1 if self.quick else 3)

    def ours(
        self,
        stream: StudyStream,
        settings: Settings | None = None,
        order: str = FILE_ORDER,
        rows: int = 0,
    ) -> Run:
        """Run our tree, test then train, over a stream in an order."""
        given = self.existing(settings or {}, classification=stream.classification)
        say(f"{stream.name}, order {order} {given or ''}")
        return run_ours(stream, stream.files(self.folder), order, given, rows)

    def model(self, settings: Settings | None = None, *, classification: bool) -> Any:
        """Return a new model."""
        make = SGTClassifier if classification else SGTRegressor
        return make(n_threads=1, **self.existing(settings or {}, classification=classification))

    def existing(self, settings: Settings, *, classification: bool) -> Settings:
        """Return these settings and those of the whole run, as far as there are such parameters."""
        known = parameters(classification=classification)
        return {name: value for name, value in (self.settings | settings).items() if name in known}


def parameters(*, classification: bool) -> set[str]:
    """Return the names of an estimator's parameters."""
    make = SGTClassifier if classification else SGTRegressor
    return set(inspect.signature(make).parameters)


def exists(settings: Settings) -> bool:
    """Return whether there are such parameters at all."""
    return set(settings) <= parameters(classification=True)


def last_label_error(stream: StudyStream, folder: Path) -> float:
    """Return how often a row's class is not that of the row before."""
    y = np.asarray(stream.files(folder).read().y)
    return float(np.mean(y[1:] != y[:-1]))


def say(message: str) -> None:
    """Show progress."""
    print(f"  {message} ...", file=sys.stderr, flush=True)
