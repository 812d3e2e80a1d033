import numpy as np
import pytest

from sgtrees.evaluation import Evaluation, Measurement, Point, Task
from sgtrees.report.segments import segments_of


def evaluation(rows, windows, errors):
    points = tuple(
        Point(n, w, {"tree": Measurement({"error": e}, {"error": e}, None, 1.0)})
        for n, w, e in zip(rows, windows, errors, strict=True)
    )
    return Evaluation("prequential", Task.CLASSIFICATION, ("error",), points=points)


def test_segments_cover_the_stream_and_weigh_windows_by_their_rows():
    found = evaluation([10, 40, 100], [10, 30, 60], [0.5, 0.1, 0.2])
    assert [(s["first"], s["last"]) for s in segments_of(found)] == [(1, 10), (11, 40), (41, 100)]
    many = evaluation(range(10, 1010, 10), [10] * 100, np.linspace(0.0, 0.99, 100))
    segments = segments_of(many)
    assert len(segments) == 10
    assert (segments[0]["first"], segments[-1]["last"]) == (1, 1000)
    assert segments[0]["values"] == pytest.approx([np.linspace(0.0, 0.99, 100)[:10].mean()])


def test_windows_without_a_figure_are_passed_over():
    segments = segments_of(evaluation([10, 20], [10, 10], [np.nan, 0.5]))
    assert segments[-1]["values"] == [0.5]
