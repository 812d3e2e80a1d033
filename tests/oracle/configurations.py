"""Random settings and streams, each from its own seed, on which the core is held to the oracle."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tests.oracle.losses import PARAMETERS
from tests.oracle.oracle import Settings

Floats = NDArray[np.float64]
Generator = np.random.Generator

N_CONFIGURATIONS = 300
TASKS = ("binary", "multi-class", "regression")
GRACE_PERIODS = (2, 10, 10, 20, 20, 50, 50, 50, 100, 100, 200)
OFFSETS = (0.0, 0.0, 0.0, 100.0, -1e6, 1e9)


@dataclass(frozen=True)
class Configuration:
    """Settings and a stream.

    ``task``: one of ``TASKS``, "loss" (any loss of one output), "vector" (classes, one tree) or
    "targets" (several, one tree). ``X``: numeric values and category numbers, NaN = missing.
    ``y``: class numbers in order of first appearance, or targets, or a column for each of several.
    ``probes``: rows to predict at the end, some of them unlike anything learned (-1 = a category
    never learned).
    """

    name: str
    task: str
    settings: Settings
    nominal: list[bool]
    ranges: list[tuple[float, float] | None] | None
    X: Floats
    y: Floats
    w: Floats | None
    probes: Floats
    loss: str = "squared_error"
    parameters: dict[str, float] = field(default_factory=dict)

    @property
    def is_classification(self) -> bool:
        return self.task in ("binary", "multi-class", "vector")

    @property
    def n_outputs(self) -> int:
        """Numbers in a prediction: probabilities of all classes that come, or raw scores."""
        if self.is_classification:
            return int(self.y.max()) + 1
        return self.y.shape[1] if self.y.ndim == 2 else 1


AS_PRINTED = Settings(grace_period=200, delta=1e-7)
EAGER = Settings(grace_period=50, delta=0.01, gamma=0.1)
QUANTILES = Settings(grace_period=100, delta=0.001, gamma=0.3, quantile_bins=True)
EAGER_SUM = Settings(grace_period=50, delta=0.01, gamma=0.1, lambda_per_row=False, max_depth=4)
# The library's, as far as they decide about trees.
DEFAULTS = Settings(
    n_bins=32,
    warm_up=100,
    grace_period=25,
    grace_growth=0.5,
    delta=0.05,
    kept_rows=500,
    thinning=True,
)


def about_zero(case: Configuration) -> Configuration:
    """The same stream with its targets moved to 0, if they may be anywhere.

    Where a start is many spreads off, moves of offsets are as long at first, and rounding errors
    grow with each.
    """
    if case.is_classification or case.loss in OF_CLASSES + OF_POSITIVE_TARGETS:
        return case
    return replace(case, y=case.y - np.median(case.y, axis=0))


def first_rows(case: Configuration, n: int) -> Configuration:
    """The beginning of the stream."""
    w = None if case.w is None else case.w[:n]
    return replace(case, X=case.X[:n], y=case.y[:n], w=w)


@dataclass
class Column:
    """A feature and its effect on the target."""

    values: Floats
    is_nominal: bool
    effect: Floats


def one_of(random: Generator, *choices: float) -> float:
    return float(choices[random.integers(len(choices))])


def log_uniform(random: Generator, low: float, high: float) -> float:
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def numeric_column(random: Generator, n: int) -> Column:
    kind = random.integers(6)
    if kind == 0:
        values = random.uniform(-3, 3, n)
    elif kind == 1:
        values = random.normal(50, 20, n)
    elif kind == 2:
        values = np.exp(random.normal(0, 2, n))
    elif kind == 3:
        values = random.integers(-4, 9, n).astype(np.float64)
    elif kind == 4:
        values = np.round(random.uniform(0, 1, n), 2)
    else:
        values = 1e6 + random.normal(0, 1e-3, n)
    cuts = np.quantile(values, random.uniform(0.1, 0.9, 3))
    heights = random.normal(0, 1.5, 3)
    steps = [height * (values > cut) for cut, height in zip(cuts, heights, strict=True)]
    return Column(values, False, np.asarray(sum(steps), dtype=np.float64))


def nominal_column(random: Generator, n: int) -> Column:
    """Categories of unequal frequency; in some columns the later ones come late in the stream."""
    cardinality = int(random.integers(2, 6)) if random.random() < 0.7 else 25
    shares = random.dirichlet(np.full(cardinality, 0.8))
    values = random.choice(cardinality, size=n, p=shares)
    if random.random() < 0.5:
        early = np.arange(n) < n * random.uniform(0.3, 0.8)
        known = max(2, cardinality - int(random.integers(1, cardinality + 1)))
        values = np.where(early, values % known, values)
    effect = random.normal(0, 1.2, cardinality)[values]
    return Column(values.astype(np.float64), True, effect)


def complementary_columns(random: Generator, n: int) -> list[Column]:
    """A 0/1 column and its negation: as splits they are one and the same."""
    first = (random.random(n) < random.uniform(0.2, 0.8)).astype(np.float64)
    is_nominal = bool(random.random() < 0.5)
    effect = random.normal(0, 2) * first
    return [Column(first, is_nominal, effect), Column(1 - first, is_nominal, np.zeros(n))]


def odd_columns(random: Generator, n: int, columns: list[Column]) -> list[Column]:
    """Constant and all-missing columns, copies of other columns."""
    odd = []
    if random.random() < 0.3:
        constant = np.full(n, random.normal())
        if random.random() < 0.5:  # constant only at first
            constant[n // 2 :] += random.normal(0, 1, n - n // 2)
        odd.append(Column(constant, False, np.zeros(n)))
    if random.random() < 0.3:
        odd.append(Column(np.full(n, np.nan), bool(random.random() < 0.5), np.zeros(n)))
    if random.random() < 0.3:
        twin = columns[int(random.integers(len(columns)))]
        odd.append(Column(twin.values.copy(), twin.is_nominal, np.zeros(n)))
    if random.random() < 0.3:
        twin = columns[int(random.integers(len(columns)))]
        if not twin.is_nominal:
            odd.append(Column(-2 * twin.values, False, np.zeros(n)))
    return odd


def random_columns(random: Generator, n: int) -> list[Column]:
    mix = random.integers(3)
    columns: list[Column] = []
    if mix != 1:
        columns += [numeric_column(random, n) for _ in range(random.integers(1, 5))]
    if mix != 0:
        columns += [nominal_column(random, n) for _ in range(random.integers(1, 5))]
    if random.random() < 0.3:
        columns += complementary_columns(random, n)
    columns += odd_columns(random, n, columns)
    if random.random() < 0.5:
        for column in columns:
            if random.random() < 0.6:
                gone = random.random(n) < random.choice([0.02, 0.2, 0.6])
                column.values[gone] = np.nan
                if random.random() < 0.5:
                    column.effect[gone] = random.normal(0, 2)
                if random.random() < 0.2:  # missing only late in the stream
                    column.values[: n // 2] = np.nan_to_num(column.values[: n // 2], nan=1.0)
    return [columns[i] for i in random.permutation(len(columns))]


def random_weights(random: Generator, n: int) -> Floats | None:
    kind = random.integers(5)
    if kind <= 1:
        return None
    if kind == 2:
        w = random.exponential(1.0, n) + 0.01
    elif kind == 3:
        w = random.integers(1, 5, n).astype(np.float64)
    else:
        w = log_uniform(random, 1e-6, 1e6) * random.uniform(0.5, 2, n)
    if random.random() < 0.6:
        w[random.random(n) < 0.2] = 0.0
    if random.random() < 0.3:
        w[:3] = 0.0
    return np.asarray(w, dtype=np.float64)


def random_ranges(
    random: Generator, columns: list[Column], quantile_bins: bool
) -> list[tuple[float, float] | None] | None:
    """Ranges that fit, that are too narrow (values lie outside), or none."""
    if quantile_bins or random.random() < 0.6:
        return None
    ranges: list[tuple[float, float] | None] = []
    for column in columns:
        if column.is_nominal:
            ranges.append(None)
        elif np.isnan(column.values).all():
            ranges.append((-1.0, 1.0))
        else:
            tail = one_of(random, 0.0, 0.05, 0.3)
            low, high = np.nanquantile(column.values, [tail, 1 - tail])
            ranges.append((float(low), float(high)))
    return ranges


def random_classes(
    random: Generator, columns: list[Column], n: int, n_classes: int, settings: Settings
) -> NDArray[np.intp]:
    """Classes drawn from a softmax of the columns' effects; some classes only late.

    Without ``reg_lambda`` a leaf that has seen one class only goes to where p (1 - p) is all
    rounding error; so there the labels are noisy and all classes come early.
    """
    scores = random.normal(0, 0.5, n_classes) + np.zeros((n, n_classes))
    for column in columns:
        scores += np.outer(column.effect, random.normal(0, 1, n_classes))
    sharpness = one_of(random, 0.5, 1.0, 3.0)
    scores = sharpness * scores + random.gumbel(size=(n, n_classes))
    if settings.reg_lambda == 0:
        noisy = random.random(n) < 0.3
        scores[noisy] = random.normal(size=(int(noisy.sum()), n_classes))
    elif random.random() < 0.5:
        for k in range(1, n_classes):
            scores[: int(n * random.choice([0.0, 0.1, 0.5, 0.8])), k] = -np.inf
    return np.asarray(np.argmax(scores, axis=1), dtype=np.intp)


def random_target(random: Generator, columns: list[Column], n: int) -> Floats:
    signal = np.zeros(n)
    for column in columns:
        signal += column.effect
    noise = one_of(random, 0.05, 0.5, 2.0) * random.normal(size=n)
    scale = one_of(random, 1.0, 1.0, 1e-3, 1e3)
    offset = one_of(random, *OFFSETS)
    target = offset + (signal + noise) * (1.0 if abs(offset) > 1e5 else scale)
    return np.asarray(target, dtype=np.float64)


def by_first_appearance(values: Floats, counts: NDArray[np.bool_]) -> Floats:
    """Renumber 0, 1, 2, ... as they come; NaN stays.

    Only rows that count name a class; a row that does not, of a class not yet named, becomes 0.
    """
    number: dict[float, int] = {}
    renumbered = np.full(len(values), np.nan)
    for i, value in enumerate(values.tolist()):
        if math.isnan(value):
            continue
        if counts[i]:
            number.setdefault(value, len(number))
        renumbered[i] = number.get(value, 0)
    return renumbered


def random_settings(random: Generator, task: str, quantile_bins: bool) -> Settings:
    reg_lambda = one_of(random, 0.0, 0.01, 0.1, 0.1, 1.0)
    grace_periods = (50, 100, 200) if reg_lambda == 0 and task != "regression" else GRACE_PERIODS
    (more,) = random.spawn(1)  # it leaves what is drawn next as it was
    return Settings(
        n_bins=int(random.choice([2, 3, 8, 16, 64, 64, 100])),
        quantile_bins=quantile_bins,
        warm_up=int(random.choice([10, 50, 100, 300, 5000], p=[0.15, 0.3, 0.3, 0.2, 0.05])),
        grace_period=int(random.choice(grace_periods)),
        delta=log_uniform(random, 1e-7, 0.3)
        if random.random() < 0.5
        else random.uniform(0.01, 0.3),
        reg_lambda=reg_lambda,
        lambda_per_row=bool(random.random() < 0.65),
        gamma=one_of(random, 0.0, 0.0, 0.01, 0.01, 0.1, 0.3, 1.0),
        max_depth=None if random.random() < 0.7 else int(random.integers(0, 5)),
        max_leaves=None if random.random() < 0.7 else int(random.integers(1, 12)),
        start_from_data=bool(random.random() < 0.75),
        kept_rows=int(more.choice([0, 0, 7, 100, 1000])),
        units_of_leaf=task == "regression" and bool(more.random() < 0.5),
        thinning=task != "regression" and bool(more.random() < 0.5),
        grace_growth=one_of(more, 0.0, 0.0, 0.1, 0.3, 1.0),
    )


def random_probes(random: Generator, columns: list[Column], X: Floats) -> Floats:
    probes = X[random.integers(len(X), size=200)].copy()
    for i, column in enumerate(columns):
        probes[random.random(len(probes)) < 0.1, i] = np.nan
        strange = random.random(len(probes)) < 0.1
        probes[strange, i] = -1.0 if column.is_nominal else random.normal(0, 1e7, strange.sum())
    return probes


def configuration(number: int) -> Configuration:
    """Configuration ``number``; the same one in every call."""
    random = np.random.default_rng([20191117, number])
    task = TASKS[number % len(TASKS)]
    n = int(random.integers(600, 2500))
    columns = random_columns(random, n)
    quantile_bins = bool(random.random() < 0.35)
    settings = random_settings(random, task, quantile_bins)
    if task != "regression" and not settings.lambda_per_row and settings.reg_lambda < 0.1:
        # Leaves swing from one end to the other, and rounding errors grow with each row again.
        settings = replace(settings, kept_rows=0)
    w = random_weights(random, n)
    ranges = random_ranges(random, columns, quantile_bins)
    if task == "regression":
        y = random_target(random, columns, n)
    else:
        n_classes = 2 if task == "binary" else int(random.integers(3, 8))
        drawn = random_classes(random, columns, n, n_classes, settings).astype(np.float64)
        y = by_first_appearance(drawn, np.ones(n, np.bool_) if w is None else w > 0)
    for column in columns:
        if column.is_nominal:
            column.values = by_first_appearance(column.values, np.ones(n, np.bool_))
    X = np.ascontiguousarray(np.column_stack([column.values for column in columns]))
    nominal = [column.is_nominal for column in columns]
    probes = random_probes(random, columns, X)
    return Configuration(f"random {number}", task, settings, nominal, ranges, X, y, w, probes)


N_LOSS_CONFIGURATIONS = 110
OF_CLASSES = ("log_loss", "focal", "exponential")
OF_POSITIVE_TARGETS = ("poisson", "gamma", "tweedie")


def random_parameters(random: Generator, loss: str) -> dict[str, float]:
    return {
        name: one_of(random, *values)
        for name, values in PARAMETERS[loss].items()
        if random.random() < 0.5
    }


def target_of_loss(random: Generator, loss: str, columns: list[Column], n: int) -> Floats:
    if loss not in OF_CLASSES + OF_POSITIVE_TARGETS:
        return random_target(random, columns, n)
    signal = np.clip(sum(0.5 * column.effect for column in columns), -2.5, 2.5)
    if loss in OF_CLASSES:
        y = (random.random(n) < 1 / (1 + np.exp(-signal - random.normal(0, 1)))).astype(np.float64)
        if random.random() < 0.3:
            y[: n // 10] = y[0]  # one class in the warm-up
        return y
    mean = np.exp(signal + random.normal(0, 0.5))
    if loss == "gamma":
        return np.asarray(random.gamma(2.0, mean / 2.0) + 1e-3)
    counts = random.poisson(mean)
    if random.random() < 0.3:
        counts[: n // 10] = 0  # a mean of 0 in the warm-up
    sizes = random.gamma(3.0, 1 / 3.0, n) if loss == "tweedie" else 1.0
    return np.asarray(counts * sizes, dtype=np.float64)


def loss_configuration(number: int) -> Configuration:
    """A stream for a loss of one output; the same one in every call."""
    random = np.random.default_rng([20191118, number])
    loss = list(PARAMETERS)[number % len(PARAMETERS)]
    parameters = random_parameters(random, loss)
    n = int(random.integers(600, 1600))
    columns = random_columns(random, n)
    quantile_bins = bool(random.random() < 0.35)
    settings = random_settings(random, "regression", quantile_bins)
    # Where hessians may come near 0 a step without lambda is all rounding error.
    settings = replace(settings, reg_lambda=max(settings.reg_lambda, 0.01))
    if loss in OF_CLASSES:  # these have a unit of their own
        settings = replace(settings, units_of_leaf=False)
    w = random_weights(random, n)
    ranges = random_ranges(random, columns, quantile_bins)
    y = target_of_loss(random, loss, columns, n)
    if loss in OF_POSITIVE_TARGETS and not y[: n // 10].any():
        # From a mean near 0 a step upwards is far too long; lambda alone holds it back.
        settings = replace(settings, reg_lambda=1.0, lambda_per_row=True)
    for column in columns:
        if column.is_nominal:
            column.values = by_first_appearance(column.values, np.ones(n, np.bool_))
    X = np.ascontiguousarray(np.column_stack([column.values for column in columns]))
    nominal = [column.is_nominal for column in columns]
    probes = random_probes(random, columns, X)
    name = f"{loss} {number}"
    return Configuration(name, "loss", settings, nominal, ranges, X, y, w, probes, loss, parameters)
