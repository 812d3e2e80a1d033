import pytest

from sgtrees import SGTClassifier
from sgtrees.inspection import describe, rules, view_model
from tests.conformance.exports.models import MODELS


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
