"""Parts of tables."""

from sgtrees_experiments.report.tables import Cell, Table

TABLE = Table(
    "t",
    "50 % of it",
    ["", "a_b", "c"],
    [[Cell("x & y"), Cell("1.0 ± 0.1", best=True), Cell("2|3", aside=True)]],
    ["a note"],
)


def texts(table):
    return [[cell.text for cell in row] for row in table.rows]


def column(table, heading):
    place = table.heading.index(heading)
    return {row[0].text: row[place] for row in table.rows}


def column_after(table, heading):
    place = table.heading.index(heading) + 1
    return [row[place] for row in table.rows]
