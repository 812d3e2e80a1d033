"""Chromium, driven through its debugging pipe: real time, clicks, and pictures of the screen."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None or shutil.which("bash") is None, reason="no Chromium to open the page with"
)

_OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --disable-dev-shm-usage "
    "--remote-debugging-pipe"
)


class Browser:
    """One tab.

    Messages of the debugging protocol are JSON texts that end with a zero; the browser reads them
    from its file descriptor 3 and writes to 4, to which bash connects the pipes.
    """

    def __init__(self, folder: Path) -> None:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        command = f'exec "{CHROMIUM}" {_OPTIONS} --user-data-dir="{folder}" about:blank'
        with (folder.parent / "chromium.txt").open("wb") as log:
            self._process = subprocess.Popen(
                ["bash", "-c", f"{command} 3<&{theirs_in} 4>&{theirs_out}"],
                pass_fds=(theirs_in, theirs_out),
                stdout=log,
                stderr=log,
            )
        os.close(theirs_in)
        os.close(theirs_out)
        self._number = 0
        self._rest = b""
        self.errors: list[str] = []
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session: str | None = attached["sessionId"]
        self.ask("Runtime.enable")
        self.ask("Page.enable")

    _session: str | None = None

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._ask(method, parameters, self._session)

    def _ask(self, method: str, parameters: Any, session: str | None = None) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next()
            if reply.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(reply["params"]["exceptionDetails"])[:500])
            if reply.get("id") == self._number:
                assert "error" not in reply, reply
                return reply["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._in, 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def open(self, url: str) -> None:
        self.ask("Page.navigate", url=url)
        self.wait(f"document.readyState === 'complete' && location.href === {json.dumps(url)}")

    def run(self, script: str) -> Any:
        """Return the value of an expression on the page."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, script: str, seconds: float = 60.0) -> Any:
        """Wait until an expression is true, and return its value."""
        deadline = time.monotonic() + seconds
        while not (value := self.run(script)):
            assert time.monotonic() < deadline, (script, self.run("document.body.innerText"))
            time.sleep(0.05)
        return value

    def click(self, selector: str, number: int = 0) -> None:
        """Click with the mouse, in the middle of an element."""
        where = self.run(
            f"(() => {{ const e = document.querySelectorAll({json.dumps(selector)})[{number}];"
            "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
            "return [b.x + Math.min(b.width / 2, 40), b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask(
                "Input.dispatchMouseEvent",
                type=kind,
                x=where[0],
                y=where[1],
                button="left",
                clickCount=1,
            )

    def type(self, text: str) -> None:
        self.ask("Input.insertText", text=text)

    def look(self, *, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Change the window, and what the user prefers."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path) -> None:
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._out, b'{"id": 0, "method": "Browser.close"}\0')
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
