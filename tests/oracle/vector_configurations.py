"""Random settings and streams for vector leaves: classes, several targets, several labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.oracle.configurations import (
    OF_CLASSES,
    OF_POSITIVE_TARGETS,
    Column,
    Configuration,
    Floats,
    Generator,
    by_first_appearance,
    one_of,
    random_classes,
    random_columns,
    random_parameters,
    random_probes,
    random_ranges,
    random_settings,
    random_weights,
    target_of_loss,
)
from tests.oracle.losses import PARAMETERS
from tests.oracle.oracle import Settings

N_OF_CLASSES = 80
N_OF_TARGETS = 80
N_OF_LABELS = 30
TARGET_LOSSES = tuple(loss for loss in PARAMETERS if loss not in OF_CLASSES)
BY_REWEIGHTING = ("huber", "log_cosh")


def finished(
    random: Generator,
    name: str,
    task: str,
    settings: Settings,
    columns: list[Column],
    y: Floats,
    w: Floats | None,
    **loss: object,
) -> Configuration:
    """The columns as a block, with ranges that fit them and probes."""
    ranges = random_ranges(random, columns, settings.quantile_bins)
    for column in columns:
        if column.is_nominal:
            column.values = by_first_appearance(column.values, np.ones(len(y), np.bool_))
    X = np.ascontiguousarray(np.column_stack([column.values for column in columns]))
    nominal = [column.is_nominal for column in columns]
    probes = random_probes(random, columns, X)
    return Configuration(name, task, settings, nominal, ranges, X, y, w, probes, **loss)


def class_configuration(number: int) -> Configuration:
    """Classes under a vector of scores; two of them in every fourth configuration."""
    random = np.random.default_rng([20191119, number])
    n = int(random.integers(600, 2000))
    columns = random_columns(random, n)
    settings = random_settings(random, "multi-class", bool(random.random() < 0.35))
    w = random_weights(random, n)
    n_classes = 2 if number % 4 == 0 else int(random.integers(3, 13))
    drawn = random_classes(random, columns, n, n_classes, settings).astype(np.float64)
    y = by_first_appearance(drawn, np.ones(n, np.bool_) if w is None else w > 0)
    return finished(random, f"classes {number}", "vector", settings, columns, y, w)


def several_targets(random: Generator, loss: str, columns: list[Column], n: int) -> Floats:
    """Two to five targets, each with its own share in the effects of the columns."""
    targets = []
    for _ in range(random.integers(2, 6)):
        shares = random.uniform(-1.2, 1.2, len(columns)) * (random.random(len(columns)) < 0.7)
        signals = [
            replace(column, effect=share * column.effect)
            for column, share in zip(columns, shares, strict=True)
        ]
        targets.append(target_of_loss(random, loss, signals, n))
    return np.ascontiguousarray(np.column_stack(targets))


def target_configuration(number: int) -> Configuration:
    """Several targets under one of the losses of one output; every loss in turn."""
    random = np.random.default_rng([20191120, number])
    loss = TARGET_LOSSES[number % len(TARGET_LOSSES)]
    return configuration_of_targets(random, f"targets {number}, {loss}", loss)


def label_configuration(number: int) -> Configuration:
    """Several labels, with log_loss for each; some have one class only in the warm-up."""
    random = np.random.default_rng([20191121, number])
    return configuration_of_targets(random, f"labels {number}", "log_loss")


def configuration_of_targets(random: Generator, name: str, loss: str) -> Configuration:
    parameters = random_parameters(random, loss)
    n = int(random.integers(500, 1500))
    columns = random_columns(random, n)
    settings = random_settings(random, "regression", bool(random.random() < 0.35))
    if loss != "squared_error":
        # Where hessians may come near 0 a step without lambda is all rounding error.
        settings = replace(settings, reg_lambda=max(settings.reg_lambda, 0.01))
    if loss in OF_CLASSES:  # these have a unit of their own
        settings = replace(settings, units_of_leaf=False)
    if loss in OF_CLASSES and not settings.lambda_per_row:
        # As printed, lambda does not hold back a step that many rows ask for: a leaf that is sure
        # of the wrong label swings from one end to the other, and rounding errors grow each time.
        settings = replace(settings, reg_lambda=one_of(random, 1.0, 10.0))
    if loss in BY_REWEIGHTING:
        # The oracle works the best constant out again for each row of the warm-up.
        settings = replace(settings, warm_up=min(settings.warm_up, 100))
    w = random_weights(random, n)
    y = several_targets(random, loss, columns, n)
    if loss in OF_POSITIVE_TARGETS and not y[: n // 10].any(axis=0).all():
        # From a mean near 0 a step upwards is far too long; lambda alone holds it back.
        settings = replace(settings, reg_lambda=1.0, lambda_per_row=True)
    return finished(
        random, name, "targets", settings, columns, y, w, loss=loss, parameters=parameters
    )
