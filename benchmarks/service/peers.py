"""The same server around nothing, and around a Hoeffding tree of river.

``python -m benchmarks.service.peers`` serves ``/empty`` and ``/river`` on a free port, which it
prints. It is the application of ``sgtrees serve`` with two more routes: tokens, limits, metrics and
the reading of bodies are the same, and so are uvicorn's settings. An empty handler reads the body,
and answers as many bytes as ``/learn_predict`` does for one row; it parses, learns and writes
nothing. River's has no log, no queue and no checkpoint either.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pyarrow as pa
from river import tree
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.service.rows import TARGET
from sgtrees import SGTClassifier
from sgtrees.serve.access import Access, Role
from sgtrees.serve.application import Service
from sgtrees.serve.limits import Limits
from sgtrees.serve.served_model import ServedModel
from sgtrees.serve.server import Address, run_server
from sgtrees.serve.state_folder import StateFolder

REPLY = b'{"learned":1,"repeated":0,"predictions":["in time"],"model_rows":100000}'


class Peers(Service):
    """The served model, and two handlers beside it."""

    def __init__(self, state: StateFolder, access: Access) -> None:
        super().__init__(state, access)
        self.tree = tree.HoeffdingTreeClassifier()

    def learning_routes(self) -> list[Route]:
        return [
            *super().learning_routes(),
            self.route("/empty", "POST", Role.LEARN, self._empty),
            self.route("/river", "POST", Role.LEARN, self._river),
        ]

    async def _empty(self, request: Request) -> Response:
        async with self.bodies.read(request):
            return Response(REPLY, media_type="application/json")

    async def _river(self, request: Request) -> Response:
        async with self.bodies.read(request) as body:
            if body.kind == "json":
                rows = [json.loads(body.content)]
            else:
                rows = pa.ipc.open_stream(body.content).read_all().to_pylist()
            predictions = []
            for row in rows:
                label = row.pop(TARGET)
                predictions.append(self.tree.predict_one(row))
                self.tree.learn_one(row, label)
            text = json.dumps({"learned": len(rows), "predictions": predictions})
            return Response(text.encode(), media_type="application/json")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:

        def service(access: Access) -> Peers:
            begin = lambda: ServedModel(SGTClassifier(), TARGET)  # noqa: E731
            return Peers(StateFolder(Path(name), begin, Limits()), access)

        run_server(
            Address(port=0),
            Access(),
            service,
            lambda _, url: print(url.rpartition(":")[2], flush=True),
        )


if __name__ == "__main__":
    main()
