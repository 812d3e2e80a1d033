import numpy as np
import pytest
from scipy.optimize import check_grad

from sgtrees_experiments.multi_instance import QDDIClassifier
from sgtrees_experiments.multi_instance.qddi import DiverseDensity, log_negative

TARGET = np.array([0.3, 0.7])


def near(seed=0, n_bags=150, n_features=2):
    """Bags of random points; positive where one comes near to the target."""
    rng = np.random.default_rng(seed)
    bags = [rng.random((rng.integers(2, 8), n_features)) for _ in range(n_bags)]
    return bags, np.array([(np.abs(b[:, :2] - TARGET).max(axis=1) < 0.15).any() for b in bags])


def density(seed=0, **arguments):
    bags, y = near(seed, **arguments)
    return DiverseDensity(np.concatenate(bags), np.array([len(bag) for bag in bags]), y)


def cost_by_the_formula(data, point, scale):
    """The cost, bag by bag, as the paper defines the likelihood."""
    cost, row = 0.0, 0
    for size, positive in zip(data.sizes, data.positive, strict=True):
        none = 1.0
        for x in data.X[row : row + size]:
            none *= 1.0 - np.exp(-max(((scale * (x - point)) ** 2).sum(), 1e-10))
        row += size
        cost -= np.log(max(1.0 - none if positive else none, 2.0**-26))
    return cost


def test_a_bag_is_negative_where_all_its_instances_are():
    distance = -np.log([0.5, 0.5, 0.25])
    assert np.exp(log_negative(distance, np.array([2, 1]))) == pytest.approx([0.25, 0.75])


def test_the_cost_is_that_of_the_formula():
    data = density(n_bags=30)
    point, scale = data.X[5], np.array([3.0, 0.5])
    cost, _ = data.cost_and_gradient(scale, np.square(data.X - point))
    assert cost == pytest.approx(cost_by_the_formula(data, point, scale), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_is_that_of_the_cost(seed):
    data = density(seed, n_bags=40, n_features=4)
    rng = np.random.default_rng(seed)
    squares = np.square(data.X - rng.random(4))
    scale = rng.uniform(0.5, 4.0, 4)
    wrong = check_grad(
        lambda s: data.cost_and_gradient(s, squares)[0],
        lambda s: data.cost_and_gradient(s, squares)[1],
        scale,
    )
    assert wrong < 1e-4 * np.linalg.norm(data.cost_and_gradient(scale, squares)[1])


def test_far_away_the_cost_is_finite_and_flat():
    data = density(n_bags=20)
    squares = np.square(data.X - 1e6)
    cost, gradient = data.cost_and_gradient(np.array([1.0, 1.0]), squares)
    assert cost == pytest.approx(data.positive.sum() * 26 * np.log(2.0))
    assert (gradient == 0.0).all()


def test_the_best_point_is_the_best_of_all_instances_of_positive_bags(monkeypatch):
    # Few distances at a time, so that the candidates come in several pieces.
    monkeypatch.setattr("sgtrees_experiments.multi_instance.qddi._CELLS_AT_A_TIME", 1000)
    data = density(n_bags=40)
    scale = np.array([5.0, 3.0])
    candidates = data.X[np.repeat(data.positive, data.sizes)]
    costs = [cost_by_the_formula(data, point, scale) for point in candidates]
    assert (data.best_point(scale) == candidates[np.argmin(costs)]).all()


def test_the_best_scale_costs_no_more_than_the_one_it_started_from():
    data = density()
    point, start = data.best_point(np.ones(2)), np.ones(2)
    scale, cost = data.best_scale(point, start)
    assert cost < cost_by_the_formula(data, point, start)
    assert cost == pytest.approx(cost_by_the_formula(data, point, scale))
    assert (scale >= 0.0).all()


@pytest.mark.parametrize("scaling", ["standard", "range", "none"])
def test_it_finds_the_point_and_which_features_matter(scaling):
    bags, y = near(n_features=4, n_bags=300)
    model = QDDIClassifier(scaling=scaling, max_iter=10, start_scale=2.0).fit(bags, y)
    assert model.point_[:2] == pytest.approx(TARGET, abs=0.1)
    assert model.scale_[:2].min() > 3.0 * model.scale_[2:].max()
    fresh, labels = near(1, n_features=4, n_bags=300)
    majority = max(labels.mean(), 1.0 - labels.mean())
    assert model.score(fresh, labels) > majority + 0.1


def test_the_units_of_the_features_do_not_matter():
    bags, y = near()
    units = np.array([1000.0, 1e-3])
    model, other = QDDIClassifier(), QDDIClassifier()
    proba = model.fit(bags, y).predict_proba(bags)
    assert other.fit([bag * units for bag in bags], y).predict_proba(
        [bag * units for bag in bags]
    ) == pytest.approx(proba, abs=1e-4)
    assert other.point_ == pytest.approx(model.point_ * units)


def test_constant_features_have_no_say():
    bags, y = near()
    wider = [np.column_stack([bag, np.full(len(bag), 7.0)]) for bag in bags]
    model = QDDIClassifier().fit(wider, y)
    assert model.scale_[2] == 0.0
    assert model.point_[2] == 7.0
    assert (model.predict(wider) == QDDIClassifier().fit(bags, y).predict(bags)).all()


def test_more_iterations_end_where_they_gain_nothing():
    bags, y = near()
    once, often = QDDIClassifier().fit(bags, y), QDDIClassifier(max_iter=50).fit(bags, y)
    assert once.n_iter_ == 1
    assert 1 <= often.n_iter_ < 50


def test_bags_of_which_nothing_varies_are_all_alike():
    model = QDDIClassifier().fit([[[1.0]], [[1.0]]], [0, 1])
    proba = model.predict_proba([[[1.0]], [[1.0], [1.0]]])
    assert np.isfinite(proba).all()


WRONG = {
    "scaling": ({"scaling": "log"}, ValueError, "scaling='log' is not known"),
    "start_scale": ({"start_scale": 0.0}, ValueError, "start_scale == 0.0, must be > 0"),
    "max_iter": ({"max_iter": 0}, ValueError, "max_iter == 0, must be >= 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_parameters(case):
    parameters, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        QDDIClassifier(**parameters).fit(*near())
