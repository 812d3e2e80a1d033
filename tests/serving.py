"""A served model in a thread of this process."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import uvicorn

from sgtrees import SGTClassifier
from sgtrees.serve.access import Access
from sgtrees.serve.application import Service
from sgtrees.serve.limits import Limits
from sgtrees.serve.served_model import ServedModel
from sgtrees.serve.state_folder import StateFolder


@contextlib.contextmanager
def serving(folder: Path, access: Access | None = None, **limits) -> Iterator[str]:
    """Serve a new classifier of ``kind``; give the server's URL."""
    state = StateFolder(folder, lambda: ServedModel(SGTClassifier(), "kind"), Limits(**limits))
    application = Service(state, access or Access()).application()
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = uvicorn.Server(uvicorn.Config(application, log_config=None, ws="none", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
