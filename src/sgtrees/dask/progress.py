"""The progress of a training: a report after each round."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from math import isnan

from sgtrees import logs

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class RoundReport:
    """The state of a training after a round.

    Attributes
    ----------
    number : int
        The number of rounds in this call, those of the leader alone included.
    rows : int
        The number of rows learned in this call.
    leaves : int
        The number of leaves of all trees.
    workers : int
        The number of workers that took part; 0 for the leader alone.
    error : float
        The mean error on the round's rows before they were learned: the share of wrong labels, or
        the mean absolute error. NaN if it was not measured, or if the leader was alone.
    received, sent : int
        Bytes of partial statistics that the leader received, and of trees that it sent.
    seconds : float
        The duration of the round.
    part : float
        The fraction of the partitions that has been learned.

    Examples
    --------
    >>> report = RoundReport(3, 5000, 12, 2, 0.21, 4096, 1024, 0.5, 0.25)
    >>> print_round(report)
    [sgtrees.dask] round 3: 5,000 rows, 12 leaves, 2 workers, error 0.21
    """

    number: int
    rows: int
    leaves: int
    workers: int
    error: float
    received: int
    sent: int
    seconds: float
    part: float


Callback = Callable[[RoundReport], None]


def print_round(report: RoundReport) -> None:
    """Report one line, in the log or on standard output."""
    error = "" if isnan(report.error) else f", error {report.error:.4g}"
    text = (
        f"[sgtrees.dask] round {report.number}: {report.rows:,} rows, {report.leaves:,} leaves, "
        f"{report.workers} workers{error}"
    )
    logs.report(_LOGGER, text, verbose=True)
