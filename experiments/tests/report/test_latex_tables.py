from experiments.tests.report.table_parts import TABLE
from sgtrees_experiments.report.latex_tables import as_latex, latex_document


def test_latex_escapes_what_it_must():
    text = as_latex(TABLE)
    assert r"\caption{50 \% of it. a note}" in text
    assert r"x \& y & \textbf{1.0 $\pm$ 0.1} & \textit{2|3} \\" in text
    assert r"a\_b" in text
    document = latex_document([TABLE])
    assert document.count(r"\begin{table}") == document.count(r"\end{table}") == 1
