"""The settings of the documentation site; `make docs` builds it."""

from importlib.metadata import version as version_of
from typing import Any

project = "sgtrees"
author = "The sgtrees developers"
copyright = "The sgtrees developers, BSD-3-Clause"  # noqa: A001 - Sphinx's own name
release = version = version_of("sgtrees")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
# Names in backticks are links where they are documented, and code where they are not.
default_role = "py:obj"

# Links to headings are GitHub's.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]

templates_path = ["templates"]
autosummary_generate = True
autodoc_typehints = "none"
# Members have pages of their own classes; a table of them would repeat each.
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "sgtrees"
html_static_path: list[str] = []
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    # Nothing is fetched from elsewhere: the pages and their search work from a folder, offline.
    "navbar_start": ["navbar-logo"],
    "navbar_center": ["navbar-nav"],
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
# Pygments knows no prompts of two shells in one block; it highlights what it can.
suppress_warnings = ["misc.highlighting_failure"]


def _is_skipped(_app: Any, _kind: str, name: str, thing: Any, skip: bool, _options: Any) -> bool:
    """Leave out what other libraries define and document, like scikit-learn's own methods."""
    function = getattr(thing, "fget", None) or getattr(thing, "__func__", thing)
    home = getattr(function, "__module__", None) or "sgtrees"
    return skip or name.startswith("_") or not home.startswith("sgtrees")


def setup(app: Any) -> None:
    """Connect to Sphinx."""
    app.connect("autodoc-skip-member", _is_skipped)
