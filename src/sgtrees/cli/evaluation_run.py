"""A prequential evaluation with progress, whose result is kept whatever stops it."""

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn, Self

import click
from rich.console import Console

from sgtrees.cli.errors import DataError
from sgtrees.cli.exit_codes import INTERRUPTED, stopped_by
from sgtrees.cli.methods import SINGLE_TREE, method_of
from sgtrees.cli.progress import ProgressDisplay
from sgtrees.evaluation import Evaluation, Measurement, Point, Prequential, Task, baselines_for
from sgtrees.streams import Stream


@dataclass(frozen=True)
class RunResult:
    """The metrics of a run, the rows that were learned, and the total time.

    ``error`` is what stopped the run early: `KeyboardInterrupt`, or an error in the data.
    """

    evaluation: Evaluation
    rows: int
    seconds: float
    error: BaseException | None = None

    @property
    def rows_per_second(self) -> float:
        """The rows per second of total time."""
        return self.rows / self.seconds if self.seconds > 0.0 else 0.0


def models_with_baselines(estimator: Any, task: Task, single_tree: Any = None) -> dict[str, Any]:
    """Return an estimator, by its method, and the baselines that suit its task and its loss.

    Parameters
    ----------
    estimator : estimator
        The model.
    task : Task
        What it predicts.
    single_tree : estimator, optional
        The single tree to be shown beside an ensemble.
    """
    return {
        method_of(estimator): estimator,
        **({} if single_tree is None else {SINGLE_TREE: single_tree}),
        **baselines_for(task, getattr(estimator, "loss", None)),
    }


def run_evaluation(
    evaluation: Prequential,
    console: Console,
    *,
    quiet: bool,
    lag: Callable[[], int | None] = lambda: None,
) -> RunResult:
    """Run an evaluation, and return its result also if it is interrupted or fails.

    Parameters
    ----------
    evaluation : Prequential
        The evaluation; its first model is the one to be trained.
    console : Console
        The console for the progress.
    quiet : bool
        Whether to show no progress.
    lag : callable, optional
        Returns how many messages of a broker are still to be learned.
    """
    began = time.perf_counter()
    error: BaseException | None = None
    display = ProgressDisplay.of_stream(console, evaluation.stream, quiet=quiet)
    with DeferredInterrupts() as interrupts, display.shown():
        evaluation.guard = interrupts.deferred
        try:
            for point in evaluation.run():
                metric = _formatted_metric(evaluation, point)
                display.update(point.rows, metric, _of_model(point).n_leaves, lag=lag())
        except (KeyboardInterrupt, ValueError, TypeError, OSError) as caught:
            # What was learned so far is kept: the command saves it and reports the error.
            error = caught
    seconds = time.perf_counter() - began
    return RunResult(evaluation.result(), evaluation.rows, seconds, error)


def run_passes(
    estimator: Any, pass_of: Callable[[int], Stream], n_passes: int
) -> BaseException | None:
    """Learn rows in further passes, and return what stopped them, if something did.

    As in `fit`, errors are not watched, and what leaves followed is forgotten at the end.

    Parameters
    ----------
    estimator : estimator
        The model.
    pass_of : callable
        From the number of a pass, counted from 1, to its rows.
    n_passes : int
        The number of passes.
    """
    with DeferredInterrupts() as interrupts:
        try:
            for number in range(1, n_passes + 1):
                for block in pass_of(number):
                    batch = estimator.prepare(block.X, block.y, block.weights)
                    with interrupts.deferred():
                        batch.commit()
                        batch.learn_pass(None)
        except (KeyboardInterrupt, ValueError, TypeError, OSError) as caught:
            return caught
    return None


def _of_model(point: Point) -> Measurement:
    """Return what was measured of the model itself, which comes before the baselines."""
    return next(iter(point.models.values()))


def _formatted_metric(evaluation: Prequential, point: Point) -> str:
    metric = evaluation.metrics[0]
    value = _of_model(point).window[metric.name]
    if metric.is_share:
        return f"{100.0 * value:.1f} % {metric.name}"
    return f"{metric.name} {value:.4g}"


def raise_error(error: BaseException, kept: str, log: Console) -> NoReturn:
    """End the command with the exit code of an error.

    Parameters
    ----------
    error : BaseException
        What stopped the run.
    kept : str
        A sentence about the results that were kept.
    log : Console
        The console for messages.
    """
    if isinstance(error, Stopped):
        log.print(f"Stopped by {error.signal.name}. {kept}", soft_wrap=True)
        raise click.exceptions.Exit(stopped_by(error.signal))
    if isinstance(error, KeyboardInterrupt):
        log.print(f"Stopped. {kept}", soft_wrap=True)
        raise click.exceptions.Exit(INTERRUPTED)
    if isinstance(error, OSError):
        raise click.ClickException(f"{error.strerror or error}. {kept}") from error
    raise DataError(f"{error}\n{kept}") from error


class Stopped(KeyboardInterrupt):
    """A signal other than Ctrl-C asks the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = signal.Signals(number)


# Those by which systems ask a process to end; Windows has no SIGHUP.
_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class DeferredInterrupts:
    """Ctrl-C, SIGTERM and SIGHUP, deferred while rows are learned and counted.

    Examples
    --------
    >>> with DeferredInterrupts() as interrupts:
    ...     try:
    ...         with interrupts.deferred():
    ...             signal.raise_signal(signal.SIGINT)
    ...             print("learned and counted")
    ...     except KeyboardInterrupt:
    ...         print("stopped")
    learned and counted
    stopped
    """

    def __init__(self) -> None:
        self._is_deferring = False
        self._pending: KeyboardInterrupt | None = None
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        # Only the main thread receives signals and may set their handlers.
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                # What is ignored stays so: `nohup` ignores SIGHUP.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _: FrameType | None) -> None:
        interrupt = KeyboardInterrupt() if number == signal.SIGINT else Stopped(number)
        if not self._is_deferring or self._pending is not None:
            raise interrupt
        self._pending = interrupt

    @contextlib.contextmanager
    def deferred(self) -> Iterator[None]:
        """Defer an interrupt until the end of the context; a second one is immediate."""
        with self.held() as held:
            yield
        for interrupt in held:
            raise interrupt

    @contextlib.contextmanager
    def held(self) -> Iterator[list[KeyboardInterrupt]]:
        """Put an interrupt into the list that is yielded; a second one is immediate."""
        held: list[KeyboardInterrupt] = []
        self._is_deferring = True
        try:
            yield held
        finally:
            self._is_deferring = False
        if self._pending is not None:
            held.append(self._pending)
            self._pending = None
