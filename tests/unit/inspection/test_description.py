import numpy as np
import pytest

from sgtrees import SGTBoostingRegressor, SGTClassifier, SGTForestClassifier
from sgtrees.inspection import describe, rules, view_model
from sgtrees.streams import Agrawal, Drift
from tests.conformance.exports.models import ENSEMBLES, MODELS


@pytest.fixture(scope="module")
def regressor():
    return MODELS["squared_error"]().model


@pytest.fixture(scope="module")
def committee():
    return MODELS["four classes"]().model


def test_a_description_has_size_features_and_splits(committee):
    text = describe(committee)
    view = view_model(committee)
    assert "predicts one of 4 labels, after 3,000 rows" in text
    assert f"3 trees, {view.n_leaves} leaves, depth {view.depth}" in text
    assert "Feature importance" in text
    assert text.count("Most important splits") == 3


@pytest.mark.parametrize("form", ["summary", "tree", "rules", "dot", "json", "svg"])
def test_every_form_is_text(committee, form):
    assert describe(committee, form) == describe(view_model(committee), form)
    assert "town" in describe(committee, form)


def test_there_is_a_rule_for_each_leaf(committee):
    view = view_model(committee)
    lines = [line for line in describe(committee, "rules").splitlines() if " where " in line]
    assert len(lines) == sum(len(rules(tree)) for tree in view.trees)


def test_an_unknown_form_is_refused(regressor):
    with pytest.raises(ValueError, match="form == 'pdf', must be one of 'summary', 'tree'"):
        describe(regressor, "pdf")


def test_what_is_no_estimator_is_refused():
    with pytest.raises(TypeError, match=r"expected an SGTClassifier, .*got str"):
        describe("model")
    with pytest.raises(AttributeError, match="before it has learned a row"):
        describe(SGTClassifier())


@pytest.fixture(scope="module")
def boosting():
    return ENSEMBLES["boosting, three classes"]().model


def test_a_summary_of_an_ensemble_shows_the_first_trees_and_counts_the_others(boosting):
    text = describe(boosting)
    assert text.startswith("SGTBoostingClassifier that predicts one of 3 labels, after 3,000 rows")
    assert "\n8 trees, " in text
    assert text.count("Most important splits, member") == 3
    assert text.endswith("and 5 more trees")


@pytest.mark.parametrize("form", ["tree", "rules", "dot", "json", "svg"])
def test_every_form_of_an_ensemble_is_text(boosting, form):
    assert "town" in describe(boosting, form)


def test_a_summary_names_the_members_whose_trees_were_replaced():
    stream = Drift(Agrawal(1), Agrawal(5, seed=1), at=8_000).take(12_000)
    model = SGTForestClassifier(n_estimators=3, random_state=0).partial_fit(stream.X, stream.y)
    events = model.drifts_
    assert {event.member for event in events} == {0, 1, 2}
    last = events[-1]
    assert f"row {last.row:,}, member {last.member} {last.kind}: " in describe(model)


def test_a_summary_says_that_boosted_members_did_harm_and_not_that_errors_rose():
    random = np.random.default_rng(0)
    X = random.random((6_000, 2))
    y = np.where(np.arange(6_000) < 3_000, 5.0 * (X[:, 0] > 0.5), 0.0) + random.normal(size=6_000)
    settings = {"n_estimators": 4, "learning_rate": 1.0, "random_state": 0}
    model = SGTBoostingRegressor(**settings).partial_fit(X, y)
    n = len(model.drifts_)
    assert n > 1
    assert f"members that did harm began anew {n} times; the latest of it:" in describe(model)
    assert "errors rose" not in describe(model)
