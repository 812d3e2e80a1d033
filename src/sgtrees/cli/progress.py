"""The progress of a command: a bar on a terminal, otherwise a line now and then."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from sgtrees.streams import Stream

# The interval of lines on a console that is no terminal.
_SECONDS_BETWEEN_LINES = 30.0


class ProgressDisplay:
    """Shows rows, rows/s, the time left, a metric, and the number of leaves.

    Parameters
    ----------
    console : Console
        The console.
    total : int or None
        The number of rows, if it is known.
    fraction : callable, optional
        Returns the fraction of the rows that has been read, or None if it is not known.
    quiet : bool
        Whether to show nothing.
    """

    def __init__(
        self,
        console: Console,
        total: int | None,
        fraction: Callable[[], float | None] = lambda: None,
        *,
        quiet: bool,
    ) -> None:
        self._console = console
        self._total = total
        self._fraction = fraction
        self._quiet = quiet
        self._began = time.monotonic()
        self._last_line = self._began
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    @classmethod
    def of_stream(cls, console: Console, stream: Stream, *, quiet: bool) -> Self:
        """Return the display of a stream's progress."""
        return cls(console, stream.n_rows, lambda: stream.progress, quiet=quiet)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the bar inside the context."""
        if self._quiet or not self._console.is_terminal:
            yield
            return
        is_known = self._total is not None or self._fraction() is not None
        bar = BarColumn(bar_width=None) if is_known else SpinnerColumn()
        left = [TimeRemainingColumn(compact=True), TextColumn("left")] if is_known else []
        self._bar = Progress(
            bar,
            TextColumn("{task.fields[rows]}"),
            TextColumn("{task.fields[speed]}", style="cyan", markup=False),
            *left,
            TextColumn("{task.fields[metric]}", style="bold", markup=False),
            TextColumn("{task.fields[leaves]}"),
            TextColumn("{task.fields[lag]}", style="magenta"),
            console=self._console,
            expand=True,
            transient=True,
        )
        with self._bar:
            self._task = self._bar.add_task(
                "",
                total=1.0 if is_known else None,
                rows="",
                speed="",
                metric="",
                leaves="",
                lag="",
            )
            yield

    def update(
        self,
        rows: int,
        metric: str = "",
        leaves: int | None = None,
        seconds: float | None = None,
        lag: int | None = None,
    ) -> None:
        """Show the present state.

        Parameters
        ----------
        rows : int
            The number of rows so far.
        metric : str
            A metric and its name.
        leaves : int, optional
            The number of leaves.
        seconds : float, optional
            The time for the rows; by default the time since the start.
        lag : int, optional
            The number of messages of a broker that are still to be learned.
        """
        now = time.monotonic()
        seconds = now - self._began if seconds is None else seconds
        fields: dict[str, Any] = {
            "rows": f"{rows:,} rows",
            "speed": f"{rows / seconds:,.0f} rows/s" if seconds > 0.0 else "",
            "metric": metric,
            "leaves": "" if leaves is None else f"{leaves:,} leaves",
            "lag": "" if lag is None else f"lag {lag:,}",
        }
        done = rows / self._total if self._total else self._fraction()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, **fields)
        elif not self._quiet and now - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = now
            percent = "" if done is None else f"{100.0 * done:.0f} %, "
            text = ", ".join(field for field in fields.values() if field)
            self._console.print(percent + text, soft_wrap=True)
