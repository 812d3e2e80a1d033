import pytest

from sgtrees.streams import (
    Agrawal,
)


def agrawal_by_hand(function, row):
    """The functions as the paper prints them, one applicant at a time."""
    salary, commission, age, level, _, _, hvalue, hyears, loan = row
    total = salary + commission
    third = 0 if age < 40 else 1 if age < 60 else 2

    def salary_in(bounds):
        return bounds[0] * 1000 <= salary <= bounds[1] * 1000

    if function == 1:
        return third != 1
    if function == 2:
        return salary_in([(50, 100), (75, 125), (25, 75)][third])
    if function == 3:
        return level in [(0, 1), (1, 2, 3), (2, 3, 4)][third]
    if function == 4:
        if third == 0:
            return salary_in((25, 75) if level in (0, 1) else (50, 100))
        if third == 1:
            return salary_in((50, 100) if level in (1, 2, 3) else (75, 125))
        return salary_in((50, 100) if level in (2, 3, 4) else (25, 75))
    if function == 5:
        inside = salary_in([(50, 100), (75, 125), (25, 75)][third])
        bounds = [((100, 300), (200, 400)), ((200, 400), (300, 500)), ((300, 500), (100, 300))]
        low, high = bounds[third][0 if inside else 1]
        return low * 1000 <= loan <= high * 1000
    if function == 6:
        low, high = [(50, 100), (75, 125), (25, 75)][third]
        return low * 1000 <= total <= high * 1000
    if function == 7:
        return 2 * total / 3 - loan / 5 - 20_000 > 0
    if function == 8:
        return 2 * total / 3 - 5000 * level - 20_000 > 0
    if function == 9:
        return 2 * total / 3 - 5000 * level - loan / 5 - 10_000 > 0
    equity = 0.0 if hyears < 20 else hvalue * (hyears - 20) / 10
    return 2 * total / 3 - 5000 * level + equity / 5 - 10_000 > 0


@pytest.mark.parametrize("function", range(1, 11))
def test_agrawal_functions_are_those_of_the_paper(function):
    block = Agrawal(function, perturbation=0.0, seed=function).take(1500)
    assert block.best_error == 0.0
    expected = [agrawal_by_hand(function, row) for row in block.X.tolist()]
    assert (block.y == "A").tolist() == expected


def test_agrawal_columns_stay_in_their_ranges():
    X = Agrawal(1, perturbation=0.2).take(20_000).X
    assert X[:, 0].min() >= 20_000
    assert X[:, 0].max() <= 150_000
    without = X[:, 1] == 0.0
    assert 0.4 < without.mean() < 0.7
    assert (X[:, 2] >= 20).all()
    assert (X[:, 2] <= 80).all()
