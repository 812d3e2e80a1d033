"""The same server around nothing, and around a Hoeffding tree of river.

``python -m benchmarks.service.peers`` serves ``/empty`` and ``/river`` on a free port, which it
prints. Starlette, uvicorn, its settings and the protocol are those of ``sgtrees serve``; there is
no log, no queue and no checkpoint.
"""

from __future__ import annotations

import json
import socket
import sys

import pyarrow as pa
import uvicorn
from river import tree
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.service.rows import TARGET
from sgtrees.serve.limits import Limits
from sgtrees.serve.server import http_protocol

MODEL = tree.HoeffdingTreeClassifier()


async def empty(_: Request) -> Response:
    return Response(b"{}", media_type="application/json")


async def river(request: Request) -> Response:
    body = await request.body()
    if request.headers["content-type"] == "application/json":
        rows = [json.loads(body)]
    else:
        rows = pa.ipc.open_stream(body).read_all().to_pylist()
    predictions = []
    for row in rows:
        label = row.pop(TARGET)
        predictions.append(MODEL.predict_one(row))
        MODEL.learn_one(row, label)
    text = json.dumps({"learned": len(rows), "predictions": predictions})
    return Response(text.encode(), media_type="application/json")


def main() -> None:
    routes = [Route("/empty", empty, methods=["POST"]), Route("/river", river, methods=["POST"])]
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(
        Starlette(routes=routes), http=http_protocol(Limits()), ws="none",
        log_config=None, access_log=False, proxy_headers=False, server_header=False,
    )  # fmt: skip
    sys.setswitchinterval(0.0005)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
