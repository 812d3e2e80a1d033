"""Draws the pictures of the guide, of concepts and of recipes: `python docs/pictures.py`."""

from pathlib import Path

import matplotlib as mpl

from sgtrees import SGTClassifier
from sgtrees.evaluation import MajorityClass, plot_calibration, plot_drift, prequential
from sgtrees.inspection import plot_importances, plot_tree, to_svg, view_model
from sgtrees.streams import Agrawal, Drift, FlightDelays

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
    plot_importances(view, path=HERE / "importances.png")
    draw_calibration()
    draw_drift()


def draw_calibration() -> None:
    """Draw the calibration of predictions that were made before their rows were learned."""
    flights = FlightDelays(seed=0)
    block = flights.take(ROWS)
    model = SGTClassifier(categorical_features=flights.nominal)
    probabilities = model.learn_predict(block.X, block.y, method="predict_proba")
    plot_calibration(block.y, probabilities, classes=model.classes_, path=HERE / "calibration.png")


def draw_drift() -> None:
    """Draw a stream that changes twice."""
    stream = Drift(Agrawal(1), Agrawal(5, seed=1), at=20_000)
    stream = Drift(stream, Agrawal(2, seed=2), at=45_000).head(80_000)
    models = {"tree": SGTClassifier(), "majority class": MajorityClass()}
    plot_drift(prequential(stream, models, every=1_000), path=HERE / "drift.png")


if __name__ == "__main__":
    main()
