"""What a benchmark measures, what it reports, and the bar it must clear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["pass", "FAIL", "info", "skipped", "ERROR"]


@dataclass(frozen=True)
class Measurement:
    """One learner over one stream: `error` is a share of rows, or a mean absolute error."""

    rows: int
    seconds: float
    error: float | None = None
    nodes: int | None = None

    @property
    def rows_per_second(self) -> float:
        return self.rows / self.seconds


@dataclass(frozen=True)
class Unavailable:
    """A measurement that is not available: absent (no Java, no data), or broken (it crashed)."""

    reason: str
    broken: bool = False


Outcome = Measurement | Unavailable


@dataclass(frozen=True)
class Bar:
    sense: Literal[">=", "<="]
    limit: float

    def holds(self, value: float) -> bool:
        return value >= self.limit if self.sense == ">=" else value <= self.limit


@dataclass(frozen=True)
class Figure:
    """One line of the report; `value` is None if it is unavailable, and `note` gives the reason."""

    benchmark: str
    name: str
    value: float | None
    unit: str
    bar: Bar | None = None
    note: str = ""
    broken: bool = False

    @property
    def status(self) -> Status:
        if self.value is None:
            return "ERROR" if self.broken else "skipped"
        if self.bar is None:
            return "info"
        return "pass" if self.bar.holds(self.value) else "FAIL"


def describe(outcome: Measurement, measure: str = "error") -> str:
    """Say in a few words what stands behind a figure: CPU seconds, error, nodes."""
    parts = [f"{outcome.rows:,} rows in {outcome.seconds:.3g} s"]
    if outcome.error is not None:
        parts.append(
            f"{100 * outcome.error:.2f} % error"
            if measure == "error"
            else f"{measure} {outcome.error:.4g}"
        )
    if outcome.nodes is not None:
        parts.append(f"{outcome.nodes:,} nodes")
    return ", ".join(parts)


def speed(
    benchmark: str,
    name: str,
    outcome: Outcome,
    bar: Bar | None = None,
    measure: str = "error",
) -> Figure:
    """Report a learner's rows per CPU second."""
    if isinstance(outcome, Unavailable):
        return missing(benchmark, name, "rows/s", outcome, bar)
    note = describe(outcome, measure)
    return Figure(benchmark, name, outcome.rows_per_second, "rows/s", bar, note)


def ratio(benchmark: str, name: str, ours: Outcome, peer: Outcome, bar: Bar | None) -> Figure:
    """Report how many times the peer's rows per CPU second ours are."""
    for outcome in (ours, peer):
        if isinstance(outcome, Unavailable):
            return missing(benchmark, name, "x", outcome, bar)
    assert isinstance(ours, Measurement)
    assert isinstance(peer, Measurement)
    return Figure(benchmark, name, ours.rows_per_second / peer.rows_per_second, "x", bar)


def error_rate(benchmark: str, name: str, outcome: Outcome, bar: Bar) -> Figure:
    """Report the share of rows predicted wrongly, in per cent."""
    if isinstance(outcome, Unavailable):
        return missing(benchmark, name, "%", outcome, bar)
    assert outcome.error is not None
    return Figure(benchmark, name, 100 * outcome.error, "%", bar, describe(outcome))


def missing(
    benchmark: str, name: str, unit: str, outcome: Unavailable, bar: Bar | None = None
) -> Figure:
    return Figure(benchmark, name, None, unit, bar, outcome.reason, outcome.broken)
