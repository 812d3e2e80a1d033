"""Every metric against another implementation, over all rows, over a window, and fading."""

import numpy as np
import pytest
from river import metrics as river_metrics
from sklearn import metrics as sklearn_metrics

from sgtrees.evaluation import metrics
from sgtrees.evaluation.metrics import Task, read_metrics
from sgtrees.evaluation.outcomes import Outcome
from sgtrees.evaluation.tally import Tally


def classified(n_rows=400, n_classes=3, seed=0, weighted=False):
    random = np.random.default_rng(seed)
    y = random.integers(n_classes, size=n_rows)
    probabilities = random.dirichlet(np.ones(n_classes), n_rows)
    # Better than chance, or most figures would be 0.
    probabilities[np.arange(n_rows), y] += 0.3
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    weights = random.random(n_rows) if weighted else np.ones(n_rows)
    previous = np.concatenate([[-1], y[:-1]]).astype(np.int32)
    return Outcome(y, probabilities.argmax(axis=1), weights, previous, probabilities)


def measured(n_rows=400, seed=0, weighted=False, positive=False):
    random = np.random.default_rng(seed)
    y = random.gamma(2.0, size=n_rows) if positive else random.normal(size=n_rows)
    predicted = np.abs(y + 0.3 * random.normal(size=n_rows)) + 0.1 if positive else (
        y + random.normal(size=n_rows))  # fmt: skip
    weights = random.random(n_rows) if weighted else np.ones(n_rows)
    return Outcome(y, predicted, weights, None, None, predicted - 1.0, predicted + 1.0)


SKLEARN_LABELS = {
    "error": lambda y, p, w: 1.0 - sklearn_metrics.accuracy_score(y, p, sample_weight=w),
    "accuracy": lambda y, p, w: sklearn_metrics.accuracy_score(y, p, sample_weight=w),
    "kappa": lambda y, p, w: sklearn_metrics.cohen_kappa_score(y, p, sample_weight=w),
    "balanced_accuracy": lambda y, p, w: sklearn_metrics.balanced_accuracy_score(
        y, p, sample_weight=w
    ),
}
SKLEARN_NUMBERS = {
    "mae": lambda y, p, w: sklearn_metrics.mean_absolute_error(y, p, sample_weight=w),
    "rmse": lambda y, p, w: sklearn_metrics.root_mean_squared_error(y, p, sample_weight=w),
    "r2": lambda y, p, w: sklearn_metrics.r2_score(y, p, sample_weight=w),
    "pinball": lambda y, p, w: sklearn_metrics.mean_pinball_loss(y, p, sample_weight=w),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SKLEARN_LABELS)
def test_figures_of_labels_are_those_of_scikit_learn(name, weighted):
    outcome = classified(weighted=weighted)
    expected = SKLEARN_LABELS[name](outcome.y, outcome.predicted, outcome.weights)
    assert metrics.METRICS[name]().of(outcome) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_figures_of_probabilities_are_those_of_scikit_learn(weighted):
    outcome = classified(weighted=weighted)
    expected = sklearn_metrics.log_loss(
        outcome.y, outcome.probabilities, sample_weight=outcome.weights
    )
    assert metrics.LogLoss().of(outcome) == pytest.approx(expected, rel=1e-12)
    two = classified(n_classes=2, weighted=weighted)
    # Scores that tie, too.
    tied = Outcome(two.y, two.predicted, two.weights, None, np.round(two.probabilities, 1))
    for case in (two, tied):
        expected = sklearn_metrics.roc_auc_score(
            case.y, case.probabilities[:, 1], sample_weight=case.weights
        )
        assert metrics.Auc().of(case) == pytest.approx(expected, rel=1e-12)
    areas = [
        sklearn_metrics.roc_auc_score(
            outcome.y == k, outcome.probabilities[:, k], sample_weight=outcome.weights
        )
        for k in range(3)
    ]
    assert metrics.Auc().of(outcome) == pytest.approx(np.mean(areas), rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SKLEARN_NUMBERS)
def test_figures_of_numbers_are_those_of_scikit_learn(name, weighted):
    outcome = measured(weighted=weighted)
    expected = SKLEARN_NUMBERS[name](outcome.y, outcome.predicted, outcome.weights)
    assert metrics.METRICS[name]().of(outcome) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0, 3.0])
def test_deviances_are_those_of_scikit_learn(power):
    outcome = measured(positive=True, weighted=True)
    expected = sklearn_metrics.mean_tweedie_deviance(
        outcome.y, outcome.predicted, power=power, sample_weight=outcome.weights
    )
    assert metrics.Deviance(power).of(outcome) == pytest.approx(expected, rel=1e-10)


def test_counts_of_zero_have_a_deviance():
    outcome = Outcome(np.array([0.0, 2.0]), np.array([1.0, 2.0]), np.ones(2))
    assert metrics.Deviance(1.0).of(outcome) == pytest.approx(1.0)


def test_far_targets_do_not_lose_their_variance():
    outcome = measured()
    far = Outcome(outcome.y + 1e9, outcome.predicted + 1e9, outcome.weights)
    assert metrics.R2().of(far) == pytest.approx(metrics.R2().of(outcome), rel=1e-6)


def test_temporal_kappa_compares_with_the_last_label():
    y, predicted = np.array([0, 0, 1, 1, 0]), np.array([0, 1, 1, 1, 0])
    previous = np.array([-1, 0, 0, 1, 1], dtype=np.int32)
    outcome = Outcome(y, predicted, np.ones(5), previous)
    # Right 4 of 5; the last label is right 2 of 5.
    assert metrics.KappaTemporal().of(outcome) == pytest.approx((0.8 - 0.4) / (1.0 - 0.4))
    always = Outcome(np.zeros(3, int), np.zeros(3, int), np.ones(3), np.zeros(3, np.int32))
    assert metrics.KappaTemporal().of(always) == 0.0


def test_intervals_cover_what_lies_between_their_ends_and_on_them():
    outcome = Outcome(
        np.array([0.0, 1.0, 2.0, 3.0]), np.zeros(4), np.ones(4), None, None,
        np.array([0.0, 0.0, 0.0, 4.0]), np.array([0.0, 2.0, 1.0, 5.0]))  # fmt: skip
    assert metrics.Coverage().of(outcome) == 0.5
    assert metrics.Width().of(outcome) == pytest.approx((0 + 2 + 1 + 1) / 4)


RIVER = {
    "accuracy": river_metrics.Accuracy,
    "kappa": river_metrics.CohenKappa,
    "balanced_accuracy": river_metrics.BalancedAccuracy,
    "log_loss": river_metrics.CrossEntropy,
    "mae": river_metrics.MAE,
    "rmse": river_metrics.RMSE,
    "r2": river_metrics.R2,
}


@pytest.mark.parametrize("name", RIVER)
def test_figures_are_those_of_river(name):
    metric, theirs = metrics.METRICS[name](), RIVER[name]()
    outcome = classified() if metric.task is Task.CLASSIFICATION else measured()
    for row in range(len(outcome)):
        predicted = outcome.predicted[row].item()
        if name == "log_loss":
            predicted = dict(enumerate(outcome.probabilities[row]))
        theirs.update(outcome.y[row].item(), predicted)
    assert metric.of(outcome) == pytest.approx(theirs.get(), rel=1e-9)


# ---- windows and fading -------------------------------------------------------------------------

ALL = [*(name for name in metrics.METRICS if name not in ("auc", "deviance"))]


def outcome_for(metric):
    return classified() if metric.task is Task.CLASSIFICATION else measured()


@pytest.mark.parametrize("sizes", [[400], [1] * 400, [7, 250, 143]])
@pytest.mark.parametrize("name", ALL)
def test_blocks_of_any_size_give_the_same_figures(name, sizes):
    metric = metrics.METRICS[name]()
    outcome = outcome_for(metric)
    tally = Tally([metric], window=50, fading=0.99)
    start = 0
    for size in sizes:
        tally.add(outcome.slice(start, start + size))
        start += size
    assert tally.total()[name] == pytest.approx(metric.of(outcome), rel=1e-9)
    assert tally.window_rows == 50
    assert tally.close_window()[name] == pytest.approx(metric.of(outcome.slice(350, 400)), rel=1e-9)
    fading = 0.99 ** np.arange(399, -1, -1)
    expected = metric.value(metric.sums(outcome, fading))
    assert tally.faded()[name] == pytest.approx(expected, rel=1e-9)


def test_a_window_without_a_size_begins_anew_when_it_is_closed():
    outcome = classified()
    tally = Tally([metrics.Error()], window=None, fading=None)
    for start, stop in ((0, 100), (100, 130)):
        tally.add(outcome.slice(start, stop))
        expected = metrics.Error().of(outcome.slice(start, stop))
        assert tally.close_window()["error"] == expected
    assert tally.window_rows == 0
    assert np.isnan(tally.close_window()["error"])
    assert tally.faded() is None


def test_classes_that_come_late_are_counted_with_the_others():
    early = Outcome(np.array([0, 0]), np.array([0, 0]), np.ones(2), None, np.ones((2, 1)))
    late = Outcome(np.array([2, 1]), np.array([2, 0]), np.ones(2), None, np.full((2, 3), 1 / 3))
    tally = Tally([metrics.Kappa(), metrics.LogLoss(), metrics.Auc()], window=4, fading=0.5)
    tally.add(early)
    tally.add(late)
    assert tally.total()["kappa"] == pytest.approx(
        sklearn_metrics.cohen_kappa_score([0, 0, 2, 1], [0, 0, 2, 0])
    )
    assert tally.total()["log_loss"] == pytest.approx(np.log(3.0) / 2.0)
    assert np.isnan(tally.total()["auc"])
    assert 0.0 < tally.close_window()["auc"] < 1.0


def test_metrics_of_another_task_and_unknown_ones_are_refused_with_a_list():
    with pytest.raises(ValueError, match=r"'mae' is for regression.*there are error, accuracy"):
        read_metrics(["mae"], Task.CLASSIFICATION)
    with pytest.raises(ValueError, match="'errror' is not known; there are error"):
        read_metrics(["errror"], Task.CLASSIFICATION)
    with pytest.raises(ValueError, match="twice"):
        read_metrics(["mae", metrics.MeanAbsoluteError()], Task.REGRESSION)
    with pytest.raises(ValueError, match="empty"):
        read_metrics([], Task.REGRESSION)


@pytest.mark.parametrize("make", [lambda: metrics.Deviance(0.5), lambda: metrics.Pinball(1.0)])
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(ValueError, match="must be"):
        make()
