"""The picture: error against CPU seconds, one point a learner."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.accuracy.records import Records
from benchmarks.accuracy.streams import FILE_ORDER
from benchmarks.ensembles.learners import CASES, OURS, PEERS_OF_CLASSES
from benchmarks.ensembles.page import OurRuns

_STREAMS = ("elec2", "covtype", "adult", "letter")
_OURS, _PEERS = "#1f5fa8", "#c2571a"


def draw(ours: OurRuns, peers: Records, path: Path) -> None:
    """Draw a panel for each of some streams."""
    cases = [case for case in CASES if case.stream in _STREAMS]
    figure = Figure(figsize=(11.0, 3.4), layout="constrained")
    for panel, case in zip(figure.subplots(1, len(cases)), cases, strict=True):
        points = [(name, ours.get((case.stream, case.rows, name)), _OURS) for name in OURS]
        points += [
            (name, peers.of.get((case.stream, FILE_ORDER, learner, case.rows)), _PEERS)
            for name, learner in PEERS_OF_CLASSES.items()
        ]
        for name, run, colour in points:
            if run is None:
                continue
            x, y = max(run.seconds, 0.01), 100 * run.measures["error"]
            panel.plot(x, y, "o", color=colour, markersize=5)
            panel.annotate(
                name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7, color=colour
            )
        panel.set_xscale("log")
        panel.set_ylim(bottom=0.0)
        rows = f", first {case.rows:,} rows" if case.rows else ""
        panel.set_title(f"{case.stream}{rows}", loc="left", fontsize=9)
        panel.set_xlabel("CPU seconds")
        panel.margins(x=0.25)
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="#e4e4e4", linewidth=0.7)
    figure.axes[0].set_ylabel("error in %")
    figure.savefig(path, dpi=110)
