"""The trees and their changes, as they are shown."""

from types import SimpleNamespace

import pytest

from sgtrees.serve import tree_watch
from sgtrees.serve.rows import Rows
from sgtrees.serve.tree_watch import TreeWatch
from tests.unit.serve.running import begin, events_of


@pytest.fixture
def at_once(monkeypatch):
    """Every look is a new one."""
    monkeypatch.setattr(tree_watch, "_SECONDS", 0.0)
    monkeypatch.setattr(tree_watch, "_REST", 0.0)


def watched():
    model = begin()
    return model, TreeWatch(SimpleNamespace(model=model))


def test_a_new_model_has_no_tree():
    _, watch = watched()
    assert watch.document() == {"rows": 0, "trees": [], "n_trees": 0, "changes": []}


@pytest.mark.usefixtures("at_once")
def test_changes_are_those_since_the_look_before():
    model, watch = watched()
    model.learn(Rows(events_of(range(30))))
    first = watch.document()
    assert (first["rows"], first["n_trees"], first["changes"]) == (30, 1, [])
    model.learn(Rows(events_of(range(30, 2_000))))
    second = watch.document()
    assert second["rows"] == 2_000
    assert len(second["trees"][0]["nodes"]) > 1
    assert second["changes"][0]["rows"] == 2_000
    assert {change["kind"] for change in second["changes"]} & {"split"}
    # Nothing was learned since.
    assert watch.document()["changes"] == second["changes"]


@pytest.mark.usefixtures("at_once")
def test_trees_that_were_replaced_are_a_change():
    source = SimpleNamespace(model=begin())
    source.model.learn(Rows(events_of(range(500))))
    watch = TreeWatch(source)
    watch.document()
    # Not a later state of the same trees.
    source.model = begin()
    source.model.learn(Rows(events_of(range(100))))
    assert [change["text"] for change in watch.document()["changes"]] == ["trees were replaced"]


def test_a_look_is_not_taken_at_every_request():
    model, watch = watched()
    model.learn(Rows(events_of(range(100))))
    assert watch.document()["rows"] == 100
    model.learn(Rows(events_of(range(100))))
    assert watch.document()["rows"] == 100
