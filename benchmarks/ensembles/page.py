"""The page: a row for each stream, a column for each learner."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean

from benchmarks.accuracy.records import Records, Run
from benchmarks.accuracy.streams import FILE_ORDER
from benchmarks.ensembles.learners import (
    CASES,
    DRIFTING_CASES,
    LONG_CASES,
    MAIN_PEERS_OF_CLASSES,
    MAIN_PEERS_OF_NUMBERS,
    OURS,
    PEERS_OF_CLASSES,
    PEERS_OF_NUMBERS,
    SHUFFLED,
    STATIONARY_CASES,
    TREE,
    Case,
)
from benchmarks.report import markdown_table

OurRuns = dict[tuple[str, str, int, str], Run]  # by stream, order, rows and learner

_HEAD = """# What ensembles reach

Real and generated streams, each row predicted before it is learned, one thread, one setting for
all: `n_estimators` as the names say, everything else at its default. In parentheses CPU seconds; of
MOA's learners those of the thread that learns, without the garbage collector's. `python -m
benchmarks.ensembles` writes this page; `--peers` measures MOA's learners, whose figures are kept:
their seconds are of an earlier run, on a slower machine than ours (`python benchmarks/run.py --only
ensembles` measures both in one run). A run of theirs that takes more than a minute ends there: its
figures are marked with the rows that it had.

Measured on: {machine}.

![Error against CPU seconds](ensembles.png)
"""
_NOTE_ON_WINS = """Streams in the order of their files on which our error is lower than the peer's,
over the rows that the peer had. "The better" is the better of `forest-30` and `boosting-30`.
"""
_BETTER = ("forest-30", "boosting-30")


def write_page(ours: OurRuns, peers: Records, machine: str) -> str:
    """Return the page as Markdown."""
    parts = [_HEAD.format(machine=machine), "## Against each peer\n", _NOTE_ON_WINS]
    parts += [_wins(ours, peers), "\n## Bars\n", _bars(ours)]
    for order, title in ((FILE_ORDER, "in the order of the file"), (SHUFFLED, "shuffled")):
        for measure, name in (("error", "Errors in %"), ("log_loss", "Log loss")):
            cases = _cases(order, classification=True)
            parts.append(f"\n## {name}, {title}\n")
            parts.append(_table(ours, peers, cases, order, measure, PEERS_OF_CLASSES))
        for measure in ("mae", "rmse"):
            cases = _cases(order, classification=False)
            parts.append(f"\n## {measure.upper()}, {title}\n")
            parts.append(_table(ours, peers, cases, order, measure, PEERS_OF_NUMBERS))
    return "\n".join(parts) + "\n"


def _cases(order: str, *, classification: bool) -> list[Case]:
    every = [*CASES, *LONG_CASES]
    if order == FILE_ORDER:
        every += [*DRIFTING_CASES, *STATIONARY_CASES]
    return [case for case in every if case.stream.classification == classification]


def _table(
    ours: OurRuns,
    peers: Records,
    cases: list[Case],
    order: str,
    measure: str,
    of_moa: dict[str, str],
) -> str:
    rows = []
    for case in cases:
        of_ours = [ours.get((case.stream.name, order, case.rows, name)) for name in OURS]
        if any(run is not None for run in of_ours):
            rows.append((case, of_ours, [_peer(peers, case, order, p) for p in of_moa.values()]))
    # Learners without a figure have no column.
    kept = [any(of_peers[i] is not None for _, _, of_peers in rows) for i in range(len(of_moa))]
    heads = ["", *OURS, *(name for name, is_kept in zip(of_moa, kept, strict=True) if is_kept)]
    lines = []
    for case, of_ours, of_peers in rows:
        runs = of_ours + [run for run, is_kept in zip(of_peers, kept, strict=True) if is_kept]
        lines.append([case.title, *_cells(runs, measure)])
    return markdown_table(heads, lines)


def _peer(peers: Records, case: Case, order: str, learner: str) -> Run | None:
    return peers.of.get((case.stream.name, order, learner, case.rows))


def _cells(runs: list[Run | None], measure: str) -> list[str]:
    whole = [run.measures[measure] for run in runs if run is not None and not run.ended]
    return [_cell(run, measure, min(whole)) for run in runs]


def _cell(run: Run | None, measure: str, best: float) -> str:
    if run is None:
        return ""
    value = run.measures[measure]
    text = f"{100 * value:.3g}" if measure == "error" else f"{value:.4g}"
    if run.ended:
        return f"{text} ({run.seconds:.0f}, first {run.ended:,})"
    return f"**{text}** ({run.seconds:.1f})" if value == best else f"{text} ({run.seconds:.1f})"


# ---- in short ------------------------------------------------------------------------------------


def _wins(ours: OurRuns, peers: Records) -> str:
    lines = []
    for name, learner in (MAIN_PEERS_OF_CLASSES | MAIN_PEERS_OF_NUMBERS).items():
        compared = [pair for pair in _pairs(ours, peers, learner) if pair]
        if not compared:
            continue
        better = sum(min(mine.values()) < theirs for mine, theirs in compared)
        boosted = sum(mine["boosting-30"] < theirs for mine, theirs in compared)
        lines.append([name, f"{better} of {len(compared)}", f"{boosted} of {len(compared)}"])
    return markdown_table(["", "the better", "boosting-30"], lines)


def _pairs(
    ours: OurRuns, peers: Records, learner: str
) -> Iterable[tuple[dict[str, float], float] | None]:
    """Yield our errors beside a peer's, over the parts of the curve that it has."""
    for case in [*CASES, *DRIFTING_CASES]:
        theirs = _peer(peers, case, FILE_ORDER, learner)
        mine = {name: ours.get((case.stream.name, FILE_ORDER, case.rows, name)) for name in _BETTER}
        if theirs is None or any(run is None for run in mine.values()):
            yield None
            continue
        parts = len(theirs.curve)
        errors = {name: mean(run.curve[:parts]) for name, run in mine.items() if run is not None}
        yield errors, mean(theirs.curve)


def _bars(ours: OurRuns) -> str:
    """Return what the better of our classes reaches where a bar is set."""
    lines = []
    for case in [*CASES, *LONG_CASES]:
        for measure, bar in case.bars.items():
            found = [
                (run.measures[measure] * (100 if measure == "error" else 1), name)
                for name in OURS
                if name != TREE
                and (run := ours.get((case.stream.name, FILE_ORDER, case.rows, name))) is not None
            ]
            if found:
                value, name = min(found)
                verdict = "reached" if value <= bar else "missed"
                lines.append([case.title, measure, f"{bar:g}", f"{value:.4g} ({name})", verdict])
    return markdown_table(["stream", "measure", "at most", "best of ours", ""], lines)
