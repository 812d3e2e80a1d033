"""The page of parameters is what the table makes of it."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_parameters_is_current():
    script = runpy.run_path(str(DOCS / "parameters.py"))
    current = (DOCS / "parameters.md").read_text(encoding="utf-8")
    assert current == script["page"](), "run: python docs/parameters.py"
