"""The installed command, in a process and a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

COMMAND = shutil.which("sgtrees", path=sysconfig.get_path("scripts"))
ENVIRONMENT = os.environ | {"COLUMNS": "100", "NO_COLOR": "1"}


def run(folder: Path, *arguments: object, stdin: bytes | None = None, **environment: str):
    """Run it to its end; its output as text."""
    done = subprocess.run(
        [COMMAND, *map(str, arguments)],
        cwd=folder,
        env=ENVIRONMENT | environment,
        capture_output=True,
        check=False,
        input=stdin,
        timeout=120,
    )
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


def start(folder, *arguments, environment=None, **options) -> subprocess.Popen[bytes]:
    """Start it."""
    return subprocess.Popen(
        [COMMAND, *map(str, arguments)],
        cwd=folder,
        env=ENVIRONMENT | (environment or {}),
        **options,
    )
