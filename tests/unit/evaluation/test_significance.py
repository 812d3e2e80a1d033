import math

import numpy as np
import pytest
from scipy import stats

from sgtrees.evaluation import average_ranks, corrected_t_test

RNG = np.random.default_rng(0)


def test_without_overlap_the_corrected_test_is_the_paired_t_test():
    a, b = RNG.normal(size=10), RNG.normal(0.5, size=10)
    expected = stats.ttest_rel(a, b)
    test = corrected_t_test(a, b, 0.0)
    assert (test.t, test.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_the_correction_is_that_of_nadeau_and_bengio():
    a, b = RNG.normal(size=10), RNG.normal(0.5, size=10)
    d = a - b
    # As in the paper: the variance times 1 / J + n2 / n1.
    t = d.mean() / math.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1))
    test = corrected_t_test(a, b, 1 / 9)
    assert test.t == pytest.approx(t)
    assert test.p == pytest.approx(2 * stats.t.sf(abs(t), 9))
    assert test.p > corrected_t_test(a, b, 0.0).p


def test_models_that_never_differ_are_equal_and_ones_that_always_do_are_not():
    same = corrected_t_test([0.1, 0.2], [0.1, 0.2], 1.0)
    assert (same.p, same.verdict()) == (1.0, 0)
    apart = corrected_t_test([0.5, 0.5], [0.25, 0.25], 1.0)
    assert (apart.p, apart.verdict(), apart.t) == (0.0, 1, math.inf)


@pytest.mark.parametrize(("a", "b"), [([1.0], [2.0]), ([1.0, 2.0], [1.0, 2.0, 3.0])])
def test_figures_that_do_not_fit_together_are_refused(a, b):
    with pytest.raises(ValueError, match="two or more folds"):
        corrected_t_test(a, b, 0.1)


def test_ranks_and_friedmans_test_are_those_of_scipy_ties_included():
    table = {name: RNG.integers(0, 5, 12) / 5 for name in "abcd"}
    ranks = average_ranks(table)
    expected = stats.friedmanchisquare(*table.values())
    assert ranks.friedman_p == pytest.approx(expected.pvalue)
    by_hand = stats.rankdata(np.array(list(table.values())), axis=0).mean(axis=1)
    assert ranks.ranks == pytest.approx(dict(zip("abcd", by_hand, strict=True)))
    assert list(ranks.ranks.values()) == sorted(ranks.ranks.values())


def test_the_critical_difference_is_that_of_demsar():
    # Demsar (2006), section 3.2.3: four classifiers on 14 data sets, CD = 1.25 at 0.05.
    table = {name: RNG.random(14) for name in "abcd"}
    assert average_ranks(table).critical_difference == pytest.approx(1.25, abs=0.005)
    assert average_ranks(table, level=0.1).critical_difference == pytest.approx(1.12, abs=0.005)


def test_higher_may_be_better():
    table = {"good": [0.9, 0.8], "bad": [0.1, 0.2]}
    assert average_ranks(table, greater_is_better=True).ranks == {"good": 1.0, "bad": 2.0}
    assert average_ranks(table).ranks == {"bad": 1.0, "good": 2.0}


@pytest.mark.parametrize(
    "table", [{"a": [1.0, 2.0]}, {"a": [1.0], "b": [2.0]}, {"a": [1.0, math.nan], "b": [1.0, 2.0]}]
)
def test_tables_that_cannot_be_ranked_are_refused(table):
    with pytest.raises(ValueError, match=r"two models|NaN"):
        average_ranks(table)
