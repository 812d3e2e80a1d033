from experiments.tests.report.table_parts import texts
from sgtrees_experiments.report.data_table import data_table


def test_data_that_is_here_and_data_that_is_not_are_listed(plan):
    table = data_table(plan)
    rows = {(row[0], row[2]): row for row in texts(table)}
    assert rows["Covertype", "covtype"][3] == "whole"
    assert rows["Covertype", "covtype"][1] == "581,012 x 55, 7 classes"
    assert rows["Covertype", "covtype"][4] == "581,012 x 54, 7 classes"
    assert rows["Airline", "airline_nyc"][3] == "stand-in"
    assert rows["Zurich", "-"][3] == "absent"
    assert "Kaggle" in rows["Zurich", "-"][5]
