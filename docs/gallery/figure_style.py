"""The style of the gallery's pictures: colours, titles, axes."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Distinguishable without red or green, and by their lightness when printed in grey.
BLUE, ORANGE, GREY = "#1f5fa8", "#c2571a", "#4d4d4d"
PALE_BLUE, PALE_ORANGE, FAINT = "#a9c6e8", "#f0c3a3", "#d9d9d9"


def new_figure(title: str, subtitle: str, size: tuple[float, float] = (10.0, 5.4)) -> Figure:
    """Return an empty figure with a title and a subtitle above its axes."""
    figure = Figure(figsize=size)
    top = size[1]
    figure.text(0.02, 1 - 0.30 / top, title, ha="left", va="center", fontsize=15, weight="bold")
    figure.text(0.02, 1 - 0.62 / top, subtitle, ha="left", va="center", fontsize=10.5, color=GREY)
    figure.subplots_adjust(left=0.08, right=0.97, top=1 - 1.12 / top, bottom=0.62 / top)
    return figure


def style_axes(axes: Axes, *, grid: str = "y") -> None:
    """Hide the upper and right frame, and draw a faint grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=GREY, labelcolor="black")
    axes.grid(axis=grid, color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)


def set_panel_title(axes: Axes, text: str) -> None:
    """Write the title of a panel above it."""
    axes.set_title(text, loc="left", fontsize=11, pad=8)


def label_lines(axes: Axes, ends: Sequence[tuple[float, str, str]], *, gap: float = 0.07) -> None:
    """Label lines at their right ends, (height, label, colour) each, without overlap."""
    low, high = axes.get_ylim()
    free = -float("inf")
    for height, name, colour in sorted(ends):
        free = max(height, free + gap * (high - low))
        axes.annotate(
            name,
            xy=(1.015, free),
            xycoords=("axes fraction", "data"),
            va="center",
            color=colour,
            fontsize=10,
            weight="bold",
            annotation_clip=False,
        )


def save(figure: Figure, path: Path) -> None:
    """Write a picture."""
    figure.savefig(path, format="png", dpi=130)
