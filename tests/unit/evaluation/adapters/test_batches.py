"""Estimators of scikit-learn."""

import numpy as np
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB

from sgtrees.evaluation import (
    MeanSoFar,
    prequential,
)
from sgtrees.streams import Sea, open_stream
from tests.unit.evaluation.mixed_rows import frame


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


def test_classifiers_that_need_all_labels_beforehand_get_them():
    data = frame(2500)[["b", "t"]]
    model = SGDClassifier(random_state=0)
    result = prequential(open_stream(data, "t"), model, labels=["u", "v", "w"], metrics=["error"])
    assert result.total("error") < 0.7
