"""The picture of `docs/accuracy.md`: error over the rows where streams drift."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.accuracy.generated import drifting
from benchmarks.accuracy.records import Records, spelled
from benchmarks.accuracy.settings import PEERS_OF_CLASSES
from benchmarks.accuracy.streams import FILE_ORDER
from benchmarks.accuracy.study import Extent

# Distinct in colour blindness too; ours is drawn last, and thicker.
_COLOURS = {"VFDT": "#8c6d1f", "EFDT": "#8a3b8f", "HAT": "#c2571a", "sgtrees": "#1f5fa8"}


def draw_drifts(records: Records, extent: Extent, path: Path) -> None:
    """Draw a panel for each drifting stream."""
    rows = extent.generated_beside_peers
    names = {**PEERS_OF_CLASSES, spelled({}): "sgtrees"}
    streams = list(drifting(rows))
    figure = Figure(figsize=(11.0, 2.6 * ((len(streams) + 3) // 4)), layout="constrained")
    panels = figure.subplots((len(streams) + 3) // 4, 4, sharex=True, squeeze=False).ravel()
    for panel, stream in zip(panels, streams, strict=False):
        for learner, name in names.items():
            run = records.of.get((stream, FILE_ORDER, learner, rows))
            if run is not None and run.curve:
                _draw_curve(panel, run.curve, rows, name)
        panel.set_title(stream, loc="left", fontsize=10)
        panel.set_ylim(bottom=0.0)
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="y", color="#d9d9d9", linewidth=0.8)
    for panel in panels[::4]:
        panel.set_ylabel("error in %")
    for panel in panels[-4:]:
        panel.set_xlabel("rows, in thousands")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=4, frameon=False)
    figure.savefig(path, dpi=110)


def _draw_curve(panel: Axes, curve: list[float], rows: int, name: str) -> None:
    ends = np.linspace(0, rows, len(curve) + 1)[1:] / 1000.0
    width = 2.2 if name == "sgtrees" else 1.2
    panel.plot(ends, 100.0 * np.array(curve), color=_COLOURS[name], linewidth=width, label=name)
