"""The server process: a socket, uvicorn, and an orderly end."""

import contextlib
import gc
import signal
import socket
import ssl
import sys
from asyncio import TimerHandle, Transport
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sgtrees.serve.access import Access, is_loopback
from sgtrees.serve.application import Service
from sgtrees.serve.errors import StateError
from sgtrees.serve.follower import Follower
from sgtrees.serve.following_service import FollowingService
from sgtrees.serve.interface import Interface
from sgtrees.serve.limits import Limits
from sgtrees.serve.served_model import ServedModel
from sgtrees.serve.state_folder import StateFolder

# How long requests that are being answered may take when the server ends.
_SECONDS_TO_END = 30
# The interpreter hands over to a thread that waits after so long; by default it takes 5 ms, which
# each reply would wait for while the learner computes.
_SWITCH_SECONDS = 0.0005
# Requests leave few cycles behind. By default the collector looks for them after 700 objects, of
# which most belong to requests that are being answered.
_ALLOCATIONS_BETWEEN_COLLECTIONS = 20_000


@dataclass(frozen=True)
class Address:
    """Where to listen, and the TLS files if the server itself has them."""

    host: str = "127.0.0.1"
    port: int = 8000
    certificate: Path | None = None
    key: Path | None = None


def run_server(
    address: Address,
    access: Access,
    service: Callable[[Access], Interface],
    started: Callable[[Interface, str], None],
) -> None:
    """Serve until a signal comes; then learn what waits and write a checkpoint.

    Parameters
    ----------
    address : Address
        Where to listen: without tokens only on this machine.
    access : Access
        Who may do what.
    service : callable
        Opens what is to be served.
    started : callable
        Called with it and the server's URL before the first request.

    Raises
    ------
    StateError
        If the address needs tokens, or the folder cannot be served from.
    OSError
        If the address cannot be listened to.
    """
    if not access.has_tokens and not is_loopback(address.host):
        raise StateError(
            f"{address.host} is not only this machine: give tokens (--tokens FILE, or "
            "SGTREES_PREDICT_TOKEN and others), or listen on 127.0.0.1"
        )
    with contextlib.closing(_listen(address)) as listener:
        opened = service(access)
        config = uvicorn.Config(
            opened.application(),
            http=http_protocol(opened.limits),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=opened.limits.connections,
            timeout_graceful_shutdown=_SECONDS_TO_END,
            ssl_certfile=address.certificate,
            ssl_keyfile=address.key,
        )
        _check_tls(config)
        sys.setswitchinterval(_SWITCH_SECONDS)
        # Modules and the model stay: the collector would go through all of them again and again,
        # and requests wait meanwhile.
        gc.collect()
        gc.freeze()
        gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
        scheme = "http" if address.certificate is None else "https"
        host = f"[{address.host}]" if ":" in address.host else address.host
        started(opened, f"{scheme}://{host}:{listener.getsockname()[1]}")
        _Server(config, opened.events.end).run(sockets=[listener])


def begin_with(estimator: Any, target: str, weight: str | None) -> ServedModel:
    """Return a model to serve.

    Raises
    ------
    StateError
        If its features have no names, so that rows cannot be matched with them.
    """
    model = ServedModel(estimator, target, weight)
    if not model.is_new and not hasattr(estimator, "feature_names_in_"):
        raise StateError("the model has learned arrays without names; requests have named columns")
    return model


def learn_from(
    folder: Path,
    begin: Callable[[], ServedModel],
    limits: Limits,
    path: Path,
    checkpoint_seconds: float,
) -> Callable[[Access], Service]:
    """Return what opens a state folder and learns there; the model is written to a file too."""

    def service(access: Access) -> Service:
        state = StateFolder(folder, begin, limits, path)
        return Service(state, access, save_as=path, checkpoint_seconds=checkpoint_seconds)

    return service


def follow(
    folder: Path, limits: Limits, learner: str | None
) -> Callable[[Access], FollowingService]:
    """Return what follows a state folder."""
    return lambda access: FollowingService(Follower(folder), access, limits, learner)


def _listen(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    return socket.create_server((address.host, address.port), family=family, backlog=2048)


def _check_tls(config: uvicorn.Config) -> None:
    try:
        config.load()
    except ssl.SSLError as error:
        raise StateError(f"the TLS certificate or key cannot be used: {error}") from error


class _Server(uvicorn.Server):
    """A server that a signal ends in order: the process goes on, and ends with 0."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Streams that have no end of their own would be waited for.
        self._ending()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def http_protocol(limits: Limits) -> type[HttpToolsProtocol]:
    """Return uvicorn's protocol, with an end to connections whose headers never come."""

    class Protocol(HttpToolsProtocol):
        def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            # asyncio does it only for sockets that name their protocol. Without it the second part
            # of a reply waits until the client has confirmed the first, often for 40 ms.
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.cycle_before: Any = None
            self.idle_timer: TimerHandle = self.loop.call_later(limits.body_seconds, self.watch)

        def connection_lost(self, exc: Exception | None) -> None:
            self.idle_timer.cancel()
            super().connection_lost(exc)

        def watch(self) -> None:
            """Close the connection if no request has begun since the last call."""
            cycle: Any = self.cycle  # None before the first request
            is_idle = cycle is None or cycle.response_complete
            if is_idle and cycle is self.cycle_before:
                self.transport.close()
                return
            self.cycle_before = cycle
            self.idle_timer = self.loop.call_later(limits.body_seconds, self.watch)

    return Protocol
