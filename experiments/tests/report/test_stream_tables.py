from experiments.tests.report.table_parts import column, column_after, texts
from sgtrees_experiments.datasets import Task
from sgtrees_experiments.report.stream_tables import ablation_table, short_table, stream_tables
from sgtrees_experiments.report.tables import Cell


def test_errors_stand_beside_the_published_ones_with_the_best_in_bold(summaries):
    loss, nodes, seconds = stream_tables(summaries, Task.CLASSIFICATION)
    errors = column(loss, "covtype")
    assert errors["SGT"].text == "25.25 ± 0.25"
    assert errors["SGT, tuned"].best
    # LightGBM has all rows at once: it is shown, but it does not compete.
    assert not errors["LightGBM"].best
    published = dict(
        zip((row[0].text for row in loss.rows), column_after(loss, "covtype"), strict=True)
    )
    assert published["SGT"] == Cell("26.94", aside=True)
    assert published["SGT, tuned"].text == ""
    assert column(nodes, "covtype")["VFDT"].text == "101.0"
    assert column(seconds, "covtype")["EFDT"].text == "5.00"
    assert "kdd99_10pct (part)" in loss.heading
    assert column(loss, "kdd99_10pct (part)")["SGT, tuned"].text == "0.283 ± 0.003"
    assert column(loss, "kdd99_10pct (part)")["SGT"].text == "-"


def test_ablations_have_a_table_of_their_own(summaries):
    (loss, *_) = stream_tables(summaries, Task.CLASSIFICATION)
    assert not any("printed" in row[0].text for row in loss.rows)
    table = ablation_table(summaries)
    errors = [row[1].text for row in table.rows]
    assert errors == ["36.36 ± 0.36", "27.27 ± 0.27", "-", "-", "25.25 ± 0.25", "26.94"]


def test_slow_learners_are_compared_on_the_same_rows(summaries):
    table = short_table(summaries)
    (row,) = texts(table)
    assert row[:3] == ["higgs_16k", "15,983", "48.000"]
    assert row[4] == "SGT: 39.000"
