"""Commands in forked children, to which faults happen at random moments.

A fork has everything imported already, so that a run costs a fraction of a second and most faults
strike while files are read, learned from or written.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from sgtrees.checkpoint import Checkpoints
from sgtrees.cli import main as sgtrees_command
from sgtrees.cli import train as train_module
from sgtrees.cli.exit_codes import INTERRUPTED

# Of Debian and most others; no file is its own.
NOBODY = 65534
_LONGEST = 300.0


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit code, or minus the signal that ended it; and what it wrote."""

    code: int
    output: str


def run(
    args: Sequence[str],
    log: Path,
    *,
    as_nobody: bool = False,
    in_child: Callable[[], None] | None = None,
    meanwhile: Callable[[int], None] | None = None,
) -> Ended:
    """Run a command of the library in a child.

    Parameters
    ----------
    args : sequence of str
        The command's arguments.
    log : Path
        Where its output goes.
    as_nobody : bool, default=False
        Whether it runs as a user without rights.
    in_child : callable or None
        A fault that is made in the child, before the command begins.
    meanwhile : callable or None
        A fault that is made from outside; it gets the child's number.
    """
    child = os.fork()
    if child == 0:
        _become(args, log, as_nobody, in_child)
    if meanwhile is not None:
        meanwhile(child)
    deadline = time.monotonic() + _LONGEST
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            raise AssertionError(f"{args} did not end")
        time.sleep(0.002)
    return Ended(os.waitstatus_to_exitcode(ended[1]), log.read_text(errors="replace"))


def import_all(args: Sequence[str], log: Path) -> None:
    """Run a command in this process, so that its children have nothing left to import.

    (A user without rights may not be able to read where Python is.)
    """
    with log.open("w") as file, redirect_stdout(file), redirect_stderr(file):
        sgtrees_command(list(args), standalone_mode=False)


def _become(
    args: Sequence[str], log: Path, as_nobody: bool, in_child: Callable[[], None] | None
) -> None:
    """Be the child: never returns."""
    code = 99
    try:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        for stream in (1, 2):
            os.dup2(output, stream)
        # (A test's own would write elsewhere.)
        sys.stdout = sys.stderr = os.fdopen(1, "w", buffering=1, closefd=False)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # A checkpoint after every block.
        train_module._SECONDS_BETWEEN_CHECKPOINTS = 1e-6
        if as_nobody:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        if in_child is not None:
            in_child()
        sgtrees_command(list(args))
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except KeyboardInterrupt:  # before the command
        code = INTERRUPTED
    except BaseException:  # noqa: BLE001 - a child must not go on as its parent
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def after(seconds: float, fault: Callable[[int], None]) -> Callable[[int], None]:
    """Return a fault that waits first; the child may have ended by then."""

    def meanwhile(child: int) -> None:
        time.sleep(seconds)
        fault(child)

    return meanwhile


def send(number: signal.Signals) -> Callable[[int], None]:
    """Return the fault of a signal. (A child that has ended is there until it is waited for.)"""
    return lambda child: os.kill(child, number)


def jumping_clock(chance: random.Random) -> Callable[[], None]:
    """Return a fault: the time of day jumps by up to a year, forwards and back, at every look."""

    def in_child() -> None:
        real = time.time
        time.time = lambda: real() + chance.uniform(-3.2e7, 3.2e7)

    return in_child


def last_checkpoint_can_be_loaded(folder: Path) -> bool:
    """Return whether there is one; raise if the newest is damaged."""
    return folder.exists() and Checkpoints(folder).latest() is not None
