"""What one run of each learner gives, against the plainest way to get it."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets import Bags
from sgtrees_experiments.execution.prepared import read_bags, write_bags
from sgtrees_experiments.learners.bag_learning import run_bags
from sgtrees_experiments.learners.runs import BagRun, StreamRun, curve_ends, run_from, shuffled
from sgtrees_experiments.learners.stream_learning import run_lightgbm, run_river, run_sgtrees
from sgtrees_experiments.moa import NumericStream, StreamFiles
from sgtrees_experiments.multi_instance import MITIClassifier


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(0)
    X = rng.random((3000, 4))
    X[:, 3] = rng.integers(0, 3, 3000)
    y = ((X[:, 0] > 0.5) ^ (X[:, 3] == 1)).astype(float)
    return NumericStream(X, y, [0, 0, 0, 3], 2)


@pytest.fixture(scope="module")
def numbers(classes):
    return NumericStream(classes.X, 3.0 * classes.X[:, 0] + classes.y, [0, 0, 0, 3], 0)


def test_a_curve_ends_with_the_last_row_and_grows_evenly_on_a_log_scale():
    ends = curve_ends(1_000_000)
    assert ends[0] == 1000
    assert ends[-1] == 1_000_000
    assert 20_000 in ends
    assert ends == sorted(set(ends))
    assert len(ends) <= 42
    assert min(np.diff(curve_ends(5000))) >= 250
    assert curve_ends(1) == [1]


def test_shuffles_are_permutations_that_their_seed_decides():
    assert sorted(shuffled(50, 3).tolist()) == list(range(50))
    assert (shuffled(50, 3) == shuffled(50, 3)).all()
    assert (shuffled(50, 3, 10) == shuffled(50, 3)[:10]).all()
    assert (shuffled(50, 3) != shuffled(50, 4)).any()


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


@pytest.fixture(scope="module")
def bags():
    rng = np.random.default_rng(0)
    made = [rng.random((rng.integers(1, 6), 2)) for _ in range(40)]
    return Bags(made, np.array([int(bag[:, 0].max() > 0.7) for bag in made]))


def test_bags_are_cross_validated_in_ten_stratified_folds(bags):
    run = run_bags(bags, "miti", {}, seed=5)
    expected = []
    for learned, tested in StratifiedKFold(10, shuffle=True, random_state=5).split(
        np.zeros(40), bags.y
    ):
        model = MITIClassifier().fit([bags.bags[i] for i in learned], bags.y[learned])
        expected.append(model.score([bags.bags[i] for i in tested], bags.y[tested]))
    assert run.accuracies == expected
    assert run.seconds > 0.0


@pytest.mark.parametrize("learner", ["sgt-bags", "qddi"])
def test_the_other_learners_of_bags_run_too(bags, learner):
    run = run_bags(bags, learner, {}, seed=0)
    assert len(run.accuracies) == 10
    assert run == BagRun(run.seconds, run.accuracies)
    assert run_bags(bags, learner, {}, seed=0).accuracies == run.accuracies


def test_bags_that_were_written_are_read(bags, tmp_path):
    write_bags(bags, tmp_path)
    again = read_bags(tmp_path)
    assert all((a == b).all() for a, b in zip(bags.bags, again.bags, strict=True))
    assert (bags.y == again.y).all()


def child(folder, **work):
    defaults = {"engine": "sgtrees", "learner": "sgt", "settings": {}, "task": "classification"}
    words = json.dumps(defaults | {"folder": str(folder), "rows": 2000, "seeds": [0]} | work)
    return subprocess.run(
        [sys.executable, "-m", "sgtrees_experiments.execution.child", words],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_process_prints_a_line_for_each_run(classes, tmp_path):
    StreamFiles.write(classes, tmp_path)
    done = child(tmp_path, seeds=[4, 5])
    runs = [run_from(json.loads(line)) for line in done.stdout.splitlines()]
    assert [run.ends[-1] for run in runs] == [2000, 2000]
    direct = run_sgtrees(classes, shuffled(3000, 4, 2000), {})
    assert runs[0].losses == direct.losses
    assert isinstance(runs[0], StreamRun)


def test_a_process_that_fails_says_why(classes, tmp_path):
    StreamFiles.write(classes, tmp_path)
    done = child(tmp_path, settings={"grace_period": 0})
    assert done.returncode == 1
    assert "grace_period" in done.stderr.splitlines()[-1]
