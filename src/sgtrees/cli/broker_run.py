"""What a command keeps of a topic or stream: its position, its lag, and predictions sent on."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from sgtrees.evaluation.predictions import PredictedRows
from sgtrees.streams import Block, Stream
from sgtrees.streams.brokers.addresses import is_address, read_address
from sgtrees.streams.brokers.broker import MessageSink, open_sink
from sgtrees.streams.brokers.broker_stream import BrokerStream
from sgtrees.streams.brokers.messages import Places

_POSITION = "position"
_UNDELIVERED = "undelivered"


def check_broker_options(files: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse options that do not go with a topic or stream, or only with one.

    Parameters
    ----------
    files : sequence of str
        The files or the address.
    options : mapping
        The command's options.
    """
    if not any(is_address(file) for file in files):
        if options.get("predictions") is not None:
            raise click.UsageError("--predictions goes with rows of Kafka or Redis, not with files")
        return
    if options.get("shuffle") is not None:
        raise click.UsageError("--shuffle is for files: rows are learned in the broker's order")
    if options.get("epochs", 1) != 1:
        raise click.UsageError("--epochs is for files: a topic or stream is read once")
    if options.get("cluster") is not None:
        raise click.UsageError("--dask is for files: one process reads a topic or stream")


def start_of(
    files: Sequence[str], options: Mapping[str, Any], notes: Mapping[str, Any] | None
) -> Any:
    """Return where reading begins: at the position of a model that is resumed, or as is given.

    Parameters
    ----------
    files : sequence of str
        The files or the address.
    options : mapping
        The command's options.
    notes : mapping or None
        What the model file says, if there is one.
    """
    if notes is None or not options["resume"]:
        return options["start"]
    position = notes.get(_POSITION)
    has_address = any(is_address(file) for file in files)
    if has_address and position is None:
        raise click.UsageError(
            "the model was not trained from a topic or stream, so that there is no place to resume "
            "at; --update continues it with these rows"
        )
    if position is not None and not has_address:
        raise click.UsageError(
            f"the model was trained from the {position['source']}; --update continues it with files"
        )
    return options["start"] if position is None else position


def without_position(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return notes without what a `BrokerRun` adds.

    Parameters
    ----------
    notes : mapping
        What a model file says.
    """
    return {name: value for name, value in notes.items() if name not in (_POSITION, _UNDELIVERED)}


class BrokerRun:
    """The position of a training in its topic or stream, and where its predictions go.

    Parameters
    ----------
    source : Stream
        The rows; nothing is kept of files.
    model : str
        The model's name in the evaluation.
    options : mapping
        The command's options.
    notes : mapping
        What the model file says: the position, and predictions that did not arrive.
    """

    def __init__(
        self, source: Stream, model: str, options: Mapping[str, Any], notes: Mapping[str, Any]
    ) -> None:
        self._stream = source if isinstance(source, BrokerStream) else None
        self._model = model
        self._places: Places | None = None
        self._position = notes.get(_POSITION) if options["resume"] else None
        self._sink: MessageSink | None = None
        self._predicted: list[tuple[str, str]] = []
        self.labels_of: Callable[[], Sequence[Any] | None] = lambda: None
        if options["predictions"] is not None:
            address = read_address(options["predictions"])
            self._sink = open_sink(address, read_broker_options(options))
            self._sink.send([(str(key), str(text)) for key, text in notes.get(_UNDELIVERED, [])])

    @property
    def has_positions(self) -> bool:
        """Whether the stream continues at positions, not by a number of rows."""
        return self._stream is not None

    def after(self, block: Block) -> None:
        """Note that a block was learned, and send its predictions."""
        self._places = block.places
        if self._sink is not None:
            predicted, self._predicted = self._predicted, []
            self._sink.send(predicted)

    def keep(self, name: str, rows: PredictedRows, block: Block) -> None:
        """Keep the predictions of a block for `after`: a failure then loses and repeats no row."""
        if self._sink is None or name != self._model or block.places is None or not len(rows):
            return
        # Only the first rows of all have no prediction.
        keys = block.places.keys[-len(rows) :]
        values = rows.predicted.tolist()
        labels = self.labels_of()
        if labels is not None:
            values = [_plain(labels[number]) for number in values]
        self._predicted = [
            (key, json.dumps({"key": key, "prediction": value}, ensure_ascii=False))
            for key, value in zip(keys, values, strict=True)
        ]

    def flush(self) -> None:
        """Wait until all predictions have arrived: a checkpoint must not be ahead of them."""
        if self._sink is not None:
            self._sink.flush()

    @property
    def position(self) -> Mapping[str, Any] | None:
        """Where the stream continues after the rows that were learned."""
        if self._places is not None:
            self._position = self._places.position
            self._places = None
        return self._position

    @property
    def notes(self) -> dict[str, Any]:
        """What a model file must say."""
        if self._stream is None or self.position is None:
            return {}
        undelivered = [] if self._sink is None else [list(one) for one in self._sink.undelivered]
        return {_POSITION: self.position, _UNDELIVERED: undelivered}

    @property
    def lag(self) -> int | None:
        """The number of messages that were not learned yet; None if it is not known."""
        if self._stream is None or self.position is None:
            return None
        return self._stream.lag(self.position)


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label


def read_broker_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the broker's client, given as NAME=VALUE.

    Parameters
    ----------
    options : mapping
        The command's options.

    Examples
    --------
    >>> read_broker_options({"broker_options": ("sasl.username=ann", "socket_timeout=5")})
    {'sasl.username': 'ann', 'socket_timeout': 5}
    """
    found: dict[str, Any] = {}
    for text in options.get("broker_options", ()):
        name, is_given, value = text.partition("=")
        if not is_given:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--broker-option")
        found[name.strip()] = int(value) if value.strip().isdigit() else value
    return found
