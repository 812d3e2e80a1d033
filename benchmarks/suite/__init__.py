"""The benchmarks: each module has a `run(settings)` that returns its figures."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.figures import Figure
from benchmarks.settings import Settings
from benchmarks.suite import (
    airline,
    collider,
    covertype,
    ensembles,
    files,
    footprint,
    friedman,
    kdd99,
    long_stream,
    model_files,
    own_losses,
    single_rows,
)

BENCHMARKS: dict[str, Callable[[Settings], list[Figure]]] = {
    "collider": collider.run,
    "ensembles": ensembles.run,
    "long-stream": long_stream.run,
    "covertype": covertype.run,
    "kdd99": kdd99.run,
    "airline": airline.run,
    "friedman": friedman.run,
    "own-losses": own_losses.run,
    "single-rows": single_rows.run,
    "model-files": model_files.run,
    "files": files.run,
    "footprint": footprint.run,
}
