import sys

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.learners.runs import shuffled
from sgtrees_experiments.learners.streams import run_lightgbm, run_river, run_sgtrees


def test_our_run_counts_the_predictions_made_before_each_row_was_learned(classes):
    order = shuffled(3000, 1)
    run = run_sgtrees(classes, order, {"grace_period": 100, "warm_up": 200})
    model = SGTClassifier(grace_period=100, warm_up=200, categorical_features=[3])
    wrong = 0
    for place, row in enumerate(order, start=1):
        x, label = classes.X[[row]], int(classes.y[row])
        wrong += (model.predict(x)[0] if place > 1 else 0) != label
        model.partial_fit(x, [label])
        if place == 1000:
            assert run.losses[0] == wrong
    assert run.losses[-1] == wrong
    assert run.nodes == model.n_nodes_
    assert run.ends[-1] == 3000
    assert run.seconds > 0.0


def test_our_regression_run_sums_absolute_errors(numbers):
    order = shuffled(3000, 1)
    run = run_sgtrees(numbers, order, {"loss": "absolute_error"})
    model = SGTRegressor(loss="absolute_error", categorical_features=[3])
    predicted = model.learn_predict(numbers.X[order], numbers.y[order])
    assert run.losses[-1] == pytest.approx(np.abs(predicted - numbers.y[order]).sum())


def test_river_is_run_as_its_users_run_it(classes, numbers):
    settings = {"delta": 1e-7, "grace_period": 200, "lambda_value": 0.1, "gamma": 1.0}
    run = run_river(classes, shuffled(3000, 0, 1500), settings)
    assert run.ends[-1] == 1500
    assert 0.0 < run.loss < 0.7
    assert run_river(numbers, shuffled(3000, 0, 1200), settings).loss < 5.0


def test_lightgbm_learns_nine_tenths_and_is_tested_on_the_rest(classes, numbers):
    pytest.importorskip("lightgbm")
    run = run_lightgbm(classes, shuffled(3000, 0), {"n_estimators": 20})
    assert run.ends == [300]
    assert run.loss < 0.05
    assert run.nodes > 20
    assert run_lightgbm(numbers, shuffled(3000, 0), {"n_estimators": 20}).loss < 0.5


@pytest.mark.parametrize(("run", "module"), [(run_river, "river"), (run_lightgbm, "lightgbm")])
def test_a_package_that_is_not_there_is_named(classes, monkeypatch, run, module):
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(AbsentError, match=rf"{module}.* is not installed: pip install {module}"):
        run(classes, shuffled(3000, 0, 10), {})
