"""The page's table of parameters marks what somebody chose, and nothing else."""

import pytest

from sgtrees import SGTForestClassifier, SGTRegressor
from sgtrees.cli.options import OWN_DEFAULTS
from sgtrees.report.tables import parameters_table
from tests.unit.cli.commands import run


def marked(table):
    rows = table.split('<tr class="changed"><th scope="row">')[1:]
    return [row.split("<")[0] for row in rows]


def test_values_that_differ_from_the_defaults_are_marked_with_these():
    table = parameters_table(SGTRegressor(grace_period=50, following_rates=[0.5]), {})
    assert marked(table) == ["following_rates", "grace_period"]
    assert '50 <span class="default">default: 25</span>' in table
    assert "2 differ from the defaults." in table


def test_equal_sequences_are_the_default_whatever_their_type():
    rates = list(SGTRegressor().following_rates)
    assert "All are the defaults." in parameters_table(SGTRegressor(following_rates=rates), {})


def test_what_a_command_sets_by_itself_is_not_marked():
    of_command = SGTForestClassifier(max_memory="80MB", random_state=0)
    assert marked(parameters_table(of_command, {})) == ["max_memory", "random_state"]
    table = parameters_table(of_command, OWN_DEFAULTS)
    assert marked(table) == []
    assert "<td>80MB</td>" in table
    chosen = SGTForestClassifier(max_memory="10MB", random_state=3)
    assert marked(parameters_table(chosen, OWN_DEFAULTS)) == ["max_memory", "random_state"]


@pytest.mark.parametrize("method", ["tree", "boosting", "forest"])
def test_a_command_without_options_reports_defaults_only(tmp_path, monkeypatch, method):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{i % 3 == 0}\n" for i in range(500))
    (tmp_path / "rows.csv").write_text("a,label\n" + rows)
    options = ["--report", "page.html", "--method", method]
    result = run("train", "rows.csv", "-t", "label", "-m", "m.sgt", *options)
    assert result.exit_code == 0, result.stderr
    page = (tmp_path / "page.html").read_text()
    assert "All are the defaults." in page
    result = run("evaluate", "rows.csv", "--model", "m.sgt", "--report", "again.html")
    assert result.exit_code == 0, result.stderr
    assert "All are the defaults." in (tmp_path / "again.html").read_text()
