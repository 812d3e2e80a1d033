"""Where rows come from: everything here yields blocks of labelled rows, one after the other.

`open_stream` opens files, arrays, data frames and iterators; the generators make rows up. All of
them are a `Stream`, which can be cut (`head`, `skip`), shuffled, and read ahead.

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
from sgtrees.streams.generators import (
    Agrawal,
    Drift,
    FlightDelays,
    Friedman,
    Generator,
    Hyperplane,
    Led,
    RandomRbf,
    Sea,
)
from sgtrees.streams.opening import open_stream
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
    "Sea",
    "Skipped",
    "Stream",
    "StreamError",
    "open_stream",
]
