"""The installed command, in a process and a folder of its own; or in this process."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from click.testing import CliRunner

from sgtrees.cli import main

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


def run_here(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The same without a process, whose start takes longer than most commands.

    For what a test does around a command that it runs in a process of its own.
    """
    words = [*map(str, arguments)]
    with contextlib.chdir(folder):
        done = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"}).invoke(main, words)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def start(folder, *arguments, environment=None, **options) -> subprocess.Popen[bytes]:
    """Start it."""
    return subprocess.Popen(
        [COMMAND, *map(str, arguments)],
        cwd=folder,
        env=ENVIRONMENT | (environment or {}),
        **options,
    )
