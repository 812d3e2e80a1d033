"""Builds the documentation site: `make docs`.

The pages of docs/ are plain Markdown, which is also read in the repository. They are copied with
what they link to, in the layout of the repository, so that their links hold; pages of the API are
written from the public names; Sphinx does the rest. Every link within the site is checked.
"""

import argparse
import importlib
import re
import shutil
import sys
from pathlib import Path

from html_links import broken_links
from sphinx.cmd.build import build_main

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODULES = (
    "sgtrees",
    "sgtrees.losses",
    "sgtrees.streams",
    "sgtrees.client",
    "sgtrees.evaluation",
    "sgtrees.evaluation.metrics",
    "sgtrees.inspection",
    "sgtrees.export",
    "sgtrees.report",
    "sgtrees.checkpoint",
    "sgtrees.dask",
    "sgtrees.interop.river",
)
_COMMENT = re.compile(r"^<!--.*?-->\n", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")


def main() -> int:
    """Build the site; return 0 if there is neither a warning nor a broken link."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs")
    out: Path = parser.parse_args().out.resolve()
    source = out.parent / f"{out.name}-source"
    for folder in (source, out):
        shutil.rmtree(folder, ignore_errors=True)
    pages = copy_pages(source)
    write_api(source / "api")
    write_sections(source, pages)
    failed = build_main(["-q", "-W", "--keep-going", "-b", "html", str(source), str(out)])
    if failed:
        return failed
    broken = broken_links(out)
    for place in broken:
        sys.stderr.write(f"{place}\n")
    sys.stdout.write(f"{len(list(out.rglob('*.html')))} pages, {len(broken)} broken links\n")
    return 1 if broken else 0


# ---- pages --------------------------------------------------------------------------------------


def copy_pages(source: Path) -> list[Path]:
    """Copy all pages, and the files to which they link; return the pages."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    pages = sorted(page for page in pages if HERE not in page.parents)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        _write(source / page.relative_to(ROOT), _COMMENT.sub("", text))
        for target in _LINK.findall(text):
            linked = (page.parent / target).resolve()
            if "://" not in target and linked.suffix != ".md" and linked.is_file():
                _copy(linked, source / linked.relative_to(ROOT))
    shutil.copy(HERE / "conf.py", source / "conf.py")
    shutil.copytree(HERE / "templates", source / "templates")
    return pages


def write_sections(source: Path, pages: list[Path]) -> None:
    """Copy the pages that order all others; those that none of them names are listed last."""
    named: set[str] = set()
    for section in HERE.glob("*.md"):
        text = section.read_text(encoding="utf-8")
        named.update(text.splitlines())
        _write(source / section.name, text)
    names = [page.relative_to(ROOT).with_suffix("").as_posix() for page in pages]
    others = "\n".join(name for name in names if name not in named)
    _write(source / "others.md", f"# Further pages\n\n```{{toctree}}\n\n{others}\n```\n")


def _copy(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, place)


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


# ---- the API ------------------------------------------------------------------------------------


def write_api(folder: Path) -> None:
    """Write a page for each public module, with a page for each of its names."""
    listed = "\n".join(MODULES)
    text = "# API reference\n\nEvery class and function with its parameters and an example.\n\n"
    _write(folder / "index.md", f"{text}```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n")
    documented: set[int] = set()
    for name in MODULES:
        module = importlib.import_module(name)
        # Once, where it is met first.
        names = [n for n in public_names(module) if id(getattr(module, n)) not in documented]
        documented.update(id(getattr(module, n)) for n in names)
        entries = "\n".join(f"   {entry}" for entry in names)
        title = f"{name}\n{'=' * len(name)}\n\n"
        table = f".. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n{entries}\n"
        head = f".. automodule:: {name}\n\n.. currentmodule:: {name}\n\n"
        _write(folder / f"{name}.rst", title + head + table)


def public_names(module: object) -> list[str]:
    """Return the public classes and functions of a module."""
    name = module.__name__  # type: ignore[attr-defined]
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [
            key
            for key, value in vars(module).items()
            if not key.startswith("_")
            and getattr(value, "__module__", "").startswith(name)
            and callable(value)
        ]
    return [key for key in listed if callable(getattr(module, key))]


if __name__ == "__main__":
    sys.exit(main())
