"""The picture: error against CPU seconds, one point a learner."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.accuracy.records import Records, Run
from benchmarks.accuracy.streams import FILE_ORDER
from benchmarks.ensembles.learners import CASES, OURS, PEERS_OF_CLASSES, Case
from benchmarks.ensembles.page import OurRuns

_STREAMS = ("elec2", "covtype", "adult", "letter")
_OURS, _PEERS = "#1f5fa8", "#c2571a"


def draw(ours: OurRuns, peers: Records, path: Path) -> None:
    """Draw a panel for each of some streams."""
    cases = [case for case in CASES if case.stream.name in _STREAMS]
    figure = Figure(figsize=(11.0, 5.6), layout="constrained")
    for panel, case in zip(figure.subplots(2, 2).flat, cases, strict=True):
        _draw_panel(panel, case, ours, peers)
    figure.savefig(path, dpi=110)


def _draw_panel(panel: Axes, case: Case, ours: OurRuns, peers: Records) -> None:
    name = case.stream.name
    points: list[tuple[str, Run | None, str]] = [
        (learner, ours.get((name, FILE_ORDER, case.rows, learner)), _OURS) for learner in OURS
    ]
    points += [
        (title, peers.of.get((name, FILE_ORDER, learner, case.rows)), _PEERS)
        for title, learner in PEERS_OF_CLASSES.items()
    ]
    # A run that was ended is of other rows.
    whole = [
        (title, run, colour) for title, run, colour in points if run is not None and not run.ended
    ]
    # Labels of neighbours lie on different sides of their points.
    for place, (title, run, colour) in enumerate(sorted(whole, key=lambda p: p[1].seconds)):
        x, y = max(run.seconds, 0.01), 100 * run.measures["error"]
        panel.plot(x, y, "o", color=colour, markersize=5)
        below = place % 2
        panel.annotate(
            title,
            (x, y),
            xytext=(0, -6 if below else 5),
            textcoords="offset points",
            ha="center",
            va="top" if below else "bottom",
            fontsize=7.5,
            color=colour,
        )
    panel.set_xscale("log")
    panel.xaxis.set_major_locator(LogLocator(base=10))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.set_title(case.title + " rows" * bool(case.rows), loc="left", fontsize=9)
    panel.set_xlabel("CPU seconds", fontsize=8)
    panel.set_ylabel("error in %", fontsize=8)
    panel.tick_params(labelsize=8)
    panel.margins(x=0.14, y=0.2)
    panel.set_ylim(bottom=0.0)
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(color="#e4e4e4", linewidth=0.7)
