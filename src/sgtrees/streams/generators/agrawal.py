"""The loan applications of Agrawal, Imielinski and Swami (1993)."""

import numpy as np
from numpy.typing import NDArray

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators.agrawal_functions import FUNCTIONS, Applicant
from sgtrees.streams.generators.generator import Floats, Generator, named, pick

_EDUCATION = ("none", "school", "college", "bachelor", "master")
_CARS = tuple(f"make {number}" for number in range(1, 21))
_AREAS = tuple(f"area {number}" for number in range(1, 10))
# The numeric columns, and the range of each: how far a perturbation may move it, and its bounds.
_RANGES = {
    "salary": (20_000.0, 150_000.0),
    "commission": (0.0, 75_000.0),
    "age": (20.0, 80.0),
    "house_value": (50_000.0, 1_350_000.0),
    "house_years": (1.0, 30.0),
    "loan": (0.0, 500_000.0),
}


class Agrawal(Generator):
    """Loan applications, in one of two groups by one of ten functions.

    Parameters
    ----------
    function : int from 1 to 10, default=1
        The function that defines the groups.
    perturbation : float, default=0.05
        The largest change of a number after its group is known, as a share of its range.
    seed : int, default=0
        Seed of the stream.

    References
    ----------
    R. Agrawal, T. Imielinski, A. Swami: Database mining: a performance perspective. IEEE
    Transactions on Knowledge and Data Engineering 5, 1993.

    Examples
    --------
    >>> stream = Agrawal(function=2, seed=1)
    >>> stream.take(1000).X.shape, [stream.columns[place].name for place in stream.nominal]
    ((1000, 9), ['education', 'car', 'area'])
    """

    def __init__(self, function: int = 1, *, perturbation: float = 0.05, seed: int = 0) -> None:
        super().__init__(seed)
        if function not in range(1, 11):
            raise ValueError(f"function == {function!r}, must be from 1 to 10.")
        self.function = function
        self.perturbation = perturbation

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column("salary"),
            Column("commission"),
            Column("age"),
            Column("education", nominal=True, categories=_EDUCATION),
            Column("car", nominal=True, categories=_CARS),
            Column("area", nominal=True, categories=_AREAS),
            Column("house_value"),
            Column("house_years"),
            Column("loan"),
        )

    def _target(self) -> Column:
        return Column("group", nominal=True, categories=("A", "B"))

    def _make(self, n_rows: int, first_row: int) -> Block:  # noqa: ARG002 - nothing changes here
        draws = self._uniform.random((n_rows, 15)).T
        salary = 20_000.0 + 130_000.0 * draws[0]
        area = pick(draws[5], 9)
        # Houses are dearer in some areas than in others.
        dear = 100_000.0 * (9.0 - area)
        values = {
            "salary": salary,
            "commission": np.where(salary >= 75_000.0, 0.0, 10_000.0 + 65_000.0 * draws[1]),
            "age": 20.0 + pick(draws[2], 61),
            "education": pick(draws[3], 5),
            "car": pick(draws[4], 20),
            "area": area,
            "house_value": dear * (0.5 + draws[6]),
            "house_years": 1.0 + pick(draws[7], 30),
            "loan": 500_000.0 * draws[8],
        }
        group = FUNCTIONS[self.function - 1](Applicant(values))
        for draw, (name, bounds) in zip(draws[9:], _RANGES.items(), strict=True):
            values[name] = self._moved(values[name], draw, bounds)
        X = np.column_stack([values[column.name] for column in self.columns])
        best = 0.0 if self.perturbation == 0.0 else None
        return Block(X, named(("B", "A"), group), best_error=best)

    def _moved(self, values: Floats, draws: Floats, bounds: tuple[float, float]) -> Floats:
        low, high = bounds
        moved = values + self.perturbation * (high - low) * (2.0 * draws - 1.0)
        # A commission of 0 stays 0.
        result: NDArray[np.float64] = np.where(values == 0.0, 0.0, np.clip(moved, low, high))
        return result
