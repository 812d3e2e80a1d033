"""The oracle does what the paper says: on numbers worked out by hand, and in exact arithmetic."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracle.oracle import (
    MISSING,
    Candidate,
    LeafRows,
    Node,
    OracleClassifier,
    OracleLearner,
    OracleRegressor,
    OracleTree,
    Settings,
    first_of_the_best,
    quantile_boundaries,
    uniform_boundaries,
)

NAN = math.nan
PLAIN = Settings(n_bins=2, grace_period=4, delta=0.05, reg_lambda=0.0, gamma=0.0)
TWO_BY_TWO = [(0.25, -1.0), (0.25, -1.0), (0.75, 1.0), (0.75, 1.0)]


def regressor(
    rows: list[tuple[float, float]], settings: Settings, nominal: bool = False
) -> OracleRegressor:
    """One feature with the range 0 to 1; the root starts at 0."""
    model = OracleRegressor(settings, [nominal], [None if nominal else (0.0, 1.0)])
    for x, y in rows:
        model.learn(np.array([x]), y)
    return model


# ---- a split worked out by hand ------------------------------------------------------------------


def test_a_perfect_split_is_found_with_the_newton_steps_as_values() -> None:
    # g = f - y = 1, 1, -1, -1 and h = 1: v = -G / H = -1 left and +1 right
    model = regressor(TWO_BY_TWO, PLAIN)
    assert model.structure(0) == {
        "value": 0.0,
        "feature": 0,
        "boundary": 0.5,
        "missing": "left",
        "left": {"value": -1.0, "rows": 0},
        "right": {"value": 1.0, "rows": 0},
    }


def test_lambda_shrinks_the_step_per_row_or_once() -> None:
    per_row = regressor(TWO_BY_TWO, dataclasses.replace(PLAIN, reg_lambda=0.1))
    assert per_row.predict(np.array([0.9])) == pytest.approx(2 / (2 + 0.1 * 2), rel=1e-15)
    as_printed = dataclasses.replace(PLAIN, reg_lambda=0.1, lambda_per_row=False)
    once = regressor(TWO_BY_TWO, as_printed)
    assert once.predict(np.array([0.9])) == pytest.approx(2 / (2 + 0.1), rel=1e-15)


@pytest.mark.parametrize("reg_lambda", [0.0, 0.3])
def test_noise_is_twice_what_rows_that_say_nothing_seem_to_gain(reg_lambda: float) -> None:
    random = np.random.default_rng(0)
    tree = regressor(TWO_BY_TWO, dataclasses.replace(PLAIN, reg_lambda=reg_lambda)).trees[0]
    gains, noise, n = [], [], 40
    for _ in range(2000):
        leaf = Node(np.zeros(1), 0, frozenset())
        leaf.cells, leaf.w = [np.array([0])] * n, [1.0] * n
        leaf.g, leaf.h = list(random.normal(0.0, 0.5, n)), [0.2] * n
        rows = LeafRows(leaf)
        gains.append(-tree.work_out(rows, Candidate()).mean * n)
        noise.append(rows.noise(reg_lambda))
    # The squares of normal numbers: the mean of 2,000 is within 3 % at one deviation.
    assert 2.0 * np.mean(gains) == pytest.approx(np.mean(noise), rel=0.12)


def test_gamma_is_paid_once_for_each_branch() -> None:
    # every row's change in loss is -1 + 1/2, so the penalised mean is -1/2 + 2 gamma / 4
    assert "feature" in regressor(TWO_BY_TWO, dataclasses.replace(PLAIN, gamma=0.99)).structure(0)
    assert "feature" not in regressor(TWO_BY_TWO, dataclasses.replace(PLAIN, gamma=1.0)).structure(
        0
    )


@pytest.mark.parametrize(("delta", "splits"), [(0.1816, False), (0.1817, True)])
def test_the_test_is_students_t_two_sided_with_one_degree_less_than_rows(
    delta: float, splits: bool
) -> None:
    # g = 1, 3, -1, -3; v = -2, 2; L = 0, -4, 0, -4: mean -2, variance 16/3, t = -sqrt(3).
    # With 3 degrees of freedom P(|T| > sqrt(3)) = 1/2 - 1/pi = 0.18169...
    rows = [(0.25, -1.0), (0.25, -3.0), (0.75, 1.0), (0.75, 3.0)]
    model = regressor(rows, dataclasses.replace(PLAIN, delta=delta))
    assert ("feature" in model.structure(0)) == splits


def test_without_a_split_worth_its_price_the_leaf_takes_a_newton_step() -> None:
    # all targets 2: (a) ties with the split and goes first; its variance is 0, its mean < 0
    rows = [(0.25, 2.0), (0.75, 2.0), (0.25, 2.0), (0.75, 2.0)]
    model = regressor(rows, dataclasses.replace(PLAIN, reg_lambda=1.0))
    assert model.structure(0) == {"value": 1.0, "rows": 0}


def test_a_leaf_considers_a_change_at_multiples_of_the_grace_period_only() -> None:
    model = regressor(TWO_BY_TWO[:3], PLAIN)
    assert model.structure(0) == {"value": 0.0, "rows": 3}


def test_one_rows_weight_is_no_evidence() -> None:
    model = OracleRegressor(PLAIN, [False], [(0.0, 1.0)])
    model.learn(np.array([0.25]), 1.0, 1.0)
    for _ in range(3):
        model.learn(np.array([0.75]), 1.0, 1e-30)
    assert model.structure(0) == {"value": 0.0, "rows": 4}  # n_eff = 1


# ---- exact arithmetic ----------------------------------------------------------------------------


def dyadic(random: np.random.Generator, n: int, low: int, high: int) -> NDArray[np.float64]:
    """Numbers that fractions and floats both hold exactly."""
    return random.integers(low, high, n) / 64


def exact_variance_by_the_papers_formula(
    rows: list[tuple[Fraction, Fraction, Fraction, int]], steps: list[Fraction]
) -> tuple[Fraction, Fraction]:
    """Mean and variance of L: v^2 Var(G) + v^4 Var(H) / 4 + v^3 Cov(G, H), pooled over branches."""
    total = sum((w for w, _, _, _ in rows), Fraction(0))
    within = Fraction(0)
    means = []
    for j, v in enumerate(steps):
        here = [(w, g, h) for w, g, h, branch in rows if branch == j]
        weight = sum((w for w, _, _ in here), Fraction(0))
        mean_g = sum((w * g for w, g, _ in here), Fraction(0)) / weight
        mean_h = sum((w * h for w, _, h in here), Fraction(0)) / weight
        var_g = sum((w * (g - mean_g) ** 2 for w, g, _ in here), Fraction(0))
        var_h = sum((w * (h - mean_h) ** 2 for w, _, h in here), Fraction(0))
        cov = sum((w * (g - mean_g) * (h - mean_h) for w, g, h in here), Fraction(0))
        within += v**2 * var_g + v**4 * var_h / 4 + v**3 * cov
        means.append((weight, mean_g * v + mean_h * v * v / 2))
    mean = sum((weight * m for weight, m in means), Fraction(0)) / total
    between = sum((weight * (m - mean) ** 2 for weight, m in means), Fraction(0))
    squares = sum((w * w for w, _, _, _ in rows), Fraction(0))
    n_eff = total**2 / squares
    return mean, (within + between) / total * n_eff / (n_eff - 1)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_steps_mean_and_variance_agree_with_rational_arithmetic(
    seed: int, weighted: bool
) -> None:
    random = np.random.default_rng(seed)
    n = 40
    g = dyadic(random, n, -64, 64) + (2.0**20 if seed % 2 else 0.0)
    h = dyadic(random, n, 1, 64)
    w = dyadic(random, n, 1, 640) if weighted else np.ones(n)
    categories = random.integers(0, 4, n)
    settings = Settings(reg_lambda=0.125, gamma=0.25)
    tree = OracleTree(settings, [True], [[]], 0.0)
    leaf = Node(np.zeros(1), 0, frozenset())
    leaf.cells = [np.array([c]) for c in categories]
    leaf.g, leaf.h, leaf.w = g.tolist(), h.tolist(), w.tolist()
    rows = LeafRows(leaf)
    outcome = tree.work_out(rows, Candidate(0))

    exact = [
        (Fraction(a), Fraction(b), Fraction(c), outcome.labels.index(d))
        for a, b, c, d in zip(leaf.w, leaf.g, leaf.h, categories.tolist(), strict=True)
    ]
    steps = []
    for j in range(len(outcome.labels)):
        weight = sum((a for a, _, _, d in exact if d == j), Fraction(0))
        G = sum((a * b for a, b, _, d in exact if d == j), Fraction(0))
        H = sum((a * c for a, _, c, d in exact if d == j), Fraction(0))
        steps.append(-G / (H + weight / 8))
    mean, variance = exact_variance_by_the_papers_formula(exact, steps)
    total = sum((a for a, _, _, _ in exact), Fraction(0))
    n_eff = total**2 / sum((a * a for a, _, _, _ in exact), Fraction(0))
    mean += Fraction(len(steps), 4) / n_eff
    assert np.ravel(outcome.steps) == pytest.approx([float(v) for v in steps], rel=1e-14)
    assert outcome.mean == pytest.approx(float(mean), rel=1e-13)
    assert tree.variance(rows, outcome) == pytest.approx(float(variance), rel=1e-10)


@pytest.mark.parametrize("seed", range(30))
def test_the_first_pass_passes_over_no_candidate_that_could_win(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, n_bins = 60, int(random.choice([2, 5, 16]))
    settings = Settings(reg_lambda=0.1, gamma=float(random.choice([0.0, 0.01])))
    nominal = [False, True, False, False, True]
    boundaries = [[] if is_nominal else list(range(n_bins - 1)) for is_nominal in nominal]
    tree = OracleTree(settings, nominal, boundaries, 0.0)
    cells = random.integers(-1 if seed % 2 else 0, n_bins, (n, 5))
    cells[:, 3] = cells[:, 0]  # a tie
    leaf = Node(np.zeros(1), 0, frozenset())
    leaf.cells = [row.astype(np.intp) for row in cells]
    leaf.g = random.normal(size=n).tolist() if seed % 3 else [1.0] * n
    leaf.h = random.uniform(0.1, 1, n).tolist() if seed % 3 else [1.0] * n
    leaf.w = random.choice([1.0, 2.0], n).tolist()
    rows = LeafRows(leaf)

    outcomes = [[tree.work_out(rows, Candidate())]]
    for feature, is_nominal in enumerate(nominal):
        candidates = [Candidate(feature)]
        if not is_nominal:
            candidates = [
                Candidate(feature, k, missing_left)
                for k in range(n_bins - 1)
                for missing_left in ((True, False) if MISSING in cells[:, feature] else (True,))
            ]
        worked_out = [tree.work_out(rows, candidate) for candidate in candidates]
        outcomes.append([outcome for outcome in worked_out if len(set(outcome.branch)) > 1])
    bests = (first_of_the_best(group) for group in outcomes)
    expected = first_of_the_best(best for best in bests if best is not None)
    assert expected is not None
    assert tree.best_outcome(leaf, rows).candidate == expected.candidate


# ---- noise and signal ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_pure_noise_gives_no_split(seed: int) -> None:
    random = np.random.default_rng(seed)
    settings = Settings(warm_up=200)
    model = OracleClassifier(settings, [False, False, True])
    y = random.integers(0, 2, 4000)
    y = y if y[0] == 0 else 1 - y
    X = np.column_stack([random.random((4000, 2)), random.integers(0, 3, 4000)])
    for x, label in zip(X, y.tolist(), strict=True):
        model.learn(x, label)
    assert model.trees[0].n_splits == 0


def test_a_step_in_the_target_is_found_where_it_is() -> None:
    random = np.random.default_rng(0)
    model = OracleRegressor(Settings(warm_up=100, gamma=0.0), [False, False])
    for x in random.random((1000, 2)):
        model.learn(x, float(x[1] > 0.5) + 0.1 * random.normal())
    root = model.structure(0)
    assert root["feature"] == 1
    assert root["boundary"] == pytest.approx(0.5, abs=1 / 32)


# ---- weights -------------------------------------------------------------------------------------


def test_scaling_all_weights_changes_nothing_and_rows_of_weight_0_are_ignored() -> None:
    random = np.random.default_rng(1)
    X = random.random((600, 2))
    y = (X[:, 0] > 0.3) + 0.2 * random.normal(size=600)
    w = random.integers(1, 4, 600).astype(np.float64)
    settings = Settings(warm_up=50, grace_period=50, gamma=0.1, delta=0.01)
    models = [OracleRegressor(settings, [False, False]) for _ in range(2)]
    for i in range(600):
        models[0].learn(X[i], y[i], w[i])
        models[1].learn(X[i], y[i], 4 * w[i])
        models[1].learn(100 * X[i], -1000.0, 0.0)
    assert models[0].trees[0].n_splits > 0
    assert models[0].structure(0) == models[1].structure(0)


# ---- missing values and categories ---------------------------------------------------------------


def test_missing_rows_are_tried_on_either_side() -> None:
    rows = [(0.25, -1.0), (NAN, 1.0), (0.75, 1.0), (0.25, -1.0)]
    root = regressor(rows, PLAIN).structure(0)
    assert (root["boundary"], root["missing"], root["right"]["value"]) == (0.5, "right", 1.0)


def test_missing_rows_alone_may_make_a_branch() -> None:
    rows = [(0.75, -1.0), (NAN, 1.0), (0.75, -1.0), (NAN, 1.0)]
    root = regressor(rows, PLAIN).structure(0)
    assert (root["missing"], root["left"]["value"], root["right"]["value"]) == ("left", 1.0, -1.0)


def test_where_nothing_was_missing_the_heavier_branch_is_the_default() -> None:
    rows = [(0.25, -1.0), (0.75, 1.0), (0.75, 1.0), (0.75, 1.0)]
    assert regressor(rows, PLAIN).structure(0)["missing"] == "right"
    nominal = [(0.0, -1.0), (1.0, 1.0), (2.0, -1.0), (2.0, -1.0)]
    assert regressor(nominal, PLAIN, nominal=True).structure(0)["missing"] == 2


def test_missing_is_one_more_branch_of_a_nominal_split() -> None:
    rows = [(0.0, -1.0), (NAN, 1.0), (0.0, -1.0), (NAN, 1.0)]
    model = regressor(rows, PLAIN, nominal=True)
    root = model.structure(0)
    assert root["missing"] == "missing"
    assert {name: leaf["value"] for name, leaf in root["branches"].items()} == {0: -1, "missing": 1}
    assert [model.predict(np.array([x])) for x in (NAN, -1.0)] == [1.0, 0.0]


def test_an_unseen_category_keeps_the_split_nodes_value_and_gets_a_leaf_when_learned() -> None:
    rows = [(0.0, -4.0), (1.0, 4.0), (0.0, -4.0), (1.0, 4.0)]
    model = regressor(rows, PLAIN, nominal=True)
    assert [model.predict(np.array([x])) for x in (1.0, 2.0, -1.0)] == [4.0, 0.0, 0.0]
    model.learn(np.array([2.0]), 9.0)
    assert model.structure(0)["branches"][2] == {"value": 0.0, "rows": 1}


def test_max_leaves_forbids_the_leaf_of_an_unseen_category_and_a_split_too_many() -> None:
    rows = [(0.0, -4.0), (1.0, 4.0), (0.0, -4.0), (1.0, 4.0), (2.0, 9.0)]
    two = regressor(rows, dataclasses.replace(PLAIN, max_leaves=2), nominal=True)
    assert set(two.structure(0)["branches"]) == {0, 1}
    one = regressor(rows, dataclasses.replace(PLAIN, max_leaves=1), nominal=True)
    assert "branches" not in one.structure(0)


def test_a_nominal_feature_is_used_once_on_a_path() -> None:
    rows = [(0.0, -4.0), (1.0, 4.0), (0.0, -4.0), (1.0, 4.0), *[(1.0, 6.0)] * 8]
    model = regressor(rows, PLAIN, nominal=True)
    assert model.structure(0)["branches"][1] == {"value": 6.0, "rows": 4}


# ---- boundaries ----------------------------------------------------------------------------------


def test_uniform_boundaries_are_inner_and_equal_ones_are_kept_once() -> None:
    assert uniform_boundaries(0.0, 4.0, 4) == [1.0, 2.0, 3.0]
    assert uniform_boundaries(5.0, 5.0, 4) == [5.0]
    above_one = math.nextafter(1.0, 2.0)
    assert set(uniform_boundaries(1.0, above_one, 8)) == {1.0, above_one}
    assert uniform_boundaries(-1e308, 1e308, 2) == [0.0]


def test_quantile_boundaries_are_midpoints_where_there_are_few_values() -> None:
    assert quantile_boundaries([3.0, 1.0, 1.0, 7.0], 4) == [2.0, 5.0]
    assert quantile_boundaries([3.0, 3.0], 4) == [3.0]
    assert quantile_boundaries([1.0, math.nextafter(1.0, 2.0)], 4) == [1.0]
    assert quantile_boundaries([0.0, 1.0, 2.0, 3.0, 4.0], 2) == [2.0]


def test_a_value_on_a_boundary_is_left_of_it_and_values_outside_fall_into_the_end_bins() -> None:
    model = OracleLearnerWithBins()
    assert [int(model.cells([x])[0]) for x in (-9.0, 1.0, 1.5, 2.0, 3.5, 99.0)] == [
        0,
        0,
        1,
        1,
        3,
        3,
    ]


class OracleLearnerWithBins(OracleLearner):
    def __init__(self) -> None:
        super().__init__(Settings(n_bins=4), [False], [(0.0, 4.0)])

    def start(self) -> None:
        pass


# ---- warm-up and classes -------------------------------------------------------------------------


def test_the_warm_up_predicts_the_best_constant_and_then_starts_from_it() -> None:
    model = OracleClassifier(Settings(warm_up=4, grace_period=100), [False])
    assert model.predict_proba(np.array([0.0])) == []
    for label in (0, 1, 2):
        model.learn(np.array([float(label)]), label, 1.0 + label)
    assert model.predict_proba(np.array([0.0])) == [1 / 6, 2 / 6, 3 / 6]
    assert model.trees == []
    model.learn(np.array([0.0]), 0)
    assert [model.structure(k) for k in (0, 1)] == [
        {"value": 0.0, "rows": 4},
        {"value": math.log(3 / 2), "rows": 4},
    ]


def test_given_ranges_skip_the_warm_up_and_start_at_zero() -> None:
    assert regressor([(0.5, 3.0)], PLAIN).structure(0) == {"value": 0.0, "rows": 1}
    partly = OracleRegressor(PLAIN, [False, False], [(0.0, 1.0), None])
    assert partly.warming_up


def test_a_late_class_starts_as_rare_as_it_is_so_far() -> None:
    model = OracleClassifier(PLAIN, [False], [(0.0, 1.0)])
    for _ in range(4):
        model.learn(np.array([0.5]), 0)
    model.learn(np.array([0.5]), 1, 2.0)
    assert model.structure(0)["value"] == pytest.approx(math.log(2.0 / 4.0))
    neutral = OracleClassifier(
        dataclasses.replace(PLAIN, start_from_data=False), [False], [(0.0, 1.0)]
    )
    for y in (0, 0, 1):
        neutral.learn(np.array([0.5]), y)
    assert neutral.structure(0) == {"value": 0.0, "rows": 1}


def test_a_late_class_gets_a_tree_with_one_leaf() -> None:
    model = OracleClassifier(PLAIN, [False], [(0.0, 1.0)])
    model.learn(np.array([0.5]), 0)
    assert (model.trees, model.predict_proba(np.array([0.5]))) == ([], [1.0])
    model.learn(np.array([0.5]), 1)
    assert model.structure(0) == {"value": 0.0, "rows": 1}
    model.learn(np.array([0.5]), 2)
    assert [model.structure(k)["rows"] for k in (0, 1)] == [2, 1]
    assert model.trees[1].root.g == [pytest.approx(1 / 3 - 1)]
    assert model.trees[1].root.h == [pytest.approx(2 / 9)]
