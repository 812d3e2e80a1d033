"""The picture: error against CPU seconds, one point a learner, with its number of trees."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from benchmarks.accuracy.records import Records, Run
from benchmarks.accuracy.streams import FILE_ORDER
from benchmarks.ensembles.learners import CASES, OURS, PEERS_OF_CLASSES, Case
from benchmarks.ensembles.page import OurRuns

_STREAMS = ("elec2", "covtype", "adult", "letter")
# Colour and marker of each kind of learner.
_STYLES = {
    "tree": ("#1f5fa8", "o"),
    "forest": ("#1f5fa8", "^"),
    "boosting": ("#1f5fa8", "s"),
    "ARF": ("#c2571a", "^"),
    "SRP": ("#c2571a", "v"),
    "LevBag": ("#c2571a", "D"),
    "SGBT": ("#c2571a", "s"),
}


class Label(NamedTuple):
    """The number of members of a learner, at its point."""

    text: str
    x: float
    y: float
    colour: str


def draw(ours: OurRuns, peers: Records, path: Path) -> None:
    """Draw a panel for each of some streams."""
    cases = [case for case in CASES if case.stream.name in _STREAMS]
    figure = Figure(figsize=(11.0, 6.0), layout="constrained")
    for panel, case in zip(figure.subplots(2, 2).flat, cases, strict=True):
        labels = _draw_panel(panel, case, ours, peers)
        _place(labels, panel, figure.dpi / 72)
    handles = [
        Line2D([], [], color=colour, marker=marker, linestyle="none", label=kind)
        for kind, (colour, marker) in _STYLES.items()
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles), fontsize=9)
    figure.savefig(path, dpi=110)


def _draw_panel(panel: Axes, case: Case, ours: OurRuns, peers: Records) -> list[Label]:
    name = case.stream.name
    runs: dict[str, Run | None] = {
        learner: ours.get((name, FILE_ORDER, case.rows, learner)) for learner in OURS
    }
    for title, learner in PEERS_OF_CLASSES.items():
        runs[title] = peers.of.get((name, FILE_ORDER, learner, case.rows))
    labels = []
    for title, run in runs.items():
        if run is None or run.ended:  # a run that was ended is of other rows
            continue
        kind, _, members = title.partition("-")
        colour, marker = _STYLES[kind]
        x, y = max(run.seconds, 0.01), 100 * run.measures["error"]
        panel.plot(x, y, marker=marker, color=colour, markersize=7)
        labels.append(Label(members, x, y, colour))
    panel.set_xscale("log")
    panel.xaxis.set_major_locator(LogLocator(base=10))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.set_title(case.title + " rows" * bool(case.rows), loc="left", fontsize=9)
    panel.set_xlabel("CPU seconds", fontsize=8)
    panel.set_ylabel("error in %", fontsize=8)
    panel.tick_params(labelsize=8)
    panel.margins(x=0.1, y=0.15)
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(color="#e4e4e4", linewidth=0.7)
    return labels


def _place(labels: list[Label], panel: Axes, per_point: float) -> None:
    """Write labels beside their points, where neither a point nor a label is in the way."""
    panel.autoscale_view()
    points = [panel.transData.transform((label.x, label.y)) / per_point for label in labels]
    taken = [Bbox.from_bounds(x - 4, y - 4, 8, 8) for x, y in points]
    for label, (x, y) in zip(labels, points, strict=True):
        boxes = [
            Bbox.from_bounds(x + right - 5, y + up - 4, 10, 8)
            for right, up in ((11, 0), (-11, 0), (0, 9), (0, -9), (9, 7), (-9, 7), (9, -7))
        ]
        box = min(boxes, key=lambda box: sum(other.overlaps(box) for other in taken))
        taken.append(box)
        panel.annotate(
            label.text,
            (label.x, label.y),
            xytext=((box.x0 + box.x1) / 2 - x, (box.y0 + box.y1) / 2 - y),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=7.5,
            color=label.colour,
        )
