"""Draws the pictures of docs/inspection.md: `python docs/pictures.py`."""

from pathlib import Path

import matplotlib as mpl

from sgtrees import SGTClassifier
from sgtrees.inspection import plot_tree, to_svg, view_model
from sgtrees.streams import FlightDelays

HERE = Path(__file__).parent
ROWS = 200_000


def main() -> None:
    """Learn a generated stream of flights, and draw the tree in both forms."""
    mpl.use("Agg")
    columns = FlightDelays().columns
    block = FlightDelays(seed=0).take(ROWS)
    model = SGTClassifier(
        categorical_features=[i for i, column in enumerate(columns) if column.nominal]
    ).partial_fit(block.X, block.y)
    view = view_model(
        model,
        feature_names=[column.name for column in columns],
        category_names={c.name: c.categories for c in columns if c.categories is not None},
    )
    texts = plot_tree(view, max_boxes=19, label="late")
    texts[0].get_figure().savefig(HERE / "tree.png", dpi=110)
    (HERE / "tree.svg").write_text(to_svg(view, max_boxes=24, label="late"), encoding="utf-8")


if __name__ == "__main__":
    main()
