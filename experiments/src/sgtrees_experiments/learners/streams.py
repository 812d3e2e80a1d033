"""One run of a learner of streams that Python runs: ours, river's, LightGBM."""

import importlib
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets import Task
from sgtrees_experiments.learners.runs import StreamRun, curve_ends
from sgtrees_experiments.moa import NumericStream


def stream_estimator(task: Task, settings: Mapping[str, Any], **more: Any) -> Any:
    """Return our estimator for a task.

    Examples
    --------
    >>> stream_estimator(Task.REGRESSION, {"loss": "absolute_error"})
    SGTRegressor(loss='absolute_error')
    """
    estimator = SGTClassifier if task is Task.CLASSIFICATION else SGTRegressor
    return estimator(**settings, **more)


Order = NDArray[np.int64]
_WARM_UP = 1000

Runner = Callable[[NumericStream, Order, dict[str, Any]], StreamRun]


def run_sgtrees(stream: NumericStream, order: Order, settings: dict[str, Any]) -> StreamRun:
    """Run our trees over the rows in an order, from the array in memory."""
    task = Task.CLASSIFICATION if stream.classes else Task.REGRESSION
    model = stream_estimator(task, settings, categorical_features=stream.nominal, n_threads=1)
    X = np.ascontiguousarray(stream.X[order])
    y = stream.y[order].astype(np.int64 if stream.classes else np.float64)
    began = time.process_time()
    predicted = model.learn_predict(X, y)
    seconds = time.process_time() - began
    return _run(seconds, int(model.n_nodes_), _losses(stream, predicted, y))


def run_river(stream: NumericStream, order: Order, settings: dict[str, Any]) -> StreamRun:
    """Run river's trees over dictionaries made beforehand, as its users do."""
    tree = _import("river.tree")
    estimator = tree.SGTClassifier if stream.classes else tree.SGTRegressor
    quantizer = tree.splitter.StaticQuantizer(n_bins=64, warm_start=_WARM_UP)
    model = estimator(feature_quantizer=quantizer, nominal_attributes=stream.nominal, **settings)
    X, y = stream.X[order], stream.y[order]
    # It divides by the range of a feature that is constant in its warm-up.
    varies = [j for j in range(X.shape[1]) if j in stream.nominal or np.ptp(X[:_WARM_UP, j]) > 0.0]
    rows = [dict(zip(varies, row, strict=True)) for row in X[:, varies].tolist()]
    targets: list[Any] = (y == 1.0).tolist() if stream.classes else y.tolist()
    predicted = []
    began = time.process_time()
    for x, target in zip(rows, targets, strict=True):
        predicted.append(model.predict_one(x))
        model.learn_one(x, target)
    seconds = time.process_time() - began
    return _run(seconds, int(model.n_nodes), _losses(stream, np.array(predicted, float), y))


def run_lightgbm(stream: NumericStream, order: Order, settings: dict[str, Any]) -> StreamRun:
    """Learn nine tenths of the rows at once, and test on the others."""
    lightgbm = _import("lightgbm")
    tested, learned = np.split(order, [len(order) // 10])
    y = stream.y.astype(np.int64 if stream.classes else np.float64)
    objective = {} if stream.classes else {"objective": "regression_l1"}
    estimator = lightgbm.LGBMClassifier if stream.classes else lightgbm.LGBMRegressor
    model = estimator(n_jobs=1, random_state=0, verbose=-1, **objective, **settings)
    nominal: Any = stream.nominal or "auto"
    began = time.process_time()
    model.fit(stream.X[learned], y[learned], categorical_feature=nominal)
    predicted = model.predict(stream.X[tested])
    seconds = time.process_time() - began
    nodes = sum(2 * tree["num_leaves"] - 1 for tree in model.booster_.dump_model()["tree_info"])
    losses = _losses(stream, predicted, y[tested])
    return StreamRun(seconds, nodes, [len(tested)], [float(losses.sum())])


def _import(module: str) -> Any:
    """Import a module of a package that may not be installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise AbsentError(f"{error.name} is not installed: pip install {error.name}") from error


def _losses(stream: NumericStream, predicted: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    losses = predicted != y if stream.classes else np.abs(predicted - y)
    return np.asarray(losses, dtype=np.float64)


def _run(seconds: float, nodes: int, losses: NDArray[np.float64]) -> StreamRun:
    ends = curve_ends(len(losses))
    sums = np.cumsum(losses)[np.array(ends) - 1]
    return StreamRun(seconds, nodes, ends, sums.tolist())
