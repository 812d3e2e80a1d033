"""Addresses of topics and streams: ``kafka://HOST/TOPIC`` and ``redis://HOST/STREAM``."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from sgtrees.streams.errors import StreamError

_KINDS = {"kafka": "kafka", "redis": "redis", "rediss": "redis"}


@dataclass(frozen=True)
class Address:
    """Where messages are.

    Attributes
    ----------
    scheme : str
        "kafka", "redis", or "rediss" (Redis with TLS).
    servers : str
        What stands between the scheme and the name: hosts, ports, and for Redis a user.
    name : str
        The topic or stream.

    Examples
    --------
    >>> address = read_address("redis://:secret@localhost:6379/flights")
    >>> address.kind, address.name, address.source
    ('redis', 'flights', 'redis stream flights')
    """

    scheme: str
    servers: str
    name: str

    @property
    def kind(self) -> str:
        """The broker: "kafka" or "redis"."""
        return _KINDS[self.scheme]

    @property
    def source(self) -> str:
        """Its name in messages and in model files: without hosts, which may change, and secrets."""
        return f"{self.kind} {'topic' if self.kind == 'kafka' else 'stream'} {self.name}"

    @property
    def server_url(self) -> str:
        """The address of the Redis server alone."""
        return f"{self.scheme}://{self.servers}"


def is_address(source: Any) -> bool:
    """Return whether something is the address of a topic or stream.

    Examples
    --------
    >>> is_address("kafka://localhost/flights"), is_address("flights.csv")
    (True, False)
    """
    return isinstance(source, str) and source.partition("://")[0] in _KINDS and "://" in source


def read_address(text: str) -> Address:
    """Read an address; raise a `StreamError` if it is not one.

    Parameters
    ----------
    text : str
        ``kafka://HOST[:PORT][,HOST...]/TOPIC``, ``redis://[USER:PASSWORD@]HOST[:PORT]/STREAM``, or
        the same with ``rediss``. Special characters of the name are as in any URL: ``%20``.

    Examples
    --------
    >>> read_address("kafka://one:9092,two:9092/flights")
    Address(scheme='kafka', servers='one:9092,two:9092', name='flights')
    """
    scheme, _, rest = text.partition("://")
    servers, _, name = rest.partition("/")
    if scheme not in _KINDS or not servers or not name:
        shown = text.rpartition("@")[2]
        raise StreamError(
            f"{shown!r} is not an address; it is kafka://HOST/TOPIC or redis://HOST/STREAM"
        )
    if name != quote(unquote(name), safe=":@!$&'()*+,;=%"):
        raise StreamError(
            f"{name!r} is not the name of a topic or stream: write {quote(name, safe='')}"
        )
    return Address(scheme, servers, unquote(name))
