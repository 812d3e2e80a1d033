"""Prequential figures, against plain loops."""

import math
from collections import deque
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from river import evaluate, linear_model, preprocessing, tree
from river import metrics as river_metrics
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB

from sgtrees import SGTClassifier, SGTRegressor, losses
from sgtrees.evaluation import (
    LastLabel,
    MajorityClass,
    MeanSoFar,
    Prequential,
    QuantileInterval,
    prequential,
)
from sgtrees.interop.river import SGTClassifier as RiverClassifier
from sgtrees.interop.river import SGTRegressor as RiverRegressor
from sgtrees.streams import Agrawal, Block, FlightDelays, Friedman, RandomRbf, Sea, open_stream

QUICK = {"warm_up": 200, "grace_period": 50, "delta": 1e-3}


def frame(n_rows, seed=0, n_labels=3):
    """Rows of all kinds, with missing values."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, n_rows))
    word = random.choice(["red", "green", "blue"], n_rows)
    number = (a > 0).astype(int) + ((b > 0.5) ^ (word == "red")) * (n_labels > 2)
    return pd.DataFrame(
        {
            "a": np.where(random.random(n_rows) < 0.1, np.nan, a),
            "b": b,
            "word": np.where(random.random(n_rows) < 0.1, None, word),
            "t": np.array(["u", "v", "w"])[number],
            "n": 3.0 * a + (word == "red") + 0.1 * random.normal(size=n_rows),
        }
    )


def events(data):
    for row in data.drop(columns=["t", "n"]).to_dict("records"):
        yield {k: v for k, v in row.items() if not pd.isna(v)}


# ---- against a naive loop -----------------------------------------------------------------------


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


def test_labels_are_the_most_probable_ones_exactly_as_predict_says():
    stream = RandomRbf(n_classes=5, n_features=4).head(30_000)
    one, other = SGTClassifier(**QUICK), SGTClassifier(**QUICK)
    wrong = np.concatenate([one.learn_predict(b.X, b.y) != b.y for b in stream])
    result = prequential(stream, other, metrics=["error"])
    assert result.total("error") == np.mean(wrong[1:])


@pytest.mark.parametrize("delay", [1, 7, 500])
def test_labels_that_come_late_equal_a_loop_with_a_queue(delay):
    data = frame(2000)
    naive, waiting, wrong = SGTClassifier(**QUICK), deque(), []
    for event, label in zip(events(data), data["t"], strict=True):
        predicted = naive.predict_one(event)
        if predicted is not None:
            wrong.append(predicted != label)
        waiting.append((event, label))
        if len(waiting) > delay:
            naive.learn_one(*waiting.popleft())
    model = SGTClassifier(**QUICK)
    result = prequential(
        open_stream(data.drop(columns="n"), "t"), model, metrics=["error"], delay=delay
    )
    assert result.total("error") == np.mean(wrong)
    # The last labels come after the end.
    for event, label in waiting:
        naive.learn_one(event, label)
    assert model.n_nodes_ == naive.n_nodes_


# ---- against river ------------------------------------------------------------------------------


def test_river_models_get_the_figures_that_river_gives_them():
    data = frame(2500, n_labels=2)
    pairs = [*zip(events(data), data["t"], strict=True)]
    theirs = evaluate.progressive_val_score(
        pairs, RiverClassifier(**QUICK), river_metrics.Accuracy()
    ).get()
    stream = open_stream(data.drop(columns="n"), "t")
    models = {"river": RiverClassifier(**QUICK), "own": SGTClassifier(**QUICK)}
    result = prequential(stream, models, metrics=["accuracy", "kappa"])
    assert result.total("accuracy", "river") == pytest.approx(theirs, abs=1e-15)
    assert result.total("accuracy", "own") == pytest.approx(theirs, abs=1e-15)


def test_river_regressors_and_pipelines_take_part():
    stream = Friedman().head(3000)
    models = {
        "sgt": RiverRegressor(**QUICK),
        "linear": preprocessing.StandardScaler() | linear_model.LinearRegression(),
        "hoeffding": tree.HoeffdingTreeRegressor(),
    }
    result = prequential(stream, models)
    pairs = [
        ({f"x{i + 1}": v for i, v in enumerate(row)}, y)
        for block in stream
        for row, y in zip(block.X.tolist(), block.y.tolist(), strict=True)
    ]
    model = preprocessing.StandardScaler() | linear_model.LinearRegression()
    theirs = evaluate.progressive_val_score(pairs, model, river_metrics.MAE()).get()
    assert result.total("mae", "linear") == pytest.approx(theirs)
    assert result.last("hoeffding").n_leaves > 1


def test_river_gets_the_names_of_generated_categories():
    class Watcher(tree.HoeffdingTreeClassifier):
        seen = ()

        def learn_one(self, x, y, w=1.0):
            Watcher.seen = x
            super().learn_one(x, y, w=w)

    prequential(Agrawal().head(100), Watcher(), metrics=["error"])
    assert isinstance(Watcher.seen["education"], str)
    assert isinstance(Watcher.seen["salary"], float)


# ---- other estimators ---------------------------------------------------------------------------


def test_estimators_of_scikit_learn_learn_batch_by_batch():
    stream = Sea(seed=2).head(5500)
    whole = list(stream)
    X, y = np.concatenate([b.X for b in whole]), np.concatenate([b.y for b in whole])
    naive, wrong = GaussianNB(), []
    for start in range(0, 5500, 500):
        rows = slice(start, start + 500)
        if start:
            wrong += (naive.predict(X[rows]) != y[rows]).tolist()
        naive.partial_fit(X[rows], y[rows], classes=["a", "b"])
    result = prequential(stream, GaussianNB(), batch_rows=500, metrics=["error", "log_loss", "auc"])
    assert result.total("error") == np.mean(wrong)
    assert 0.5 < result.total("auc") <= 1.0


def test_a_regressor_of_scikit_learn_and_files_and_delays(tmp_path):
    path = tmp_path / "a.csv"
    frame(4000)[["b", "a", "n"]].fillna(0.0).to_csv(path, index=False)
    models = {"sgd": SGDRegressor(random_state=0), "mean": MeanSoFar()}
    result = prequential(open_stream(path, "n"), models)
    assert result.total("mae", "sgd") < result.total("mae", "mean")
    late = prequential(open_stream(path, "n"), SGDRegressor(random_state=0), delay=1500)
    assert late.total("mae") > result.total("mae", "sgd")


def test_classifiers_that_want_all_labels_beforehand_can_be_told():
    data = frame(2500)[["b", "t"]]
    model = SGDClassifier(random_state=0)
    result = prequential(open_stream(data, "t"), model, labels=["u", "v", "w"], metrics=["error"])
    assert result.total("error") < 0.7


def test_intervals_are_covered_as_often_as_their_quantiles_say():
    # Normal noise about 0, so that nothing but the quantiles is to be learned.
    random = np.random.default_rng(0)
    X, y = random.random((20_000, 2)), random.normal(size=20_000)
    model = QuantileInterval(
        SGTRegressor(loss=losses.Quantile(alpha=0.1)), SGTRegressor(loss=losses.Quantile(alpha=0.9))
    )
    result = prequential(open_stream(X, y=y), model, metrics=["coverage", "width", "mae"])
    assert result.total("coverage") == pytest.approx(0.8, abs=0.04)
    assert result.total("width") == pytest.approx(2 * 1.2816, rel=0.15)
    assert result.last().n_leaves >= 2


# ---- the evaluation itself ----------------------------------------------------------------------


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


def test_points_come_where_they_were_asked_for_and_at_the_end():
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


def test_the_best_possible_error_is_told_where_it_is_known():
    result = prequential(Sea(noise=0.2).head(3000), LastLabel(), metrics=["error"])
    assert [point.best_error for point in result.points] == pytest.approx([0.2] * 3)


def test_temporal_kappa_of_the_last_label_is_zero():
    result = prequential(Sea().head(3000), LastLabel(), metrics=["kappa_temporal", "log_loss"])
    assert result.total("kappa_temporal") == pytest.approx(0.0, abs=1e-12)
    # One that names a label only has no log loss.
    assert math.isnan(result.total("log_loss"))


def test_names_are_those_given_or_those_of_the_classes():
    result = prequential(Sea().head(1000), [MajorityClass(), LastLabel(), MajorityClass()])
    assert result.names == ["MajorityClass 1", "LastLabel", "MajorityClass 2"]


def test_progress_is_written_to_standard_error(capsys):
    prequential(Sea().head(2000), MajorityClass(), metrics=["error"], verbose=1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("1,000 rows: error MajorityClass 0.")


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


def test_models_that_do_not_go_together_or_cannot_learn_are_refused():
    with pytest.raises(ValueError, match="all classify or all regress"):
        prequential(Sea().head(10), [MajorityClass(), MeanSoFar()])
    with pytest.raises(TypeError, match="cannot learn from a stream"):
        prequential(Sea().head(10), object())
    with pytest.raises(ValueError, match="models is empty"):
        prequential(Sea().head(10), {})
    with pytest.raises(ValueError, match="no predict_proba"):
        prequential(Sea().head(10), SGDClassifier(), metrics=["log_loss"])
    with pytest.raises(ValueError, match="has no target"):
        prequential(open_stream(np.zeros((3, 2))), MajorityClass())
