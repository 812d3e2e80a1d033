"""Rows that a tree of a committee is sure of: the core leaves out those that the oracle does."""

from dataclasses import replace

import numpy as np
import pytest

from tests.oracle.comparison import assert_the_core_equals_the_oracle
from tests.oracle.configurations import DEFAULTS, Configuration, by_first_appearance
from tests.oracle.oracle import COPIES, OracleClassifier, is_drawn
from tests.oracle.real_data import real


def easy_stream(seed: int, n_rows: int = 4000, n_classes: int = 5) -> Configuration:
    """Classes that two features tell almost without doubt, so that trees become sure."""
    random = np.random.default_rng([seed, 8])
    y = random.integers(n_classes, size=n_rows)
    X = np.column_stack(
        [
            y + random.normal(0, 0.15, n_rows),
            random.normal(size=n_rows),
            np.where(random.random(n_rows) < 0.02, random.integers(n_classes, size=n_rows), y),
        ]
    )
    X[:, 2] = by_first_appearance(X[:, 2], np.ones(n_rows, np.bool_))
    w = None if seed % 2 else random.choice([0.0, 0.5, 1.0, 2.0], n_rows)
    numbers = by_first_appearance(y.astype(float), np.ones(n_rows) > 0 if w is None else w > 0)
    nominal, probes = [False, False, True], X[::20]
    return Configuration(
        f"easy {seed}", "multi-class", DEFAULTS, nominal, None, X, numbers, w, probes
    )


def test_one_row_in_so_many_is_drawn_and_not_the_same_for_all_trees() -> None:
    drawn = np.array([[is_drawn(row, tree) for tree in range(4)] for row in range(20_000)])
    assert drawn.mean(axis=0) == pytest.approx(1 / COPIES, rel=0.05)
    assert (drawn[:, 0] & drawn[:, 1]).mean() == pytest.approx(1 / COPIES**2, rel=0.2)
    for period in (2, 8, 64):
        of_phase = [drawn[phase::period].mean() for phase in range(period)]
        assert of_phase == pytest.approx([1 / COPIES] * period, rel=0.5)


@pytest.mark.parametrize("round_rows", [1, 60, 0])
@pytest.mark.parametrize("seed", range(4))
def test_the_core_leaves_out_the_rows_that_the_oracle_leaves_out(
    seed: int, round_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = easy_stream(seed)
    case = replace(case, settings=replace(case.settings, round_rows=round_rows))
    decisions: list[int] = []
    copies = OracleClassifier.copies

    def note(self: OracleClassifier, g: float, tree: int) -> int:
        decisions.append(copies(self, g, tree))
        return decisions[-1]

    monkeypatch.setattr(OracleClassifier, "copies", note)
    assert_the_core_equals_the_oracle(case)
    assert decisions.count(0) > 500
    assert decisions.count(COPIES) > 50


@pytest.mark.parametrize("name", ["covtype", "kdd99_10pct"])
def test_at_the_defaults_the_core_grows_the_oracles_trees_on_real_data(name: str) -> None:
    assert_the_core_equals_the_oracle(real(name, "multi-class", 3_000, DEFAULTS, shuffled=True))
