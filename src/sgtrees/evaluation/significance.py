"""Significance tests of differences between models, over folds and over data sets."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats


@dataclass(frozen=True)
class TTest:
    """A test of two models on the same folds.

    Attributes
    ----------
    difference : float
        The mean score of the first model minus that of the second.
    t, p : float
        Student's t, and the p-value.

    Examples
    --------
    >>> TTest(difference=-0.02, t=-3.1, p=0.01).verdict()
    -1
    """

    difference: float
    t: float
    p: float

    def verdict(self, level: float = 0.05) -> int:
        """Return -1, 0 or 1: the first is lower, neither differs, the first is higher."""
        return int(math.copysign(1, self.difference)) if self.p < level else 0


def corrected_t_test(one: ArrayLike, other: ArrayLike, test_fraction: float) -> TTest:
    """Compare two models over the folds of cross-validation, or over other resamples.

    The training rows of folds overlap, so their scores vary less than independent ones. The
    corrected resampled t-test accounts for it (Nadeau and Bengio, 2003).

    Parameters
    ----------
    one, other : array of shape (n_folds,)
        The models' scores on the same folds.
    test_fraction : float
        The ratio of test rows to training rows: 1/9 in 10-fold cross-validation
        (`Folds.test_fraction`).

    Returns
    -------
    TTest
        The result of the test.

    Examples
    --------
    >>> test = corrected_t_test([0.10, 0.12, 0.11, 0.13], [0.15, 0.16, 0.17, 0.16], 1 / 3)
    >>> round(test.difference, 3), round(test.p, 3), test.verdict()
    (-0.045, 0.02, -1)
    """
    a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1 or len(a) < 2:
        raise ValueError(
            f"needs scores of two models on the same two or more folds, got {a.shape}, {b.shape}"
        )
    if test_fraction < 0.0:
        raise ValueError(f"test_fraction == {test_fraction}, must be >= 0.")
    differences = a - b
    n = len(differences)
    mean = float(differences.mean())
    variance = float(differences.var(ddof=1)) * (1.0 / n + test_fraction)
    if variance == 0.0:
        return TTest(
            mean, 0.0 if mean == 0.0 else math.copysign(math.inf, mean), float(mean == 0.0)
        )
    t = mean / math.sqrt(variance)
    return TTest(mean, t, float(2.0 * stats.t.sf(abs(t), n - 1)))


@dataclass(frozen=True)
class Ranks:
    """Models ranked over several data sets.

    Attributes
    ----------
    ranks : dict from str to float
        The models' mean ranks, best first; 1 is best.
    friedman_p : float
        The p-value of Friedman's test.
    critical_difference : float
        Mean ranks that differ by more are significantly different (Nemenyi's test).

    Examples
    --------
    >>> ranks = Ranks({"a": 1.2, "b": 2.8}, friedman_p=0.01, critical_difference=1.1)
    >>> ranks.differ("a", "b")
    True
    """

    ranks: dict[str, float]
    friedman_p: float
    critical_difference: float

    def differ(self, one: str, other: str) -> bool:
        """Return whether two mean ranks differ by more than the critical difference."""
        return abs(self.ranks[one] - self.ranks[other]) > self.critical_difference


def average_ranks(
    scores: Mapping[str, Sequence[float]], *, greater_is_better: bool = False, level: float = 0.05
) -> Ranks:
    """Rank models on every data set, and compare their mean ranks (Demsar, 2006).

    Parameters
    ----------
    scores : mapping from str to sequence of float
        The scores of each model on each data set, in the same order; ties share their ranks.
    greater_is_better : bool, default=False
        Whether greater scores get the better ranks.
    level : float, default=0.05
        The level of the critical difference.

    Returns
    -------
    Ranks
        Mean ranks, the p-value, and the critical difference.

    Examples
    --------
    >>> table = {"a": [0.1, 0.2, 0.1, 0.3], "b": [0.2, 0.3, 0.2, 0.4], "c": [0.3, 0.4, 0.4, 0.5]}
    >>> ranks = average_ranks(table)
    >>> ranks.ranks, round(ranks.friedman_p, 3)
    ({'a': 1.0, 'b': 2.0, 'c': 3.0}, 0.018)
    >>> ranks.differ("a", "c"), ranks.differ("a", "b")
    (True, False)
    """
    table = np.array([list(values) for values in scores.values()], dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise ValueError("two models and two data sets at least, each model with all scores")
    if np.isnan(table).any():
        raise ValueError("scores hold NaN; leave out the data set that a model has none for")
    ranks = stats.rankdata(-table if greater_is_better else table, axis=0)
    k, n = table.shape
    means = dict(zip(scores, ranks.mean(axis=1).tolist(), strict=True))
    q = float(stats.studentized_range.ppf(1.0 - level, k, np.inf)) / math.sqrt(2.0)
    return Ranks(
        dict(sorted(means.items(), key=lambda item: item[1])),
        _friedman_p(ranks),
        q * math.sqrt(k * (k + 1) / (6.0 * n)),
    )


def _friedman_p(ranks: NDArray[np.float64]) -> float:
    """Return the probability of Friedman's statistic, corrected for ties."""
    k, n = ranks.shape
    about_mean = ranks.sum(axis=1) - n * (k + 1) / 2.0
    spread = float(((ranks - (k + 1) / 2.0) ** 2).sum())
    if spread == 0.0:
        return 1.0
    statistic = (k - 1) * float((about_mean**2).sum()) / spread
    return float(stats.chi2.sf(statistic, k - 1))
