"""The ten functions that classify Agrawal's applicants, numbered as in the paper."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from sgtrees.streams.generators.generator import Floats

Truth = NDArray[np.bool_]


class Applicant:
    """The columns that the functions use, one entry for each applicant."""

    def __init__(self, values: Mapping[str, Floats]) -> None:
        self.salary = values["salary"]
        self.income = values["salary"] + values["commission"]
        self.age = values["age"]
        self.education = values["education"]
        self.loan = values["loan"]
        held = values["house_years"]
        self.equity = np.where(held < 20.0, 0.0, 0.1 * values["house_value"] * (held - 20.0))

    def by_age(self, young: Truth, middle: Truth, old: Truth) -> Truth:
        """Choose by the age: below 40, below 60, or above."""
        return np.where(self.age < 40.0, young, np.where(self.age < 60.0, middle, old))

    def educated(self, low: int, high: int) -> Truth:
        """Return whose level of education is between two levels."""
        return _between(self.education, low, high)


def _between(values: Floats, low: float, high: float) -> Truth:
    return (values >= low) & (values <= high)


def _thousands(values: Floats, low: float, high: float) -> Truth:
    return _between(values, 1000.0 * low, 1000.0 * high)


def _first(a: Applicant) -> Truth:
    return (a.age < 40.0) | (a.age >= 60.0)


def _second(a: Applicant) -> Truth:
    return a.by_age(
        _thousands(a.salary, 50, 100), _thousands(a.salary, 75, 125), _thousands(a.salary, 25, 75)
    )


def _third(a: Applicant) -> Truth:
    return a.by_age(a.educated(0, 1), a.educated(1, 3), a.educated(2, 4))


def _fourth(a: Applicant) -> Truth:
    low, mid, high = (_thousands(a.salary, *bounds) for bounds in ((25, 75), (50, 100), (75, 125)))
    return a.by_age(
        np.where(a.educated(0, 1), low, mid),
        np.where(a.educated(1, 3), mid, high),
        np.where(a.educated(2, 4), mid, low),
    )


def _fifth(a: Applicant) -> Truth:
    low, mid, high = (
        _thousands(a.loan, *bounds) for bounds in ((100, 300), (200, 400), (300, 500))
    )
    return a.by_age(
        np.where(_thousands(a.salary, 50, 100), low, mid),
        np.where(_thousands(a.salary, 75, 125), mid, high),
        np.where(_thousands(a.salary, 25, 75), high, low),
    )


def _sixth(a: Applicant) -> Truth:
    return a.by_age(
        _thousands(a.income, 50, 100), _thousands(a.income, 75, 125), _thousands(a.income, 25, 75)
    )


def _seventh(a: Applicant) -> Truth:
    return 2.0 / 3.0 * a.income - 0.2 * a.loan - 20_000.0 > 0.0


def _eighth(a: Applicant) -> Truth:
    return 2.0 / 3.0 * a.income - 5_000.0 * a.education - 20_000.0 > 0.0


def _ninth(a: Applicant) -> Truth:
    return 2.0 / 3.0 * a.income - 5_000.0 * a.education - 0.2 * a.loan - 10_000.0 > 0.0


def _tenth(a: Applicant) -> Truth:
    return 2.0 / 3.0 * a.income - 5_000.0 * a.education + 0.2 * a.equity - 10_000.0 > 0.0


FUNCTIONS: tuple[Callable[[Applicant], Truth], ...] = (
    _first,
    _second,
    _third,
    _fourth,
    _fifth,
    _sixth,
    _seventh,
    _eighth,
    _ninth,
    _tenth,
)
