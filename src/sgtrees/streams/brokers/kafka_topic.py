"""Topics of Kafka, by confluent-kafka (librdkafka)."""

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from sgtrees.streams.brokers.addresses import Address
from sgtrees.streams.brokers.broker import PATIENCE, MessageSink, MessageSource, Start
from sgtrees.streams.brokers.messages import Messages, Position
from sgtrees.streams.errors import StreamError

_LOGGER = logging.getLogger(__name__)
_SECONDS_TO_CONNECT = 15.0
_SECONDS_PER_READ = 0.1
# When a message has come, others are waited for that long: librdkafka waits until it has as many as
# are asked for, which at the end of a topic would be in vain.
_SECONDS_TO_GATHER = 0.01
# What passes by itself while brokers start again or elect leaders.
_PASSING = (
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._TRANSPORT,
    KafkaError._RESOLVE,
)


class KafkaMessages(Messages):
    """Messages of a topic.

    Parameters
    ----------
    messages : sequence of Message
        The messages, of any partitions.
    before : mapping from int to int
        The next offset of each partition before them.
    """

    def __init__(self, messages: Sequence[Message], before: Mapping[int, int]) -> None:
        self._messages = messages
        self._before = before
        self.payloads = [message.value() for message in messages]

    def key(self, number: int) -> str:
        """Return a message's partition and offset."""
        message = self._messages[number]
        return f"{message.partition()}:{message.offset()}"

    def label(self, number: int) -> str:
        """Return a message's partition and offset for people."""
        message = self._messages[number]
        return f"partition {message.partition()}, offset {message.offset()}"

    def next_after(self, number: int) -> Position:
        """Return the next offset of each partition after a message."""
        following = dict(self._before)
        for message in self._messages[: number + 1]:
            following[_partition(message)] = _offset(message) + 1
        return {str(partition): offset for partition, offset in sorted(following.items())}


def _partition(message: Message) -> int:
    partition = message.partition()
    assert partition is not None
    return partition


def _offset(message: Message) -> int:
    offset = message.offset()
    assert offset is not None
    return offset


class KafkaSource(MessageSource):
    """All partitions of a topic; see `MessageSource`.

    Parameters
    ----------
    address : Address
        The topic.
    options : mapping
        Options of librdkafka, such as ``security.protocol``.
    """

    def __init__(self, address: Address, options: Mapping[str, Any]) -> None:
        self._topic = address.name
        self._source = address.source
        given = {
            "bootstrap.servers": address.servers,
            # Offsets are part of the model: the broker keeps none.
            "group.id": "sgtrees",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            # New positions and new messages are looked at this often.
            "fetch.wait.max.ms": 100,
            "fetch.queue.backoff.ms": 50,
            **options,
        }
        self._consumer = _client(Consumer, given, self._source)
        self._next: dict[int, int] = {}
        self._silent_since: float | None = None

    def seek(self, start: Start | Position) -> None:
        """Continue at the first messages, after the last ones, or at a position."""
        try:
            partitions = self._partitions()
            offsets = {
                partition: self._offset_at(start, partition) for partition in sorted(partitions)
            }
            self._consumer.assign(
                [TopicPartition(self._topic, *place) for place in offsets.items()]
            )
        except KafkaException as error:
            raise StreamError(f"{self._source}: {error.args[0].str()}") from error
        self._next = {partition: place for partition, place in offsets.items() if place >= 0}

    def _partitions(self) -> list[int]:
        found = self._consumer.list_topics(self._topic, timeout=_SECONDS_TO_CONNECT)
        topic = found.topics[self._topic]
        if topic.error is not None:
            raise StreamError(f"{self._source}: {topic.error.str()}")
        return list(topic.partitions)

    def _offset_at(self, start: Start | Position, partition: int) -> int:
        if isinstance(start, str):
            low, high = self._consumer.get_watermark_offsets(
                TopicPartition(self._topic, partition), timeout=_SECONDS_TO_CONNECT
            ) or (OFFSET_BEGINNING, OFFSET_END)
            return low if start == "earliest" else high
        # A partition that the position does not know is new since.
        return int(start.get(str(partition), OFFSET_BEGINNING))

    def read(self, most: int, seconds: float) -> Messages | None:
        """Return the next messages, as soon as there are some."""
        end = time.monotonic() + seconds
        while True:
            found = self._consumer.consume(1, min(_SECONDS_PER_READ, seconds))
            if found and most > 1:
                found += self._consumer.consume(most - 1, _SECONDS_TO_GATHER)
            messages = [one for one in found if one.error() is None or self._is_good(one)]
            if messages:
                self._silent_since = None
                before = dict(self._next)
                # The last message of each partition is the last that is written here.
                last = {one.partition(): one for one in messages}
                self._next |= {_partition(one): _offset(one) + 1 for one in last.values()}
                return KafkaMessages(messages, before)
            if time.monotonic() >= end:
                return None

    def _is_good(self, message: Message) -> bool:
        error = message.error()
        if error is None:
            return True
        if error.code() == KafkaError._AUTO_OFFSET_RESET:
            raise StreamError(
                f"{self._source}: messages were removed before they were read ({error.str()}); "
                "--update continues the model with the messages that are there"
            )
        now = time.monotonic()
        self._silent_since = self._silent_since or now
        if error.code() not in _PASSING or now - self._silent_since > PATIENCE:
            raise StreamError(f"{self._source}: {error.str()}")
        _LOGGER.warning("%s: %s", self._source, error.str())
        return False

    def lag(self, position: Position) -> int | None:
        """Return the number of messages after a position, by the brokers' latest answers."""
        n_after = 0
        for partition, offset in position.items():
            ends = self._consumer.get_watermark_offsets(
                TopicPartition(self._topic, int(partition)), cached=True
            )
            if ends is None or ends[1] < 0:
                return None
            n_after += max(ends[1] - int(offset), 0)
        return n_after

    def close(self) -> None:
        """End the connection."""
        self._consumer.close()


class KafkaSink(MessageSink):
    """A topic to write to.

    Parameters
    ----------
    address : Address
        The topic.
    options : mapping
        Options of librdkafka.
    """

    def __init__(self, address: Address, options: Mapping[str, Any]) -> None:
        self._topic = address.name
        self._source = address.source
        given = {
            "bootstrap.servers": address.servers,
            "enable.idempotence": True,
            "linger.ms": 20,
            "message.timeout.ms": int(PATIENCE * 1000),
            **options,
        }
        self._producer = _client(Producer, given, self._source)
        self._waiting: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        self._reason = ""

    @property
    def undelivered(self) -> list[tuple[str, str]]:  # type: ignore[override]
        """Keys and texts of messages of which it is not known that they arrived."""
        return list((self._failed | self._waiting).items())

    def send(self, messages: Sequence[tuple[str, str]]) -> None:
        """Write messages; they are on their way when it returns."""
        for key, text in messages:
            self._waiting[key] = text
            while True:
                try:
                    self._producer.produce(
                        self._topic, key=key, value=text, on_delivery=self._delivered
                    )
                    break
                except BufferError:  # the queue is full
                    self._producer.poll(_SECONDS_PER_READ)
        self._producer.poll(0)
        self._check()

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        key = message.key()
        text = self._waiting.pop(key.decode() if isinstance(key, bytes) else str(key), "")
        if error is not None:
            self._reason = error.str()
            self._failed[key.decode() if isinstance(key, bytes) else str(key)] = text

    def flush(self) -> None:
        """Wait until all messages have arrived."""
        self._producer.flush(PATIENCE)
        self._check()
        if self._waiting:
            raise StreamError(f"{self._source}: the brokers do not answer")

    def _check(self) -> None:
        if self._failed:
            raise StreamError(f"{self._source}: {self._reason}")

    def close(self) -> None:
        """End the connection."""
        # What is still there is known to be undelivered.
        self._producer.purge()


def _client(kind: Any, options: Mapping[str, Any], source: str) -> Any:
    try:
        return kind(dict(options), logger=_LOGGER)
    except KafkaException as error:
        raise StreamError(f"{source}: {error.args[0].str()}") from error
