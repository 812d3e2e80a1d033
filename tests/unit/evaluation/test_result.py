"""A result as text, frame, JSON and picture."""

import json
import math

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.evaluation import Evaluation, MajorityClass, MeanSoFar, Prequential, prequential
from sgtrees.streams import FlightDelays, Friedman, Sea, open_stream

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def result():
    flights = FlightDelays()
    models = {
        "tree": SGTClassifier(categorical_features=flights.nominal),
        "majority class": MajorityClass(),
    }
    return prequential(
        flights.head(12_000), models, metrics=["error", "kappa", "auc"], fading=0.999
    )


@pytest.fixture(scope="module")
def empty():
    return Prequential(Sea().head(0), MajorityClass()).result()


def test_the_summary_is_a_table_with_a_line_for_each_model(result):
    head, tree, majority, _, verdict = result.summary().splitlines()
    assert verdict == result.verdict()
    assert head.split() == ["error", "kappa", "auc", "rows/s", "nodes", "leaves", "memory"]
    assert tree.startswith("tree")
    assert f"{100 * result.total('error', 'tree'):.2f} %" in tree
    assert "MB" in tree
    assert majority.split()[-1].replace(",", "").isdigit()  # no size


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_for_each_model_and_point(result, library):
    frame = result.to_frame(library)
    n_rows, n_columns = frame.shape
    assert n_rows == 2 * len(result.points)
    names = list(frame.column_names if library == "pyarrow" else frame.columns)
    assert n_columns == len(names)
    assert names[:4] == ["model", "rows", "window", "error"]
    assert {"total_kappa", "faded_error", "seconds", "memory_bytes"} <= set(names)


def test_json_keeps_everything(result, tmp_path):
    result.save(tmp_path / "r.json")
    values = json.loads((tmp_path / "r.json").read_text())
    assert values["rows"] == 12_000
    assert values["labels"] == list(result.labels)
    again = Evaluation.load(tmp_path / "r.json")
    assert again == result
    assert again.summary() == result.summary()
    # What only windows have is not a number in the totals, and JSON knows no such thing.
    assert values["points"][-1]["models"]["tree"]["total"]["auc"] is None
    assert math.isnan(again.last("tree").total["auc"])
    values["format"] = 99
    with pytest.raises(ValueError, match="format is 99, must be 1"):
        Evaluation.from_dict(values)


def test_new_bins_are_told_from_the_first_row_of_the_evaluation():
    X = np.random.default_rng(0).random((5000, 1))
    X[2000:] *= 1000
    y = np.sin(X[:, 0])
    model = SGTRegressor().partial_fit(X[:1000], y[:1000])
    stream = open_stream(X[1000:], y=y[1000:])
    found = prequential(stream, {"tree": model, "mean": MeanSoFar()}, metrics=["mae"])
    (before,) = model.range_updates_
    (told,) = found.range_updates["tree"]
    assert (told.row, told.feature, told.reason) == (before.row - 1000, 0, "outside")
    assert list(found.range_updates) == ["tree"]
    assert Evaluation.from_dict(json.loads(json.dumps(found.as_dict()))) == found


def test_figures_that_were_not_measured_are_refused_with_a_list(result):
    with pytest.raises(ValueError, match="'mae' was not measured; there are error, kappa, auc"):
        result.total("mae")
    with pytest.raises(ValueError, match="no model 'forest'; there are tree, majority class"):
        result.total("error", "forest")


def test_an_empty_result_is_reported(empty, tmp_path):
    assert (empty.rows, empty.names, empty.points) == (0, [], ())
    with pytest.raises(ValueError, match="nothing has been measured yet"):
        empty.last()
    with pytest.raises(ValueError, match="nothing to draw"):
        empty.plot(path=tmp_path / "a.png")
    assert Evaluation.from_dict(empty.as_dict()) == empty


@pytest.mark.parametrize("metric", ["error", "kappa", "auc", None])
def test_the_picture_is_a_png_of_legible_size(result, tmp_path, metric):
    result.plot(metric, path=tmp_path / "curve.png", title="A curve")
    written = (tmp_path / "curve.png").read_bytes()
    assert written.startswith(PNG)
    width, height = int.from_bytes(written[16:20]), int.from_bytes(written[20:24])
    assert width >= 1000
    assert height >= 600


def test_models_without_leaves_and_errors_of_zero_can_be_drawn(tmp_path):
    stream = Friedman(noise=0.0).head(1500)
    prequential(stream, MeanSoFar()).plot(path=tmp_path / "a.png")
    constant = np.zeros((1500, 2))
    result = prequential(open_stream(constant, y=np.zeros(1500)), SGTRegressor())
    assert result.total("mae") == 0.0
    result.plot(path=tmp_path / "b.png")
    assert (tmp_path / "b.png").exists()
