import re

from experiments.tests.report.table_parts import TABLE
from sgtrees_experiments.report.document import sections
from sgtrees_experiments.report.markdown_page import as_markdown, write_markdown


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
