"""The documents are true: every code block runs, every link leads somewhere, every page is found.

A page's blocks run in order, in one namespace and one empty folder, as a reader would paste them:
``python`` blocks here, the ``$ `` lines of ``console`` blocks in a shell that finds the installed
command, or here too where they need nothing of a shell. Comments above a block change this:

- ``<!-- not run: REASON -->``: the block needs what a test has not (a network, Java, a cluster).
- ``<!-- file: NAME -->``: the block is the content of a file, which later blocks read.
- ``<!-- needs: PROGRAM -->``: the block runs where this program is installed.
- ``<!-- output -->``: the block is what the block before it prints (``...`` stands for anything).

``<!-- set-up: ... -->`` is Python code that a reader does not see: it writes the files that the
page takes for granted.
"""

from __future__ import annotations

import doctest
import logging
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.command import run_here

ROOT = Path(__file__).resolve().parents[2]
# Those of docs/site order the pages of the site; test_documentation_site.py has their tests.
PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    if page.parent != ROOT / "docs" / "site"
)
CODE = {"python", "console"}
NO_CODE = {"", "json", "text", "toml"}
SECONDS = 100


@dataclass(frozen=True)
class Block:
    """A fenced block, or a set-up comment, and where its text begins on the page."""

    language: str
    text: str
    line: int
    comment: str  # the one above it, without its marks


def blocks_of(page: Path) -> list[Block]:
    """Return a page's blocks in order."""
    found: list[Block] = []
    comment, lines = "", iter(enumerate(page.read_text(encoding="utf-8").splitlines(), start=2))
    for after, line in lines:
        if fence := re.match(r"\s*(`{3,})(\w*)\s*$", line):
            text = _until(lines, fence.group(1))
            found.append(Block(fence.group(2), text, after, comment))
            comment = ""
        elif line.startswith("<!-- set-up:"):
            found.append(Block("python", _until(lines, "-->"), after, "set-up"))
        elif line.strip().startswith("<!--"):
            comment = line.strip().removeprefix("<!--").removesuffix("-->").strip()
        elif line.strip():
            comment = ""
    return found


def _until(lines, end: str) -> str:
    taken = []
    for _, line in lines:
        if line.strip() == end:
            return textwrap.dedent("\n".join(taken)) + "\n"
        taken.append(line)
    raise AssertionError(f"a block does not end: {end!r} is missing")


def run_python(page: Path, block: Block, names: dict[str, object]) -> None:
    """Run a block; a traceback names the page and its line."""
    source = "\n" * (block.line - 1) + block.text
    exec(compile(source, str(page), "exec"), names)


def run_commands(block: Block, folder: Path) -> str:
    """Run the lines of a block that begin with ``$ ``; return what they print."""
    scripts = sysconfig.get_path("scripts")
    environment = os.environ | {
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
    }
    printed = []
    commands = re.findall(r"^\$ (.+)$", block.text.replace("\\\n", " "), flags=re.MULTILINE)
    assert commands, f"line {block.line}: no line begins with '$ '"
    for command in commands:
        if command.startswith("sgtrees ") and not re.search(r"[|&;<>$`*?~#]", command):
            done = run_here(folder, *shlex.split(command)[1:])
            assert done.returncode == 0, f"line {block.line}: {command}\n{done.stderr}"
            printed.append(done.stdout)
            continue
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=environment,
            capture_output=True,
            check=False,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, f"line {block.line}: {command}\n{done.stderr}"
        printed.append(done.stdout)
    return "".join(printed)


def check_output(block: Block, printed: str) -> None:
    """Compare what was printed with what the page says."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    same = doctest.OutputChecker().check_output(block.text, printed, options)
    assert same, f"line {block.line}: the page shows\n{block.text}\nand this was printed\n{printed}"


def has_code(page: Path) -> bool:
    """Whether a page has blocks that run."""
    return any(block.language in CODE for block in blocks_of(page))


@pytest.fixture
def logs_as_before():
    """Pages show how to set up the log, which other tests would notice."""
    loggers = [logging.getLogger(), logging.getLogger("sgtrees")]
    before = [(logger, logger.level, list(logger.handlers)) for logger in loggers]
    yield
    for logger, level, handlers in before:
        logger.setLevel(level)
        logger.handlers[:] = handlers


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if has_code(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_code_of_a_page_runs_in_order(page, tmp_path, monkeypatch, capsys, logs_as_before):
    plt = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("pandas")
    if page.name == "service.md":
        pytest.importorskip("starlette", reason="the extra 'serve' is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: None)
    names: dict[str, object] = {"__name__": "__main__"}
    blocks = blocks_of(page)
    printed: str | None = ""  # None: what should print it cannot run here
    n_run = 0
    try:
        for block in blocks:
            if block.comment.startswith("not run:"):
                continue
            if block.comment.startswith("needs:"):
                printed = None if shutil.which(block.comment.split()[1]) is None else ""
                if printed is None:
                    n_run += 1
                    continue
            if block.comment.startswith("file:"):
                (tmp_path / block.comment.removeprefix("file:").strip()).write_text(block.text)
            elif block.comment == "output":
                if printed is not None:
                    check_output(block, printed)
            elif block.language == "python":
                capsys.readouterr()
                run_python(page, block, names)
                printed = capsys.readouterr().out
                n_run += 1
            elif block.language == "console":
                printed = run_commands(block, tmp_path)
                n_run += 1
    finally:
        plt.close("all")
    n_excepted = sum(block.comment.startswith("not run:") for block in blocks)
    assert n_run + n_excepted == sum(block.language in CODE for block in blocks)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_has_a_known_language_and_every_exception_a_reason(page):
    for block in blocks_of(page):
        assert block.language in CODE | NO_CODE, f"line {block.line}: which language is it?"
        if block.comment.startswith("not run:"):
            assert block.language in CODE, f"line {block.line}: it would not run anyway"
            assert len(block.comment.removeprefix("not run:").strip()) > 10, "say why"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    for place, heading in links_of(page):
        assert place.exists(), f"{place} does not exist"
        if heading:
            assert heading in headings_of(place), f"{place.name} has no heading #{heading}"


def test_every_page_is_reached_from_the_readme():
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += [place for place, _ in links_of(page) if place.suffix == ".md"]
    assert set(PAGES) <= reached, f"no way to {sorted(set(PAGES) - reached)}"


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def without_blocks(page: Path) -> str:
    """Return the text of a page without its blocks."""
    return re.sub(r"^\s*```.*?^\s*```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def links_of(page: Path) -> list[tuple[Path, str]]:
    """Return the files and headings of this repository to which a page links."""
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page)):
        if "://" not in target:
            place, _, heading = target.partition("#")
            found.append(((page.parent / place).resolve() if place else page, heading))
    return found


def headings_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
