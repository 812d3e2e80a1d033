"""What orders the pages of the documentation site names pages that exist; `make docs` builds it."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"
SECTIONS = sorted(SITE.glob("*.md"))
# Pages that the build writes.
WRITTEN = {"api/index", "others"}


@pytest.fixture
def broken_links():
    spec = importlib.util.spec_from_file_location("html_links", SITE / "html_links.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.broken_links


@pytest.mark.parametrize("section", SECTIONS, ids=lambda path: path.stem)
def test_every_page_of_a_section_exists(section):
    trees = re.findall(r"```\{toctree\}\n(.*?)```", section.read_text(), flags=re.DOTALL)
    names = [line for tree in trees for line in tree.splitlines() if line and line[0] != ":"]
    assert names
    for name in names:
        found = (ROOT / f"{name}.md").exists() or (SITE / f"{name}.md").exists()
        assert found or name in WRITTEN, name


def test_links_that_lead_nowhere_are_found(broken_links, tmp_path):
    (tmp_path / "one.html").write_text('<a href="two.html#here">x</a><h1 id="top">y</h1>')
    (tmp_path / "two.html").write_text(
        '<p id="here"></p><a href="one.html#top"></a><a href="one.html#gone"></a>'
        '<img src="none.png"><a href="https://example.org/"></a>'
    )
    assert broken_links(tmp_path) == ["two.html: one.html#gone", "two.html: none.png"]
