"""Views, texts and pictures of models with several members."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from matplotlib.figure import Figure

from sgtrees import SGTBoostingClassifier, SGTBoostingRegressor, SGTForestClassifier
from sgtrees.inspection import (
    ChangeKind,
    compare,
    describe,
    gain_importances,
    plot_tree,
    shap_values,
    to_json,
    view_model,
    view_trees,
)
from sgtrees.inspection.predictions import tree_title
from sgtrees.streams import Agrawal, Drift
from tests.conformance.exports.models import ENSEMBLES, LINEAR_ENSEMBLES
from tests.unit.inspection.test_document import DOCS

QUICK = {"warm_up": 100, "grace_period": 40, "n_estimators": 5, "random_state": 0}


def rows(n_rows=3000, seed=0):
    random = np.random.default_rng(seed)
    X = random.random((n_rows, 3))
    return X, 10.0 * (X[:, 0] > 0.5) + 4.0 * (X[:, 1] > 0.3) + 0.1 * random.normal(size=n_rows)


@pytest.fixture(scope="module")
def committees():
    X, y = rows()
    labels = np.array(["ant", "bee", "cat"])[np.digitize(y, [3.0, 12.0])]
    return SGTBoostingClassifier(**QUICK).partial_fit(X, labels)


def test_a_view_has_the_trees_of_all_members_in_order(committees):
    view = view_model(committees)
    assert [(tree.number, tree.member) for tree in view.trees] == [(i, i // 2) for i in range(10)]
    labels = [tree.label for tree in view.trees]
    assert labels == [*view.labels[1:]] * 5
    assert view.is_ensemble
    assert view.n_unused == 0
    assert tree_title(view.trees[3]).startswith("member 1, contribution to the raw score of ")
    assert len(view_trees(committees)) == 10


def test_a_summary_shows_the_first_trees_and_counts_the_others(committees):
    text = describe(committees)
    assert text.startswith("SGTBoostingClassifier that predicts one of 3 labels, after 3,000 rows")
    assert "\n10 trees, " in text
    assert text.count("Most important splits, member") == 3
    assert text.endswith("and 7 more trees")


def test_a_summary_names_the_members_whose_trees_were_replaced():
    stream = Drift(Agrawal(1), Agrawal(5, seed=1), at=8_000).take(12_000)
    model = SGTForestClassifier(n_estimators=3, random_state=0).partial_fit(stream.X, stream.y)
    events = model.drifts_
    assert {event.member for event in events} == {0, 1, 2}
    last = events[-1]
    assert f"row {last.row:,}, member {last.member} {last.kind}: " in describe(model)


@pytest.mark.parametrize("form", ["tree", "rules", "dot", "json", "svg"])
def test_every_form_is_text(committees, form):
    assert "x0" in describe(committees, form)


@pytest.mark.parametrize("name", ENSEMBLES)
def test_documents_follow_the_schema(name):
    schema = json.loads((DOCS / "trees.schema.json").read_text(encoding="utf-8"))
    document = json.loads(to_json(ENSEMBLES[name]().model))
    jsonschema.validate(document, schema)
    assert len(document["trees"]) >= 4


def test_trees_are_drawn_by_number(committees):
    for number in (0, 9):
        axes = Figure().subplots()
        assert plot_tree(committees, tree=number, ax=axes)
        assert axes.get_title(loc="left").startswith(f"member {number // 2}, ")
    with pytest.raises(ValueError, match="tree == 10, but the model has trees 0 to 9"):
        plot_tree(committees, tree=10)


def test_a_tree_in_use_is_drawn_whichever_it_is():
    model = LINEAR_ENSEMBLES["choice, numbers"]().model
    assert plot_tree(model, ax=Figure().subplots())
    with pytest.raises(ValueError, match="tree == 1, but the model has trees 0 to 0"):
        plot_tree(model, tree=1)


def test_importances_are_sums_over_the_trees(committees):
    view = view_model(committees)
    of_trees = [
        gain_importances(replace(view, trees=(tree,)), normalize=False).values
        for tree in view.trees
    ]
    total = gain_importances(committees, normalize=False).values
    np.testing.assert_allclose(total, np.sum(of_trees, axis=0))
    assert total[0] > total[1] > total[2]


def test_a_late_class_is_a_new_tree_of_each_member():
    X, y = rows(2000)
    labels = np.where(np.arange(2000) < 1000, y > 5.0, np.digitize(y, [3.0, 12.0])).astype(int)
    model = SGTBoostingClassifier(**QUICK).partial_fit(X[:1000], labels[:1000])
    before = view_model(model)
    changes = compare(before, model.partial_fit(X[1000:1200], labels[1000:1200])).changes
    new = [change for change in changes if change.kind is ChangeKind.TREE]
    assert len(new) == 5
    assert {change.tree for change in new} == {1, 3, 5, 7, 9}


def test_shap_values_do_not_depend_on_the_number_of_threads():
    X, y = rows()
    model = SGTBoostingRegressor(**QUICK).partial_fit(X, y)
    one, two = (shap_values(model, X[:500], n_threads=n).values for n in (1, 2))
    assert np.array_equal(one, two)
