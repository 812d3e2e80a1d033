"""The style that all figures of matplotlib share (extra ``plot``)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sgtrees.atomic_file import PathLike, atomic_file
from sgtrees.extras import install_command

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Distinct in colour blindness too, and by their lightness in greyscale.
COLOURS = ("#1f5fa8", "#c2571a", "#1b7f5f", "#8a3b8f", "#8c6d1f", "#4a4a9c")
GREY, FAINT = "#4d4d4d", "#d9d9d9"
_WIDTH = 9.0
_DOTS_PER_INCH = 150


def new_figure(height: float, title: str, caption: str) -> "Figure":
    """Return a figure with a title above and a caption below; the state of pyplot stays as it is.

    Parameters
    ----------
    height : float
        Its height in inches.
    title : str
        What it shows.
    caption : str
        Over which rows: whether values are cumulative or of windows.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - of the extra `plot`
    except ImportError as error:
        raise ImportError(f"figures need matplotlib: {install_command('plot')}") from error
    figure = Figure(figsize=(_WIDTH, height))
    figure.suptitle(
        title,
        x=0.025,
        y=1.0 - 0.21 / height,
        ha="left",
        fontsize=14,
        fontweight="bold",
        parse_math=False,
    )
    figure.text(
        0.025, 0.12 / height, caption, ha="left", va="bottom", fontsize=9, color=GREY,
        parse_math=False,
    )  # fmt: skip
    figure.subplots_adjust(left=0.085, right=0.745, top=1.0 - 0.66 / height, bottom=0.95 / height)
    return figure


def tidy(axes: "Axes", grid: str = "y") -> None:
    """Remove what draws attention from the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color=FAINT, linewidth=0.8)  # type: ignore[arg-type]
    axes.set_axisbelow(True)


def name_lines(axes: "Axes", ends: Sequence[tuple[float, str, str, bool]], least: float) -> None:
    """Write text beside the ends of lines, without overlaps.

    Parameters
    ----------
    axes : Axes
        Where the lines are.
    ends : sequence of tuple
        For each line: its last value, its colour, the text, and whether it is bold.
    least : float
        The least distance between two lines of text, as a part of the height of the axes.
    """
    low, high = axes.get_ylim()
    free = float("-inf")
    for value, colour, text, is_bold in sorted(ends):
        place = max(value, free + least * (high - low))
        free = place
        axes.annotate(
            text,
            xy=(1.02, place),
            xycoords=("axes fraction", "data"),
            va="center",
            color=colour,
            fontsize=10,
            fontweight="bold" if is_bold else "normal",
            annotation_clip=False,
            parse_math=False,
        )


def save_figure(figure: "Figure", path: PathLike | None) -> "Figure":
    """Write a figure to a PNG file, if there is a path, and return it."""
    if path is not None:
        with atomic_file(path) as file:
            figure.savefig(file, format="png", dpi=_DOTS_PER_INCH)
    return figure
