"""The other end of `tests.mutation.launcher`: a process that runs commands one after the other."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# Libraries are found where this process finds them; -S keeps the installed package out.
_PACKAGES = [path for path in sys.path if path.endswith("site-packages")]


class Launched:
    """A launcher in a folder.

    Parameters
    ----------
    folder : Path
        Where commands run; ``src`` in it, and it itself, are where modules come from.
    """

    def __init__(self, folder: Path) -> None:
        paths = [folder / "src", folder, *_PACKAGES]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        script = Path(__file__).with_name("launcher.py")
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-P", str(script)],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, command: Sequence[str], variables: Mapping[str, str], limit: float = math.inf
    ) -> tuple[str | None, float]:
        """Run a command; return what went wrong, None if nothing did, and its processor time."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        seconds = None if math.isinf(limit) else math.ceil(limit)
        request = {"command": list(command), "variables": dict(variables), "seconds": seconds}
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        status, used = json.loads(stdout.readline())
        took_too_long = status in (-signal.SIGXCPU, -signal.SIGALRM)
        return None if status == 0 else " (time)" if took_too_long else "", used

    def close(self) -> None:
        """End the launcher."""
        self._process.communicate()
