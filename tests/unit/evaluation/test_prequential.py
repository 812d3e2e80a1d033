"""Prequential evaluation against plain loops."""

import math
from dataclasses import fields
from inspect import signature
from itertools import pairwise

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.evaluation import (
    LastLabel,
    MajorityClass,
    MeanSoFar,
    Prequential,
    prequential,
)
from sgtrees.evaluation.prequential import PrequentialSettings
from sgtrees.streams import Agrawal, Block, FlightDelays, Sea, open_stream
from tests.unit.evaluation.mixed_rows import QUICK, events, frame


@pytest.mark.parametrize("n_labels", [2, 3])
def test_a_classifiers_figures_equal_a_loop_of_predict_one_and_learn_one(n_labels):
    data = frame(3000, n_labels=n_labels)
    naive = SGTClassifier(**QUICK)
    rows = []
    for event, label in zip(events(data), data["t"], strict=True):
        rows.append((label, naive.predict_one(event), naive.predict_proba_one(event)))
        naive.learn_one(event, label)
    rows = rows[1:]  # nothing to go by
    wrong = [label != predicted for label, predicted, _ in rows]
    loss = [-math.log(max(known.get(label, 0.0), 1e-15)) for label, _, known in rows]

    model = SGTClassifier(**QUICK)
    result = prequential(
        open_stream(data.drop(columns="n"), "t"),
        model,
        metrics=["error", "log_loss"],
        window=500,
        every=1000,
        fading=0.99,
    )
    assert model.n_nodes_ == naive.n_nodes_ > 5
    assert result.total("error") == np.mean(wrong)
    assert result.total("log_loss") == pytest.approx(np.mean(loss), rel=1e-12)
    ends = [p.rows - 1 for p in result.points]
    assert result.curve("error") == [np.mean(wrong[end - 500 : end]) for end in ends]
    weights = 0.99 ** np.arange(len(wrong) - 1, -1, -1)
    assert result.last().faded["error"] == pytest.approx(np.average(wrong, weights=weights))


def test_a_regressors_figures_equal_a_loop_of_predict_one_and_learn_one():
    data = frame(3000)
    naive = SGTRegressor(loss="absolute_error", **QUICK)
    errors = []
    for event, target in zip(events(data), data["n"], strict=True):
        errors.append(naive.predict_one(event) - target)
        naive.learn_one(event, target)
    model = SGTRegressor(loss="absolute_error", **QUICK)
    result = prequential(open_stream(data.drop(columns="t"), "n"), model, every=700)
    assert model.n_nodes_ == naive.n_nodes_ > 10
    assert result.total("mae") == pytest.approx(np.mean(np.abs(errors)), rel=1e-12)
    assert result.total("rmse") == pytest.approx(np.sqrt(np.mean(np.square(errors))), rel=1e-12)
    pieces = np.split(np.abs(errors), [700, 1400, 2100, 2800])
    np.testing.assert_allclose(result.curve("mae"), [p.mean() for p in pieces], rtol=1e-12)


def test_how_the_stream_is_cut_changes_no_figure():
    whole = Agrawal(2, seed=1).take(7000)

    def evaluated(sizes):
        ends = np.cumsum([0, *sizes])
        blocks = [whole.slice(a, b) for a, b in pairwise(ends)]
        model = SGTClassifier(categorical_features=[3, 4, 5], **QUICK)
        result = prequential(open_stream(blocks), model, window=800, every=1000, fading=0.999)
        return [(p.rows, p.window, p.models["SGTClassifier"]) for p in result.points]

    one = evaluated([7000])
    for other in (evaluated([1, 2999, 4000]), evaluated([700] * 10)):
        for (rows, window, a), (rows_b, window_b, b) in zip(one, other, strict=True):
            assert (rows, window, a.n_nodes) == (rows_b, window_b, b.n_nodes)
            for kind in ("window", "total", "faded"):
                assert getattr(a, kind) == pytest.approx(getattr(b, kind), rel=1e-9)


def test_points_are_at_the_given_intervals_and_at_the_end():
    result = prequential(Sea().head(2500), MajorityClass(), every=1000)
    assert [(point.rows, point.window) for point in result.points] == [
        (1000, 999), (2000, 1000), (2500, 500)]  # fmt: skip
    growing = prequential(Sea().head(30_000), MajorityClass())
    assert [p.rows for p in growing.points][-4:] == [24_000, 26_000, 28_000, 30_000]


def test_weights_count_in_the_figures():
    X, y = np.zeros((4, 1)), np.array([0.0, 1.0, 2.0, 10.0])
    blocks = [Block(X, y, np.array([1.0, 1.0, 2.0, 0.0]))]
    result = prequential(open_stream(blocks), MeanSoFar(), metrics=["mae"])
    # Predicted 0, 0, 0.5; the last row weighs nothing.
    assert result.total("mae") == pytest.approx((0 + 1 + 2 * 1.5) / 4)


def test_who_stops_in_between_keeps_what_there_is():
    model = SGTClassifier()
    evaluation = Prequential(FlightDelays(), model, metrics=["error"])
    for point in evaluation.run():
        if point.rows == 5000:
            break
    result = evaluation.result()
    assert result.rows == 5000
    assert model.n_leaves_ == result.last().n_leaves


def test_the_best_possible_error_is_reported_if_it_is_known():
    result = prequential(Sea(noise=0.2).head(3000), LastLabel(), metrics=["error"])
    assert [point.best_error for point in result.points] == pytest.approx([0.2] * 3)


def test_progress_is_written_to_standard_error(capsys):
    prequential(Sea().head(2000), MajorityClass(), metrics=["error"], verbose=1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("1,000 rows: error MajorityClass 0.")


def test_nothing_is_written_unless_it_is_asked_for(capsys):
    prequential(Sea().head(2000), MajorityClass(), metrics=["error"])
    assert capsys.readouterr() == ("", "")


def test_an_evaluation_point_by_point_has_the_same_defaults():
    defaults = {name: p.default for name, p in signature(prequential).parameters.items()}
    for field in fields(PrequentialSettings):
        assert field.default == defaults[field.name], field.name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"window": 0}, "window == 0"),
        ({"every": 0}, "every == 0"),
        ({"fading": 1.0}, "fading == 1.0"),
        ({"delay": -1}, "delay == -1"),
        ({"batch_rows": 0}, "batch_rows == 0"),
        ({"metrics": ["mae"]}, "is for regression"),
    ],
)
def test_settings_out_of_range_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        prequential(Sea().head(10), MajorityClass(), **options)


def test_callbacks_get_the_rows_of_each_block_as_they_were_predicted():
    evaluation = Prequential(Sea().head(300), {"tree": SGTClassifier()})
    seen = []
    evaluation.callbacks.append(lambda name, rows, block: seen.append((name, len(block))))
    assert [point.rows for point in evaluation.run()][-1] == 300
    assert {name for name, _ in seen} == {"tree"}
    assert sum(rows for _, rows in seen) == 300
