"""Streams and settings for the property tests.

Hypothesis draws the shape of a stream (its kinds of columns, its length, the settings) and a seed;
the numbers come from a generator with that seed, which is a thousand times faster than drawing
each. In the quick runs the examples are the same every time, so that what passed once passes again;
the long runs draw new ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sgtrees import SGTClassifier, SGTRegressor

Floats = NDArray[np.float64]
Generator = np.random.Generator
Estimator = SGTClassifier | SGTRegressor

SCALAR_TASKS = ("regression", "binary", "multi-class")
"""A number in each leaf."""
VECTOR_TASKS = ("one tree of classes", "targets", "labels")
"""A vector in each leaf."""
TASKS = SCALAR_TASKS + VECTOR_TASKS
NUMERIC_KINDS = ("uniform", "normal", "heavy", "whole", "constant", "narrow", "missing")
LABELS: tuple[tuple[Any, ...], ...] = (
    tuple("qwertyui"),
    (3, 1, 4, 15, 9, 2, 6, 5),
    (-7, 0, 10**12, 8, 11, -3, 1, 4),
)
LARGE_BLOCK = 1024
"""The core encodes this many rows at a time; streams that are longer cross the seam."""


def quick(max_examples: int) -> settings:
    """Settings of a test that runs always: the same few examples each time."""
    return settings(
        max_examples=max_examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def thorough(max_examples: int = 1000) -> settings:
    """Settings of a test that runs in `make test-long`: many examples, new ones each time."""
    return settings(
        max_examples=max_examples,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


seeds = st.integers(0, 2**32 - 1)


# --------------------------------------------------------------------------------------------------
# Streams
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Stream:
    """Rows and the parameters of an estimator that is to learn them.

    ``X``: numeric values and category numbers, NaN = missing; ``y``: targets or labels, several
    in each row where the task is "targets" or "labels".
    ``form``: the type in which blocks are given: "float64", "float32" or "frame" (with strings in
    the nominal columns). ``drawn``: what the numbers were made from, for a failure's report.
    """

    task: str
    form: str
    nominal: tuple[bool, ...]
    X: Floats
    y: NDArray[Any]
    w: Floats | None
    parameters: dict[str, Any]
    drawn: str = ""

    def __repr__(self) -> str:
        return f"Stream({self.task}, {self.form}, {self.nominal}, {self.drawn}, {self.parameters})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Hypothesis would write all numbers otherwise.
        printer.text(repr(self))

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @property
    def names(self) -> list[Any]:
        """The features' names in frames and events."""
        columns = range(len(self.nominal))
        return [f"f{i}" for i in columns] if self.form == "frame" else list(columns)

    def estimator(self, **changes: Any) -> Estimator:
        nominal = [name for name, is_n in zip(self.names, self.nominal, strict=True) if is_n]
        parameters = {"categorical_features": nominal} | self.parameters | changes
        if self.task in ("regression", "targets"):
            return SGTRegressor(**parameters)
        multiclass = "vector" if self.task == "one tree of classes" else "committee"
        return SGTClassifier(multiclass=multiclass, **parameters)

    def block(self, begin: int = 0, end: int | None = None) -> Any:
        rows = self.X[begin:end]
        if self.form != "frame":
            return rows.astype(self.form)
        columns = {}
        for name, is_nominal, column in zip(self.names, self.nominal, rows.T, strict=True):
            columns[name] = [word(v) for v in column.tolist()] if is_nominal else column
        dtypes = {name: object for name, is_n in zip(self.names, self.nominal, strict=True) if is_n}
        return pd.DataFrame(columns).astype(dtypes)

    def event(self, row: int) -> dict[Any, Any]:
        """One row as a dictionary; what is missing is absent, None or NaN in turns."""
        event: dict[Any, Any] = {}
        values = self.X[row].astype(self.form if self.form == "float32" else "float64").tolist()
        for place, (name, is_nominal, value) in enumerate(
            zip(self.names, self.nominal, values, strict=True)
        ):
            if value == value:  # noqa: PLR0124 - not NaN
                event[name] = word(value) if is_nominal and self.form == "frame" else value
            elif (row + place) % 3:
                event[name] = None if (row + place) % 3 == 1 else np.nan
        return event

    def target(self, row: int) -> Any:
        """The y of an event; where it is several values they come in all forms in turns."""
        if self.y.ndim == 1:
            return self.y[row].item()
        values = self.y[row].tolist()
        if self.task == "targets":
            forms = [values, self.y[row], dict(enumerate(values))]
        else:
            chosen = [label for label, has in enumerate(values) if has]
            forms = [dict(enumerate(values)), chosen, set(chosen)]
        return forms[row % 3]

    def weights(self, begin: int = 0, end: int | None = None) -> Floats | None:
        return None if self.w is None else self.w[begin:end]

    def weight(self, row: int) -> float:
        return 1.0 if self.w is None else float(self.w[row])

    def with_parameters(self, **changes: Any) -> Stream:
        return replace(self, parameters=self.parameters | changes)


def word(value: float) -> str | None:
    return None if value != value else f"category {value:g}"  # noqa: PLR0124 - NaN


def numeric_column(random: Generator, kind: str, n: int) -> Floats:
    columns: dict[str, Callable[[], Floats]] = {
        "uniform": lambda: random.uniform(-3, 3, n),
        "normal": lambda: random.normal(50, 20, n),
        "heavy": lambda: np.exp(random.normal(0, 3, n)),
        "whole": lambda: random.integers(-4, 9, n).astype(np.float64),
        "constant": lambda: np.full(n, random.normal()),
        "narrow": lambda: 1e6 + random.normal(0, 1e-3, n),
        "missing": lambda: np.full(n, np.nan),
    }
    return np.asarray(columns[kind](), dtype=np.float64)


def nominal_column(random: Generator, cardinality: int, n: int) -> Floats:
    """Categories of unequal frequency, the later ones mostly late in the stream."""
    values = random.choice(cardinality, size=n, p=random.dirichlet(np.full(cardinality, 0.8)))
    early = np.arange(n) < n * random.uniform(0, 0.8)
    return np.where(early, values % max(2, cardinality // 2), values).astype(np.float64)


def effect_of(random: Generator, column: Floats, is_nominal: bool) -> Floats:
    """The effect of a column on the target: a step function, and a constant if it is missing."""
    known = column[~np.isnan(column)]
    if not len(known):
        return np.zeros(len(column))
    if is_nominal:
        codes = np.nan_to_num(column, nan=-1).astype(int) + 1
        heights: Floats = random.normal(0, 1.5, codes.max() + 1)
        return np.asarray(heights[codes])
    cuts = np.quantile(known, random.uniform(0.1, 0.9, 3))
    steps = (column[:, None] > cuts) * random.normal(0, 1.5, 3)
    return np.asarray(np.where(np.isnan(column), random.normal(), steps.sum(axis=1)))


def targets_of(random: Generator, task: str, signal: Floats, n_classes: int) -> Floats:
    """Targets, or numbers of classes of which some come late."""
    n = len(signal)
    if task == "regression":
        scale, offset = random.choice([1e-3, 1.0, 1e3]), random.choice([0.0, 100.0, -1e6])
        return np.asarray(offset + scale * (signal + 0.3 * random.normal(size=n)))
    if task == "targets":
        slopes, noise = random.normal(0, 2, n_classes), random.normal(size=(n, n_classes))
        offsets = random.choice([0.0, 100.0, -1e6], n_classes)
        return np.asarray(offsets + np.outer(signal, slopes) + 0.3 * noise)
    if task == "labels":
        scores = np.outer(signal, random.normal(0, 2, n_classes)) + random.normal(0, 1, n_classes)
        return np.asarray(scores + random.logistic(size=scores.shape) > 0, dtype=np.float64)
    scores = np.outer(signal, random.normal(0, 2, n_classes)) + random.gumbel(size=(n, n_classes))
    for k in range(1, n_classes):
        scores[: int(n * random.choice([0.0, 0.0, 0.1, 0.6])), k] = -np.inf
    return np.asarray(np.argmax(scores, axis=1), dtype=np.float64)


def weights_of(random: Generator, kind: str, n: int) -> Floats | None:
    if kind == "none":
        return None
    w: Floats = random.exponential(1.0, n) + 0.01 if kind != "some zero" else np.ones(n)
    if kind != "exponential":
        w[random.random(n) < 0.25] = 0.0
        w[: random.integers(0, 4)] = 0.0
    return w


@st.composite
def learning_parameters(draw: st.DrawFn, /, **fixed: Any) -> dict[str, Any]:
    """Parameters under which trees of some hundred rows grow."""
    choices: dict[str, Any] = {
        "n_bins": st.sampled_from([2, 3, 16, 64, 300]),
        "binning": st.sampled_from(["uniform", "quantile"]),
        "warm_up": st.sampled_from([1, 7, 30, 100, 1000]),
        "grace_period": st.sampled_from([2, 5, 10, 20, 50, 300]),
        "delta": st.sampled_from([1e-4, 0.05, 0.5]),
        "kept_rows": st.sampled_from([0, 3, 40, 500]),
        "reg_lambda": st.sampled_from([0.0, 0.1, 1.0]),
        "lambda_scaling": st.sampled_from(["row", "sum"]),
        "gamma": st.sampled_from([0.0, 0.01, 0.3]),
        "max_depth": st.sampled_from([None, None, None, 3]),
        "max_leaves": st.sampled_from([None, None, None, 5]),
        "start": st.sampled_from(["data", "neutral"]),
    }
    return {name: draw(choice) for name, choice in choices.items() if name not in fixed} | fixed


@st.composite
def streams(
    draw: st.DrawFn,
    /,
    *,
    tasks: tuple[str, ...] = TASKS,
    forms: tuple[str, ...] = ("float64", "float32", "frame"),
    numeric: tuple[str, ...] = NUMERIC_KINDS,
    n_numeric: tuple[int, int] = (0, 4),
    cardinalities: tuple[int, ...] = (2, 5, 25, 400),
    n_nominal: tuple[int, int] = (0, 3),
    weights: tuple[str, ...] = ("none", "exponential", "some zero", "both"),
    missing: tuple[float, ...] = (0.0, 0.0, 0.05, 0.5),
    n_rows: tuple[int, ...] = (1, 30, 300, 1000, 2500),
    **fixed: Any,
) -> Stream:
    """A stream; every column has an effect on the target. ``fixed`` are parameters."""
    task = draw(st.sampled_from(tasks))
    kinds = draw(st.lists(st.sampled_from(numeric), min_size=n_numeric[0], max_size=n_numeric[1]))
    sizes = draw(
        st.lists(st.sampled_from(cardinalities), min_size=n_nominal[0], max_size=n_nominal[1])
    )
    if not kinds and not sizes:
        kinds = [numeric[0]]
    share_missing = draw(st.sampled_from(missing))
    kind_of_weights = draw(st.sampled_from(weights))
    labels = draw(st.sampled_from(LABELS))
    n_classes = 2 if task == "binary" else draw(st.integers(3, 6))
    if task in VECTOR_TASKS:
        n_classes -= draw(st.booleans())  # two of them, sometimes
    n = draw(st.sampled_from(n_rows))
    form = draw(st.sampled_from(forms))
    parameters = draw(learning_parameters(**fixed))
    seed = draw(seeds)
    random = np.random.default_rng(seed)
    drawn = f"{n} rows, {kinds}, {sizes}, {share_missing}, weights {kind_of_weights}, seed {seed}"

    columns = [numeric_column(random, kind, n) for kind in kinds]
    columns += [nominal_column(random, cardinality, n) for cardinality in sizes]
    nominal = [False] * len(kinds) + [True] * len(sizes)
    order = random.permutation(len(columns))
    columns, nominal = [columns[i] for i in order], [nominal[i] for i in order]
    for column in columns:
        column[random.random(n) < share_missing * random.random()] = np.nan
    effects = [effect_of(random, c, is_n) for c, is_n in zip(columns, nominal, strict=True)]
    y: NDArray[Any] = targets_of(random, task, np.sum(effects, axis=0), n_classes)
    if task in ("binary", "multi-class", "one tree of classes"):
        y = np.array(labels)[y.astype(int)]
    X = np.column_stack(columns)
    w = weights_of(random, kind_of_weights, n)
    return Stream(task, form, tuple(nominal), X, y, w, parameters, drawn)


@st.composite
def cuts_of(draw: st.DrawFn, n_rows: int, most: int = 12) -> list[int]:
    """Where a stream is cut into blocks, its beginning and its end included."""
    inner = draw(st.lists(st.integers(0, n_rows), max_size=most))
    return sorted({0, *inner, n_rows})
