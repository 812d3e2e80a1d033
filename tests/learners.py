"""One learner of every kind, with a stream for it: what is saved, merged or drawn must suit all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees import (
    SGTBoostingClassifier,
    SGTBoostingMultiInstanceClassifier,
    SGTBoostingRegressor,
    SGTClassifier,
    SGTForestClassifier,
    SGTForestRegressor,
    SGTMultiInstanceClassifier,
    SGTRegressor,
    losses,
)

# Under which trees of some hundred rows grow.
QUICK: dict[str, Any] = {
    "n_bins": 8,
    "warm_up": 100,
    "grace_period": 20,
    "delta": 0.05,
    "gamma": 0.01,
}
CLASSES = np.array(["ant", "bee", "cat", "dog"])


def asymmetric(y: NDArray[Any], raw: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """A custom loss."""
    cost = np.where(raw < y, 3.0, 1.0)
    return cost * (raw - y), cost


@dataclass(frozen=True)
class Learner:
    """A kind of estimator, and targets that it can learn."""

    name: str
    make: Callable[..., Any]
    target: str = "number"
    own_loss: Any = None

    def __str__(self) -> str:
        return self.name

    def learn(self, model: Any, stream: Stream, begin: int, end: int) -> Any:
        """Learn rows of the stream; for bags, the bags that begin there."""
        if begin >= end:
            return model
        X, y = stream.X[begin:end], stream.target(self.target)[begin:end]
        if self.target != "bag":
            return model.partial_fit(X, y, sample_weight=stream.weights(begin, end))
        # Bags of one to three rows, cut by the rows' own numbers.
        cuts = [row for row in range(begin + 1, end) if row % 5 in (0, 1, 3)]
        bags = np.split(X, np.array(cuts) - begin)
        labels = [stream.bag_label(row) for row in [begin, *cuts]]
        return model.partial_fit(bags, labels, classes=[0, 1])

    def predict(self, model: Any, stream: Stream) -> NDArray[Any]:
        """Return what the model says of all rows, as exactly as it can."""
        X = stream.X[:, : model.n_features_in_]
        if self.target == "bag":
            return np.concatenate(model.instance_scores([X]))
        method = getattr(model, "predict_proba", model.predict)
        return np.asarray(method(X))


@dataclass(frozen=True)
class Stream:
    """Rows of two numeric columns and two nominal ones, with values missing, and their targets."""

    X: NDArray[np.float64]
    score: NDArray[np.float64]
    classes: NDArray[Any]
    w: NDArray[np.float64] | None

    @property
    def n_rows(self) -> int:
        return len(self.X)

    def target(self, name: str) -> NDArray[Any]:
        targets: dict[str, Callable[[], NDArray[Any]]] = {
            "number": lambda: self.score,
            "positive": lambda: np.exp(self.score / 2),
            "count": lambda: np.floor(np.exp(self.score / 2)),
            "class": lambda: self.classes,
            "two": lambda: self.score > 0,
            "numbers": lambda: np.column_stack([self.score, 100 - 3 * self.score, self.score**2]),
            "labels": lambda: np.column_stack([self.score > 0, self.score > 1.5]).astype(int),
            "bag": lambda: self.score > 0,
        }
        return targets[name]()

    def bag_label(self, row: int) -> int:
        return int(self.score[row] > 0.5)

    def weights(self, begin: int, end: int) -> NDArray[np.float64] | None:
        return None if self.w is None else self.w[begin:end]

    def only(self, rows: list[int]) -> Stream:
        """Some of the rows."""
        w = None if self.w is None else self.w[rows]
        return Stream(self.X[rows], self.score[rows], self.classes[rows], w)


def stream(n_rows: int = 900, seed: int = 0, *, weighted: bool = False) -> Stream:
    random = np.random.default_rng(seed)
    X = np.column_stack(
        [
            random.normal(size=n_rows),
            random.integers(0, 5, n_rows),
            random.exponential(size=n_rows),
            # More categories than are kept by their codes.
            random.integers(0, 40, n_rows) // random.integers(1, 4, n_rows),
        ]
    )
    effects = np.where(X[:, 0] > 0.3, 1.5, -1.0) + (X[:, 1] == 2) - 0.05 * X[:, 3] + X[:, 2] / 3
    X[random.random(X.shape) < 0.05] = np.nan
    score = effects + 0.3 * random.normal(size=n_rows)
    # The last class comes late.
    late = (np.arange(n_rows) > 0.5 * n_rows) & (score > 2)
    classes = CLASSES[np.where(late, 3, np.digitize(score, [-1.0, 1.0]))]
    return Stream(X, score, classes, random.exponential(size=n_rows) if weighted else None)


def _with(estimator: Any, **parameters: Any) -> Callable[..., Any]:
    return lambda **more: estimator(
        **(QUICK | {"categorical_features": [1, 3]} | parameters | more)
    )


def _classifier(**parameters: Any) -> Callable[..., Any]:
    return _with(SGTClassifier, **parameters)


def _regressor(**parameters: Any) -> Callable[..., Any]:
    return _with(SGTRegressor, **parameters)


def _bags(**parameters: Any) -> Callable[..., Any]:
    return _with(SGTMultiInstanceClassifier, **parameters)


def ensemble(estimator: Any, **parameters: Any) -> Callable[..., Any]:
    """A small ensemble."""
    return _with(estimator, n_estimators=3, random_state=7, **parameters)


BOOSTING = (
    Learner("boosting, committee", ensemble(SGTBoostingClassifier), "class"),
    Learner(
        "boosting, vector leaves", ensemble(SGTBoostingClassifier, multiclass="vector"), "class"
    ),
    Learner("boosting, exponential", ensemble(SGTBoostingClassifier, loss="exponential"), "two"),
    Learner("boosting, several targets", ensemble(SGTBoostingRegressor), "numbers"),
)
ENSEMBLES = (
    *BOOSTING,
    Learner("forest, vector leaves", ensemble(SGTForestClassifier), "class"),
    Learner("forest, several labels", ensemble(SGTForestClassifier), "labels"),
    Learner(
        "forest, poisson", ensemble(SGTForestRegressor, loss="poisson", max_features=0.6), "count"
    ),
)
LEARNERS = (
    Learner("committee", _classifier(), "class"),
    Learner("vector leaves", _classifier(multiclass="vector"), "class"),
    Learner("several labels", _classifier(), "labels"),
    Learner("two classes", _classifier(), "two"),
    Learner("focal", _classifier(loss=losses.Focal(gamma=1.5)), "two"),
    Learner("exponential", _classifier(loss="exponential"), "two"),
    Learner("squared error", _regressor()),
    Learner("absolute error", _regressor(loss="absolute_error")),
    Learner("quantile", _regressor(loss=losses.Quantile(alpha=0.8))),
    Learner("huber", _regressor(loss=losses.Huber(scale=0.7))),
    Learner("log cosh", _regressor(loss="log_cosh")),
    Learner("poisson", _regressor(loss="poisson"), "count"),
    Learner("gamma", _regressor(loss="gamma"), "positive"),
    Learner("tweedie", _regressor(loss=losses.Tweedie(power=1.3)), "count"),
    Learner("several targets", _regressor(loss="huber"), "numbers"),
    Learner("own loss", _regressor(loss=asymmetric), own_loss=asymmetric),
    Learner("own loss of several targets", _regressor(loss=asymmetric), "numbers", asymmetric),
    Learner("bags, highest", _bags(pooling="max"), "bag"),
    Learner("bags, soft", _bags(), "bag"),
    Learner("bags, boosting", ensemble(SGTBoostingMultiInstanceClassifier), "bag"),
    *ENSEMBLES,
)
