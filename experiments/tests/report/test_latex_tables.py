import re

from hypothesis import given

from experiments.tests.report.table_parts import TABLE
from sgtrees_experiments.report.latex_tables import as_latex, latex, latex_document
from tests.property.hostile import texts
from tests.property.strategies import quick


def test_latex_escapes_what_it_must():
    text = as_latex(TABLE)
    assert r"\caption{50 \% of it. a note}" in text
    assert r"x \& y & \textbf{1.0 $\pm$ 0.1} & \textit{2|3} \\" in text
    assert r"a\_b" in text
    document = latex_document([TABLE])
    assert document.count(r"\begin{table}") == document.count(r"\end{table}") == 1


# The escapes of signs, and nothing else.
KNOWN = re.compile(
    r"\\text(backslash|asciitilde|asciicircum)\{\}|\\[&%$#_{}]|\$([<>]|\\(pm|circ|bullet))\$|\{[][*]\}"
)


@quick(200)
@given(text=texts)
def test_no_text_is_a_command_in_latex(text):
    assert not re.search(r"[\\&%$#_{}~^\n\r\0\[\]*]", KNOWN.sub("", latex(text)))
