"""Runs programs and pytest, each in a process of its own with limits of processor time and memory.

Large libraries are imported once, and are there in every run of pytest. A line of JSON on standard
input asks for a run (see `_run`); a line on standard output has its exit status and its seconds.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
from importlib import import_module
from typing import NoReturn

# (Not those of plugins of pytest: it wants to import them itself.)
_LIBRARIES = (
    "numpy",
    "pandas",
    "pyarrow.parquet",
    "pytest",
    "river.metrics",
    "scipy.stats",
    "sklearn.metrics",
    "sklearn.utils.estimator_checks",
)
# Who waits for something that does not come takes no processor time.
_MOST_SECONDS = 1800
# An endless loop may also be one that stores something.
_MOST_BYTES = 8 << 30


def main() -> None:
    """Answer requests until there are no more."""
    for name in _LIBRARIES:
        with contextlib.suppress(ImportError):
            import_module(name)
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            _run(**json.loads(line))
        _, status, used = os.wait4(process, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)  # what it has started and left
        answer = [os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime]
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _run(command: list[str], variables: dict[str, str], seconds: int | None) -> NoReturn:
    """Become a program, or run pytest, with variables of the environment and a limit."""
    try:
        os.setsid()
        os.environ.update(variables)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        signal.alarm(_MOST_SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        if command[0] == "pytest":
            os._exit(int(import_module("pytest").main(command[1:])))
        os.execv(command[0], command)
    finally:
        os._exit(127)


if __name__ == "__main__":
    main()
