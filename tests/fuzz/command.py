"""A fuzzer run as a command, in a process of its own whose memory it can limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def run(fuzzer: str, cases: int, first: int, *more: str) -> str:
    """Run some cases of ``tests.fuzz.<fuzzer>``; return what it prints when all went well."""
    which = ["--cases", str(cases), "--first", str(first), *more]
    done = subprocess.run(
        [sys.executable, "-m", f"tests.fuzz.{fuzzer}", *which],
        cwd=_ROOT,
        capture_output=True,
        check=False,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout
    return done.stdout
