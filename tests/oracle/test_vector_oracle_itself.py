"""The oracle of vector leaves does what the contract says: by hand, and in exact arithmetic."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest

from tests.oracle.losses import AbsoluteError, LogLoss, SquaredError
from tests.oracle.oracle import Candidate, LeafRows, Node, OracleRegressor, OracleTree, Settings
from tests.oracle.test_oracle_itself import PLAIN, dyadic, exact_variance_by_the_papers_formula
from tests.oracle.vectors import (
    OracleOfTargets,
    OracleVectorClassifier,
    SoftmaxTree,
    softmax_derivatives,
)

HALF = np.array([0.5])
UNIT = [(0.0, 1.0)]
NEUTRAL = dataclasses.replace(PLAIN, start_from_data=False)


# ---- classes -------------------------------------------------------------------------------------


def test_derivatives_of_three_classes_by_hand() -> None:
    # scores log 1, log 2, log 5: p = 1/8, 2/8, 5/8, and K / (K - 1) = 3/2
    g, h = softmax_derivatives(1, [0.0, math.log(2), math.log(5)])
    assert g == pytest.approx([1 / 8, -6 / 8, 5 / 8], rel=1e-15)
    assert h == pytest.approx([1.5 * 7 / 64, 1.5 * 12 / 64, 1.5 * 15 / 64], rel=1e-15)


def test_a_leaf_that_is_nearly_sure_keeps_its_digits() -> None:
    g, h = softmax_derivatives(0, [50.0, 0.0])
    assert g == pytest.approx([-math.exp(-50), math.exp(-50)], rel=1e-15)
    assert h == pytest.approx([2 * math.exp(-50)] * 2, rel=1e-15)


def test_two_classes_that_a_boundary_parts_by_hand() -> None:
    # p = 1/2 each, h = 2 / 4. Left (class 0 twice): G = (-1, 1), H = (1, 1), v = (1, -1).
    model = OracleVectorClassifier(NEUTRAL, [False], UNIT)
    model.learn(HALF, 0)  # one class: no tree
    assert model.trees == []
    rows = [(0.75, 1), (0.25, 0), (0.75, 1), (0.25, 0)]
    for x, y in rows:
        model.learn(np.array([x]), y)
    root = model.structure(0)
    assert (root["feature"], root["boundary"], root["value"]) == (0, 0.5, [0.0, 0.0])
    assert root["left"] == {"value": [1.0, -1.0], "rows": 0}
    assert root["right"] == {"value": [-1.0, 1.0], "rows": 0}
    p = 1 / (1 + math.exp(-2))
    assert model.predict_proba(np.array([0.1])) == pytest.approx([p, 1 - p], rel=1e-15)


def test_two_branches_cost_gamma_each_whatever_the_number_of_outputs() -> None:
    # Each row's change is sum over k of v_k (p_k + h_k v_k / 2) - v_y = 1/2 - 1 = -1/2.
    for gamma, splits in ((0.99, True), (1.0, False)):
        settings = dataclasses.replace(NEUTRAL, gamma=gamma)
        model = OracleVectorClassifier(settings, [False], UNIT)
        for x, y in [(0.5, 0), (0.75, 1), (0.25, 0), (0.75, 1), (0.25, 0)]:
            model.learn(np.array([x]), y)
        assert ("feature" in model.structure(0)) == splits


@pytest.mark.parametrize(
    ("n_classes", "n_branches", "gammas"),
    [(2, 5, 5.0), (8, 2, 2.0), (8, 5, 8.0), (3, 4, 2 + 2 * math.sqrt(1.5))],
)
def test_branches_beyond_two_cost_more_the_more_classes_there_are(
    n_classes: int, n_branches: int, gammas: float
) -> None:
    # All scores are 0, and each row a category of its own class: a branch's rows change alike.
    tree = SoftmaxTree(Settings(gamma=0.25), [True], [[]], np.zeros(n_classes))
    leaf = tree.root
    leaf.y = [i % n_branches % n_classes for i in range(20)]
    leaf.w = [1.0] * 20
    leaf.cells = [np.array([i % n_branches]) for i in range(20)]
    derivatives = [softmax_derivatives(y, [0.0] * n_classes) for y in leaf.y]
    leaf.g, leaf.h = [g for g, _ in derivatives], [h for _, h in derivatives]
    rows = LeafRows(leaf)
    free = SoftmaxTree(Settings(gamma=0.0), [True], [[]], np.zeros(n_classes))
    charged = tree.work_out(rows, Candidate(0)).mean - free.work_out(rows, Candidate(0)).mean
    assert charged == pytest.approx(0.25 * gammas / 20, rel=1e-12)
    assert tree.work_out(rows, Candidate()).mean == free.work_out(rows, Candidate()).mean


@pytest.mark.parametrize("seed", range(10))
def test_the_variance_of_classes_is_that_of_the_true_classs_step(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, n_classes = 50, int(random.integers(2, 6))
    scores = random.normal(size=n_classes)
    tree = SoftmaxTree(Settings(reg_lambda=0.1), [True], [[]], scores)
    leaf = tree.root
    categories = random.integers(0, 3, n)
    leaf.y = random.integers(0, n_classes, n).tolist()
    leaf.w = random.integers(1, 9, n).astype(np.float64).tolist()
    leaf.cells = [np.array([category]) for category in categories]
    derivatives = [softmax_derivatives(y, scores.tolist()) for y in leaf.y]
    leaf.g, leaf.h = [g for g, _ in derivatives], [h for _, h in derivatives]
    rows = LeafRows(leaf)

    for candidate in (Candidate(), Candidate(0)):
        outcome = tree.work_out(rows, candidate)
        within, means = 0.0, []
        for j, v in enumerate(outcome.steps):
            here = np.flatnonzero(outcome.branch == j)
            of_class = v[[leaf.y[i] for i in here]]
            weight = rows.w[here].sum()
            mean = float(rows.w[here] @ of_class) / weight
            within += float(rows.w[here] @ (of_class - mean) ** 2)
            p = np.exp(scores) / np.exp(scores).sum()
            h = n_classes / (n_classes - 1) * p * (1 - p)
            means.append((weight, float(v @ (p + h * v / 2)) - mean))
        total = rows.total_weight
        overall = sum(weight * mean for weight, mean in means) / total
        between = sum(weight * (mean - overall) ** 2 for weight, mean in means)
        expected = (within + between) / total * rows.n_eff / (rows.n_eff - 1)
        assert tree.variance(rows, outcome) == pytest.approx(expected, rel=1e-12)


def test_the_start_is_the_logarithm_of_the_shares_of_weight() -> None:
    model = OracleVectorClassifier(Settings(warm_up=3, grace_period=100), [False])
    for label in (0, 1, 2):
        model.learn(np.array([float(label)]), label, 1.0 + label)
    shares = [1 / 6, 2 / 6, 3 / 6]
    assert model.structure(0)["value"] == pytest.approx(np.log(shares), rel=1e-15)
    assert model.structure(0)["rows"] == 3
    assert model.predict_proba(HALF) == pytest.approx(shares, rel=1e-15)


@pytest.mark.parametrize("from_data", [True, False])
def test_a_late_class_gets_an_output_in_every_node(from_data: bool) -> None:
    settings = dataclasses.replace(PLAIN, start_from_data=from_data, delta=0.5)
    model = OracleVectorClassifier(settings, [False], UNIT)
    model.learn(HALF, 0, 4.0)
    model.learn(np.array([0.75]), 1)
    assert model.structure(0)["value"] == [0.0, math.log(1 / 4) if from_data else 0.0]
    for x, y in [(0.25, 0), (0.75, 1), (0.25, 0)]:
        model.learn(np.array([x]), y)
    before = model.structure(0)
    assert "feature" in before
    model.learn(np.array([0.25]), 2, 2.0)  # after rows of weight 4 + 1 + 1 + 1 + 1 = 8
    root = model.structure(0)
    for node, old in ((root, before), *((root[side], before[side]) for side in ("left", "right"))):
        assert node["value"][:2] == old["value"]
        powers = np.exp(node["value"])
        if from_data:
            assert powers[2] / powers.sum() == pytest.approx(2 / 10, rel=1e-15)
        else:
            assert node["value"][2] == 0.0
    assert root["left"]["rows"] == 1
    assert root["right"]["rows"] == 0


def test_rows_that_wait_in_a_leaf_are_seen_from_its_present_value() -> None:
    model = OracleVectorClassifier(NEUTRAL, [False], UNIT)
    for y in (0, 1, 0):
        model.learn(HALF, y)
    leaf = model.trees[0].root
    assert leaf.g[1] == pytest.approx([-1 / 2, 1 / 2])
    model.learn(HALF, 2)
    assert np.array(leaf.g) == pytest.approx(np.full((3, 3), 1 / 3) - np.eye(3)[[1, 0, 2]])
    assert np.array(leaf.h) == pytest.approx(np.full((3, 3), 3 / 2 * 2 / 9))


# ---- several targets -----------------------------------------------------------------------------


def test_equal_targets_grow_the_tree_of_one() -> None:
    # Twice the same change: mean and variance both double, so t grows by sqrt(2).
    random = np.random.default_rng(0)
    settings = Settings(warm_up=50, grace_period=50, delta=0.2, gamma=0.0)
    one = OracleRegressor(settings, [False, False])
    two = OracleOfTargets(settings, [False, False], None, [SquaredError(), SquaredError()])
    for x in random.random((50, 2)):
        y = float(x[1] > 0.5) + 0.1 * random.normal()
        one.learn(x, y)
        two.learn(x, (y, y))
    ours, theirs = two.structure(0), one.structure(0)
    assert (ours["feature"], ours["boundary"]) == (theirs["feature"], theirs["boundary"])
    assert ours["left"]["value"] == [theirs["left"]["value"]] * 2


@pytest.mark.parametrize(("delta", "splits"), [(0.09, False), (0.10, True)])
def test_variances_of_the_targets_are_added(delta: float, splits: bool) -> None:
    # As in the test for one target (mean -2, variance 16/3), twice: t = -4 / sqrt(8 / 3).
    # With 3 degrees of freedom P(|T| > sqrt(6)) = 0.0917...
    model = OracleOfTargets(
        dataclasses.replace(PLAIN, delta=delta), [False], UNIT, [SquaredError(), SquaredError()]
    )
    for x, y in [(0.25, -1.0), (0.25, -3.0), (0.75, 1.0), (0.75, 3.0)]:
        model.learn(np.array([x]), (y, -y))
    assert ("feature" in model.structure(0)) == splits


@pytest.mark.parametrize("seed", range(10))
def test_steps_mean_and_variance_agree_with_rational_arithmetic(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, n_outputs = 40, int(random.integers(2, 5))
    tree = OracleTree(Settings(reg_lambda=0.125, gamma=0.25), [True], [[]], np.zeros(n_outputs))
    leaf = Node(np.zeros(n_outputs), 0, frozenset())
    categories = random.integers(0, 4, n)
    leaf.cells = [np.array([category]) for category in categories]
    g = dyadic(random, n * n_outputs, -64, 64).reshape(n, n_outputs)
    h = dyadic(random, n * n_outputs, 1, 64).reshape(n, n_outputs)
    leaf.g, leaf.h, leaf.w = list(g), list(h), dyadic(random, n, 1, 640).tolist()
    rows = LeafRows(leaf)
    outcome = tree.work_out(rows, Candidate(0))
    n_branches = len(outcome.labels)
    mean, variance = Fraction(0), Fraction(0)
    for k in range(n_outputs):
        exact = [
            (Fraction(leaf.w[i]), Fraction(g[i, k]), Fraction(h[i, k]), int(outcome.branch[i]))
            for i in range(n)
        ]
        steps = []
        for j in range(n_branches):
            here = [(a, b, c) for a, b, c, branch in exact if branch == j]
            G, H = sum(a * b for a, b, _ in here), sum(a * c for a, _, c in here)
            steps.append(-Fraction(G) / (H + sum(a for a, _, _ in here) / Fraction(8)))
        mean_k, variance_k = exact_variance_by_the_papers_formula(exact, steps)
        mean, variance = mean + mean_k, variance + variance_k
        found = [step[k] for step in outcome.steps]
        assert found == pytest.approx([float(v) for v in steps], rel=1e-14)
    gammas = 2 + math.sqrt(n_outputs / 2) * (n_branches - 2)
    mean += Fraction(gammas) / 4 / Fraction(rows.n_eff)
    assert outcome.mean == pytest.approx(float(mean), rel=1e-13)
    assert tree.variance(rows, outcome) == pytest.approx(float(variance), rel=1e-10)


def test_every_target_has_its_own_scale_and_best_constant() -> None:
    losses = [AbsoluteError(), AbsoluteError()]
    model = OracleOfTargets(Settings(warm_up=4, grace_period=100), [False], None, losses)
    for y in (1.0, 2.0, 3.0, 6.0):
        model.learn(HALF, (y, 100 * y))
    assert model.structure(0)["value"] == [2.0, 200.0]
    # mean distances from the medians: (1 + 0 + 1 + 4) / 4, a tenth of it
    assert [loss.scale for loss in losses] == pytest.approx([0.15, 15.0])


def test_a_label_of_one_class_only_counts_the_other_as_half_a_row() -> None:
    model = OracleOfTargets(Settings(warm_up=5), [False], None, [LogLoss(), LogLoss()])
    for y in (1.0, 1.0, 0.0):
        model.learn(HALF, (y, 1.0))
    assert model.predict(HALF) == pytest.approx([math.log(2), math.log(3 / 0.5)])
