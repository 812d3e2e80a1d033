import re

from hypothesis import given
from hypothesis import strategies as st

from experiments.tests.report.table_parts import TABLE
from sgtrees_experiments.report.document import sections
from sgtrees_experiments.report.markdown_page import as_markdown, write_markdown
from sgtrees_experiments.report.tables import Cell, Table
from tests.property.hostile import texts
from tests.property.strategies import quick


def test_markdown():
    assert as_markdown(TABLE).splitlines() == [
        "|  | a_b | c |",
        "| --- | ---: | ---: |",
        r"| x & y | **1.0 ± 0.1** | *2\|3* |",
    ]


def test_the_markdown_page_has_its_figures_beside_it(summaries, tmp_path):
    write_markdown(sections(summaries, {"date": "today"}), tmp_path / "docs" / "paper.md")
    text = (tmp_path / "docs" / "paper.md").read_text()
    shown = re.findall(r"\((paper/\w+\.svg)\)", text)
    assert len(shown) == 4
    assert all((tmp_path / "docs" / path).read_text().startswith("<?xml") for path in shown)
    assert text.startswith("# The paper's experiments, reproduced\n")


def test_the_same_runs_give_the_same_pages(summaries, tmp_path):
    for name in ("a", "b"):
        write_markdown(sections(summaries, {}), tmp_path / name / "paper.md")
    one, other = (
        {p.name: p.read_bytes() for p in (tmp_path / name).rglob("*.*")} for name in ("a", "b")
    )
    assert one == other


@quick(200)
@given(cells=st.lists(texts, min_size=2, max_size=2))
def test_no_text_ends_a_cell_or_begins_a_mark(cells):
    table = Table("t", "", ["", cells[0]], [[Cell(cells[1]), Cell("1")]], [])
    heading, rule, row = as_markdown(table).split("\n")
    for line in (heading, row):
        # What is escaped is text; what is left has no mark but the borders of the cells.
        plain = re.sub(r"\\.", "", line)
        assert plain.count("|") == 3
        assert not re.search(r"[`*<\[\]~]|&#?\w+;", plain)
    assert rule == "| --- | ---: |"
