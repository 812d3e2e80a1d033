"""What a result says about a model and the baselines, in words."""

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor, losses
from sgtrees.evaluation import (
    Evaluation,
    LastLabel,
    LastValue,
    Measurement,
    Point,
    Task,
    baselines_for,
    prequential,
)
from sgtrees.streams import Friedman, Sea, open_stream


def measured(values, *, shares=("error",), higher=(), baselines=("majority class", "last label")):
    (metric,) = {metric for totals in values.values() for metric in totals}
    models = {name: Measurement(totals, totals, None, 1.0) for name, totals in values.items()}
    return Evaluation(
        "prequential",
        Task.CLASSIFICATION,
        (metric,),
        shares,
        higher,
        (Point(100, 100, models),),
        baselines=baselines,
    )


def test_what_is_beaten_comes_first_and_shares_differ_in_points():
    result = measured(
        {
            "tree": {"error": 0.2779},
            "last label": {"error": 0.1467},
            "majority class": {"error": 0.4245},
        }
    )
    assert result.verdict() == (
        "Error 27.79 % over 100 rows: better than the majority class (42.45 %) by 14.66 points, "
        "worse than the last label (14.67 %) by 13.12 points."
    )


def test_several_that_are_beaten_are_listed_together():
    result = measured(
        {"tree": {"mae": 30.0}, "median so far": {"mae": 40.0}, "last value": {"mae": 60.0}},
        shares=(),
        baselines=("median so far", "last value"),
    )
    assert result.verdict() == (
        "Mean absolute error 30 over 100 rows: better than the median so far (40) by 25 % and the "
        "last value (60) by 50 %."
    )


def test_greater_may_be_better_and_equals_are_called_so():
    values = {"tree": {"r2": 0.5}, "mean so far": {"r2": -0.25}, "last value": {"r2": 0.5}}
    names = ("mean so far", "last value")
    result = measured(values, shares=(), higher=("r2",), baselines=names)
    assert result.verdict() == (
        "R\u00b2 0.5 over 100 rows: better than the mean so far (-0.25) by 0.75, equal to the last "
        "value (0.5)."
    )


def test_what_is_0_has_no_percents():
    values = {"tree": {"mae": 0.25}, "last value": {"mae": 0.0}, "mean so far": {"mae": 0.5}}
    result = measured(values, shares=(), baselines=("last value", "mean so far"))
    assert result.verdict() == (
        "Mean absolute error 0.25 over 100 rows: better than the mean so far (0.5) by 50 %, worse "
        "than the last value (0) by 0.25."
    )


def test_there_is_nothing_to_say_without_baselines_or_figures():
    assert measured({"tree": {"error": 0.1}}, baselines=()).verdict() == ""
    values = {"tree": {"error": 0.1}, "last label": {"error": np.nan}}
    assert measured(values).verdict() == ""
    assert Evaluation("prequential", Task.REGRESSION, ("mae",)).verdict() == ""


def test_the_summary_ends_with_it():
    models = {"tree": SGTClassifier(), **baselines_for(Task.CLASSIFICATION)}
    result = prequential(Sea().head(3_000), models)
    assert result.baselines == ("majority class", "last label")
    assert result.summary().splitlines()[-1] == result.verdict()
    assert "better than the majority class" in result.verdict()
    assert result.as_dict()["verdict"] == result.verdict()
    several = prequential(Sea().head(500), [SGTClassifier(), SGTClassifier(), LastLabel()])
    told = several.summary().splitlines()[-3::2]
    assert [line.split(":")[0] for line in told] == ["SGTClassifier 1", "SGTClassifier 2"]


@pytest.mark.parametrize(
    ("loss", "judged_by"),
    [("squared_error", "rmse"), ("absolute_error", "mae"), (losses.Quantile(0.9), "pinball")],
)
def test_models_are_judged_by_what_their_loss_minimises(loss, judged_by):
    models = {"tree": SGTRegressor(loss=loss), **baselines_for(Task.REGRESSION, loss)}
    result = prequential(Friedman().head(2_000), models)
    assert result.judged_by == judged_by
    assert judged_by in result.metrics
    assert "better than" in result.verdict()
    of_others = prequential(Friedman().head(500), models, metrics=["r2"])
    assert of_others.judged_by == "r2"


def test_a_quantile_is_judged_by_its_own_pinball_loss():
    y = np.random.default_rng(0).exponential(size=3_000)
    stream = open_stream(np.zeros((3_000, 1)), y=y)
    model = SGTRegressor(loss=losses.Quantile(0.9))
    result = prequential(stream, {"tree": model, **baselines_for(Task.REGRESSION, model.loss)})
    below = result.total("pinball", "quantile so far")
    wrong = y - np.quantile(y, 0.9)
    assert below == pytest.approx(np.mean(np.maximum(0.9 * wrong, -0.1 * wrong)), rel=0.05)


def test_baselines_learn_where_a_model_is_only_tested():
    y = np.repeat([1.0, 5.0], 50)
    stream = open_stream(np.zeros((100, 1)), y=y)
    model = SGTRegressor().partial_fit(np.zeros((10, 1)), np.ones(10))
    result = prequential(stream, {"tree": model, "last value": LastValue()}, learns=False)
    assert result.total("mae", "last value") == pytest.approx((1.0 + 4.0) / 100)
