"""How far a command is, for whoever watches."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from sgtrees.evaluation import Point
from sgtrees.streams import Stream

# Where nobody watches a terminal, a line is written so often.
_SECONDS_BETWEEN_LINES = 30.0


class Watch:
    """Shows rows, rows/s, time left, the error and the leaves.

    Parameters
    ----------
    console : Console
        Where: a bar on a terminal, else a line now and then.
    stream : Stream
        The rows, which may know how far they are.
    quiet : bool
        Whether to show nothing.
    """

    def __init__(self, console: Console, stream: Stream, *, quiet: bool) -> None:
        self._console = console
        self._stream = stream
        self._quiet = quiet
        self._total = stream.n_rows
        self._began = time.monotonic()
        self._last_line = self._began
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    @contextmanager
    def shown(self) -> Iterator["Watch"]:
        """Show it inside."""
        if self._quiet or not self._console.is_terminal:
            yield self
            return
        known = self._total is not None or self._stream.progress is not None
        columns = [BarColumn(bar_width=None)] if known else [SpinnerColumn()]
        left = [TimeRemainingColumn(compact=True), TextColumn("left")] if known else []
        self._bar = Progress(
            *columns,
            TextColumn("{task.fields[rows]}"),
            TextColumn("[cyan]{task.fields[speed]}"),
            *left,
            TextColumn("[bold]{task.fields[figure]}"),
            TextColumn("{task.fields[leaves]}"),
            console=self._console,
            expand=True,
            transient=True,
        )
        with self._bar:
            self._task = self._bar.add_task(
                "", total=1.0 if known else None, rows="", speed="", figure="", leaves=""
            )
            yield self

    def tell(self, rows: int, figure: str = "", leaves: int | None = None) -> None:
        """Tell how far it is."""
        seconds = time.monotonic() - self._began
        words: dict[str, Any] = {
            "rows": f"{rows:,} rows",
            "speed": f"{rows / seconds:,.0f} rows/s" if seconds > 0.0 else "",
            "figure": figure,
            "leaves": "" if leaves is None else f"{leaves:,} leaves",
        }
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._part(rows), **words)
        elif not self._quiet and time.monotonic() - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            part = self._part(rows)
            done = "" if part is None else f"{100.0 * part:.0f} %, "
            said = ", ".join(word for word in words.values() if word)
            self._console.print(done + said, soft_wrap=True)

    def _part(self, rows: int) -> float | None:
        return rows / self._total if self._total else self._stream.progress

    def at(self, point: Point, model: str, words: str) -> None:
        """Tell what was measured of a model."""
        measured = point.models[model]
        self.tell(point.rows, words, measured.n_leaves)
