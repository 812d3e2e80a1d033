"""Synthetic streams: `collider` (binary, 28 features) and `friedman` (regression, 13 features).

Rows are drawn block by block, each block from a generator of its own, so the first n rows of a
stream are the same whatever its length, and a long stream never needs more than a block of
float64 scratch memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Block = tuple[Floats, Floats]
COLLIDER_FEATURES = 28
FRIEDMAN_FEATURES = 13
BLOCK_ROWS = 50_000


def collider(rows: int, seed: int = 28) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Signal or background: a lepton, missing momentum, four tagged jets and seven masses.

    Columns: lepton (momentum, eta, phi), missing momentum (size, phi), four jets of (momentum,
    eta, phi, tag), seven pair masses. The best possible classifier errs on about 20 % of the rows.
    """
    X = np.empty((rows, COLLIDER_FEATURES), dtype=np.float32)
    y = np.empty(rows, dtype=np.int64)
    _fill(X, y, _collider_block, seed)
    return X, y


def collider_bayes_error(rows: int = 200_000, seed: int = 28) -> float:
    """Return the mean of min(p, 1 - p): what the best possible classifier gets wrong."""
    blocks = _blocks(rows, _collider_events, seed)
    return float(np.mean(np.concatenate([np.minimum(p, 1 - p) for _, (_, p) in blocks])))


def friedman(rows: int, seed: int = 13) -> tuple[NDArray[np.float32], Floats]:
    """Return Friedman's first function plus a step, of 13 uniform features, 6 of them idle."""
    X = np.empty((rows, FRIEDMAN_FEATURES), dtype=np.float32)
    y = np.empty(rows, dtype=np.float64)
    _fill(X, y, _friedman_block, seed)
    return X, y


def _fill(
    X: NDArray[np.float32],
    y: NDArray[np.int64] | Floats,
    draw: Callable[[np.random.Generator, int], Block],
    seed: int,
) -> None:
    for begin, (features, target) in _blocks(len(X), draw, seed):
        stop = begin + len(target)
        X[begin:stop] = features
        y[begin:stop] = target


def _blocks(
    rows: int, draw: Callable[[np.random.Generator, int], Block], seed: int
) -> Iterator[tuple[int, Block]]:
    for number, begin in enumerate(range(0, rows, BLOCK_ROWS)):
        features, target = draw(np.random.default_rng([seed, number]), BLOCK_ROWS)
        keep = min(BLOCK_ROWS, rows - begin)
        yield begin, (features[:keep], target[:keep])


def _collider_block(rng: np.random.Generator, rows: int) -> Block:
    features, probability = _collider_events(rng, rows)
    return features, (rng.random(rows) < probability).astype(np.float64)


def _collider_events(rng: np.random.Generator, rows: int) -> Block:
    """Draw the features of a block and the probability that each row is signal."""
    momentum = rng.gamma(2.2, 0.45, size=(rows, 5))  # the lepton, then four jets
    eta = np.clip(rng.normal(0.0, 0.95, size=(rows, 5)), -2.5, 2.5)
    phi = rng.uniform(-np.pi, np.pi, size=(rows, 5))
    missing = rng.weibull(1.4, size=rows) + 0.05
    missing_phi = rng.uniform(-np.pi, np.pi, size=rows)
    tag = rng.choice([0.0, 1.0, 2.0], p=[0.55, 0.2, 0.25], size=(rows, 4))

    def mass(a: int, b: int) -> Floats:
        angle = np.cosh(eta[:, a] - eta[:, b]) - np.cos(phi[:, a] - phi[:, b])
        smear = np.exp(0.08 * rng.normal(size=rows))
        scale: Floats = np.sqrt(2.0 * momentum[:, a] * momentum[:, b] * angle) * smear
        return scale

    transverse = np.sqrt(2.0 * momentum[:, 0] * missing * (1.0 - np.cos(phi[:, 0] - missing_phi)))
    pairs = [mass(1, 2), mass(3, 4), mass(1, 3), mass(0, 1), mass(2, 4)]
    total = np.log1p(momentum.sum(axis=1) + missing) + 0.05 * rng.normal(size=rows)
    jets = [(momentum[:, j], eta[:, j], phi[:, j], tag[:, j - 1]) for j in range(1, 5)]
    columns = [momentum[:, 0], eta[:, 0], phi[:, 0], missing, missing_phi]
    columns += [column for jet in jets for column in jet]
    columns += [transverse, *pairs, total]

    score = (
        2.4 * np.exp(-(((pairs[0] - 1.3) / 0.5) ** 2))  # a resonance: a bump, not a slope
        - 1.5 * np.tanh(1.5 * (transverse - 1.2))
        + 1.3 * np.where(tag[:, 0] + tag[:, 1] >= 2.0, 1.0, -0.4)
        + 1.6 * np.tanh(2.0 * (total - 1.75))
        - 0.9 * (pairs[1] > 1.8) * (tag[:, 2] > 0.0)
        - 0.7 * np.abs(eta[:, 0])
        - 1.1
    )
    return np.column_stack(columns), 1.0 / (1.0 + np.exp(-1.4 * score))


def _friedman_block(rng: np.random.Generator, rows: int) -> Block:
    X = rng.random((rows, FRIEDMAN_FEATURES))
    smooth = 10.0 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20.0 * (X[:, 2] - 0.5) ** 2
    linear = 10.0 * X[:, 3] + 5.0 * X[:, 4]
    step = 4.0 * ((X[:, 5] > 0.6) & (X[:, 6] < 0.4))
    return X, (smooth + linear - step + rng.normal(size=rows) - 14.0) / 5.0
