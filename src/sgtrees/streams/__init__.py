"""Streams of labelled rows: each yields blocks, one after the other.

`open_stream` opens files, arrays, data frames and iterators; the generators are synthetic. All of
them are a `Stream`, with the methods `head`, `skip`, `shuffle` and `prefetch`.

>>> from sgtrees import SGTClassifier
>>> from sgtrees.streams import Drift, Sea
>>> stream = Drift(Sea(0), Sea(3, seed=1), at=10_000, width=2_000).head(20_000)
>>> model, errors = SGTClassifier(), 0
>>> for block in stream:
...     errors += (model.learn_predict(block.X, block.y) != block.y).sum()
>>> bool(errors < 4_000)
True
"""

from sgtrees.streams.block import Block, Column
from sgtrees.streams.errors import Fault, Skipped, StreamError
from sgtrees.streams.factory import open_stream
from sgtrees.streams.generators.agrawal import Agrawal
from sgtrees.streams.generators.drift import Drift
from sgtrees.streams.generators.flight_delays import FlightDelays
from sgtrees.streams.generators.friedman import Friedman
from sgtrees.streams.generators.generator import Generator
from sgtrees.streams.generators.hyperplane import Hyperplane
from sgtrees.streams.generators.led import Led
from sgtrees.streams.generators.random_rbf import RandomRbf
from sgtrees.streams.generators.random_tree import RandomTree
from sgtrees.streams.generators.sea import Sea
from sgtrees.streams.stream import Stream

__all__ = [
    "Agrawal",
    "Block",
    "Column",
    "Drift",
    "Fault",
    "FlightDelays",
    "Friedman",
    "Generator",
    "Hyperplane",
    "Led",
    "RandomRbf",
    "RandomTree",
    "Sea",
    "Skipped",
    "Stream",
    "StreamError",
    "open_stream",
]
