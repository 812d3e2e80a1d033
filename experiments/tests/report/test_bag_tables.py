import re

import pytest

from experiments.tests.report.table_parts import column, column_after
from sgtrees_experiments.execution.results import Results
from sgtrees_experiments.report.bag_tables import bag_figures, bag_table
from sgtrees_experiments.report.summaries import summarise


def test_accuracies_have_ranks_marks_and_averages(summaries):
    table = bag_table(summaries)
    sgt, qddi, miti = (column(table, title) for title in ("SGT", "QDDI", "MITI"))
    for name in ("atoms", "bonds", "chains"):
        assert re.fullmatch(r"8\d\.\d\d ± \d\.\d\d \(1\) ∘", miti[name].text)
        assert re.fullmatch(r"7\d\.\d\d ± \d\.\d\d \(2\)", sgt[name].text)
        assert re.fullmatch(r"\d\d\.\d\d ± \d\.\d\d \(3\) •", qddi[name].text)
        assert miti[name].best
    assert miti["average rank"].text == "1.00"
    assert abs(float(sgt["average"].text) - 75.0) < 1.0
    assert column_after(table, "MITI")[0].text == "84.06 (1) ∘"
    assert float(column_after(table, "SGT")[-2].text) == pytest.approx(76.98, abs=0.01)


def test_a_set_of_bags_that_a_learner_lacks_is_left_out(plan, results, summaries):
    fewer = Results(results.path)
    fewer.of = {
        key: run for key, run in results.of.items() if (key.data, key.learner) != ("bonds", "miti")
    }
    assert list(bag_figures(summarise(plan, fewer))) == ["atoms", "chains"]
