"""The streams of the study, as numbers that every learner reads, in files that are written once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import streams as synthetic
from benchmarks.datasets import KDD99_NOMINAL
from benchmarks.isolation import ROOT
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets.stream_reading import parquet
from sgtrees_experiments.moa import NumericStream, StreamFiles

FILE_ORDER = "file"
_COVERTYPE_NOMINAL = [f"Wilderness_Area{i}" for i in range(1, 5)]
_COVERTYPE_NOMINAL += [f"Soil_Type{i}" for i in range(1, 41)]


@dataclass(frozen=True)
class StudyStream:
    """A stream; `in_bars` where the published comparison with the peers counts it."""

    name: str
    classification: bool
    read: Callable[[], NumericStream]
    in_bars: bool = True
    has_order: bool = True  # whether the order in the file means anything
    variant: str = ""  # of several streams of that name

    def files(self, folder: Path) -> StreamFiles:
        """Return the stream's files, written into a folder of their own the first time."""
        of_stream = folder / f"{self.name} {self.variant}".strip()
        files = StreamFiles(of_stream)
        if not (of_stream / "whole").exists():
            of_stream.mkdir(parents=True, exist_ok=True)
            StreamFiles.write(self.read(), of_stream)
            (of_stream / "whole").touch()
        return files

    def orders(self, seeds: int) -> list[str]:
        """Return the names of the orders: some shuffles, and the file's own."""
        return [*(str(seed) for seed in range(seeds)), *([FILE_ORDER] if self.has_order else [])]


def order_of(name: str, rows: int) -> NDArray[np.int64]:
    """Return the rows' numbers in an order: that of the file, or a shuffle named by its seed."""
    if name == FILE_ORDER:
        return np.arange(rows)
    return np.random.default_rng(int(name)).permutation(rows)


def _real(
    name: str, file: str = "", nominal: Sequence[str] = (), *, classification: bool
) -> StudyStream:
    def read() -> NumericStream:
        folder = Path(os.environ.get("SGTREES_DATA") or ROOT.parent / "shared" / "data")
        path = folder / f"{file or name}.parquet"
        if not path.exists():
            raise AbsentError(f"no {path.name} in $SGTREES_DATA or ../shared/data")
        return parquet(nominal, classification=classification)([path])

    return StudyStream(name, classification, read)


def _drawn(
    name: str, draw: Callable[[int], tuple[NDArray[np.float32], NDArray[np.float64]]], classes: int
) -> StudyStream:
    def read() -> NumericStream:
        X, y = draw(_DRAWN_ROWS)
        return NumericStream(X.astype(np.float64), y.astype(np.float64), [0] * X.shape[1], classes)

    return StudyStream(name, bool(classes), read, in_bars=False, has_order=False)


def _collider(rows: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    X, y = synthetic.collider(rows)
    return X, y.astype(np.float64)


_DRAWN_ROWS = 200_000

STREAMS: dict[str, StudyStream] = {
    stream.name: stream
    for stream in (
        _real("covtype", nominal=_COVERTYPE_NOMINAL, classification=True),
        _real("kdd99_10pct", nominal=KDD99_NOMINAL, classification=True),
        _real("elec2", classification=True),
        _real("adult", classification=True),
        _real("letter", classification=True),
        _real("fars", classification=True),
        _real("gmsc", classification=True),
        _real("higgs_16k", classification=True),
        _drawn("collider", _collider, classes=2),
        _real("aws", "aws_spot_us_east_1_2016", classification=False),
        _real("airline_nyc", "airline_nyc_2013", classification=False),
        _real("airline_vega", "airline_vega_2001_3m", classification=False),
        _real("bike_sharing", "bike_sharing_hour", classification=False),
        _drawn("friedman", synthetic.friedman, classes=0),
    )
}
