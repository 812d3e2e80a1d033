"""Laws of everything that is written: names, labels and categories are data, never code or markup.

A text is compared with that of the same model under harmless names. But for the literals that hold
the names, in the language's own quotes, the two are the same.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

from sgtrees.cli import main
from sgtrees.evaluation import prequential
from sgtrees.evaluation.baselines import MajorityClass
from sgtrees.export import c_header, to_c, to_onnx, to_python
from sgtrees.inspection import describe, to_dot, to_json, to_svg, to_text, view_model
from sgtrees.inspection.characters import shown
from sgtrees.report.page import Page, write_report
from sgtrees.streams.block import Column
from sgtrees.streams.memory import BlockStream
from tests.conformance.exports.comparison import assert_equal
from tests.property.hostile import TASKS, Words, learned, rows, words
from tests.property.strategies import quick, thorough

tasks = st.sampled_from(TASKS)
# What displays obey, and what XML and UTF-8 do not allow.
ACTING = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff\ufffe\uffff]"
)


def digits_of(task: str) -> float:
    """How far sums of linear terms, which are added in another order, may be apart."""
    return 1e-12 if task == "linear" else 0.0


def displayable(text: str) -> bool:
    return ACTING.search(text) is None


# ---- Python -------------------------------------------------------------------------------------


def structure(source: str) -> str:
    """The syntax tree, without the values of the strings in it."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


def check_python(of: Words, task: str) -> None:
    model = learned(of, task)
    source = to_python(model)
    source.encode()
    assert structure(source) == structure(to_python(learned(of.twin(), task)))
    assert ast.get_docstring(ast.parse(source)) == ast.get_docstring(
        ast.parse(to_python(learned(of.twin(), task)))
    )
    assert_equal("python", model, rows(of), Path(), digits=digits_of(task))


@quick(60)
@given(of=words, task=tasks)
def test_python_source_has_names_in_literals_only(of: Words, task: str) -> None:
    check_python(of, task)


# ---- C ------------------------------------------------------------------------------------------

C_STRING = re.compile(r'"(?:[^"\\\n]|\\[0-7]{3})*"')


def fits_other_languages(texts: tuple[str, ...]) -> bool:
    return not any("\0" in text or re.search("[\ud800-\udfff]", text) for text in texts)


def strings_in_c(of: Words, task: str) -> tuple[str, ...]:
    labels = () if task in ("targets", "linear") else of.labels
    return of.categories + (labels[:2] if task in ("focal", "bags") else labels)


def check_c(of: Words, task: str) -> str | None:
    model = learned(of, task)
    if not fits_other_languages(strings_in_c(of, task)):
        with pytest.raises(ValueError, match=r"contains (a NUL|half a character).*; rename it"):
            to_c(model)
        return None
    source, twin = to_c(model), to_c(learned(of.twin(), task))
    assert c_header(model) == c_header(learned(of.twin(), task))
    assert C_STRING.sub('""', source) == C_STRING.sub('""', twin)
    assert "??" not in source
    return source


@quick(60)
@given(of=words, task=tasks)
def test_c_source_has_names_in_literals_only(of: Words, task: str) -> None:
    check_c(of, task)


@quick(6)
@given(of=words, task=tasks)
def test_compiled_c_tells_all_names_apart(of: Words, task: str) -> None:
    if check_c(of, task) is not None:
        with TemporaryDirectory() as folder:
            assert_equal("c", learned(of, task), rows(of), Path(folder), digits_of(task))


# ---- ONNX ---------------------------------------------------------------------------------------


@quick(25)
@given(of=words, task=tasks)
def test_a_graph_has_names_as_names(of: Words, task: str) -> None:
    # The runner of the tests takes this one for the block of all features.
    assume("X" not in of.features)
    model = learned(of, task)
    outputs = ("label", "labels", "prediction", "probabilities", "probability", "raw")
    taken = any(name in outputs or name.startswith("sgtrees/") for name in of.features)
    if taken or not fits_other_languages(strings_in_c(of, task) + of.features):
        with pytest.raises(ValueError, match="rename it"):
            to_onnx(model)
        return
    with TemporaryDirectory() as folder:
        assert_equal("onnx", model, rows(of), Path(folder), digits_of(task))


# ---- pictures and text --------------------------------------------------------------------------

DOT_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@quick(60)
@given(of=words, task=tasks)
def test_a_dot_graph_has_names_in_quotes_only(of: Words, task: str) -> None:
    dot, twin = to_dot(learned(of, task)), to_dot(learned(of.twin(), task))
    assert DOT_STRING.sub('""', dot) == DOT_STRING.sub('""', twin)
    assert displayable(dot)
    # Entities of HTML would be read as other characters.
    assert not re.search("&(?!amp;)", dot)


@quick(60)
@given(of=words, task=tasks)
def test_an_svg_has_names_as_text(of: Words, task: str) -> None:
    svg, twin = (ET.fromstring(to_svg(learned(w, task)).encode()) for w in (of, of.twin()))
    assert [node.tag for node in svg.iter()] == [node.tag for node in twin.iter()]
    attributes = [sorted(node.attrib) for node in svg.iter()]
    assert attributes == [sorted(node.attrib) for node in twin.iter()]
    assert shown(of.categories[0]) in "".join(svg.itertext())


@quick(60)
@given(of=words, task=tasks)
def test_text_has_as_many_lines_whatever_the_names(of: Words, task: str) -> None:
    model, twin = learned(of, task), learned(of.twin(), task)
    for form in ("summary", "tree", "rules"):
        text = describe(model, form)
        assert displayable(text)
        assert len(text.splitlines()) == len(describe(twin, form).splitlines())
    assert to_text(model).count("|---") >= to_text(twin).count("|---")


@quick(60)
@given(of=words, task=tasks)
def test_json_has_the_names_themselves(of: Words, task: str) -> None:
    document = json.loads(to_json(learned(of, task)).encode())
    assert [feature["name"] for feature in document["features"]] == list(of.features)


@pytest.mark.filterwarnings("ignore:Glyph")
@quick(4)
@given(of=words, task=tasks)
def test_a_plot_has_names_as_text(of: Words, task: str) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure  # noqa: PLC0415

    from sgtrees.inspection import plot_tree  # noqa: PLC0415

    figure = Figure()
    with warnings.catch_warnings():
        # A font need not have all characters.
        warnings.simplefilter("ignore", UserWarning)
        plot_tree(view_model(learned(of, task)), ax=figure.subplots())
        figure.savefig(BytesIO(), format="svg")


# ---- the command --------------------------------------------------------------------------------


@quick(25)
@given(of=words, task=st.sampled_from([task for task in TASKS if task != "bags"]))
def test_the_command_shows_names_as_text(of: Words, task: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "model")
        learned(of, task).save(path)
        done = CliRunner(env={"COLUMNS": "500"}).invoke(main, ["inspect", str(path)])
    assert done.exit_code == 0, done.output
    assert displayable(done.stdout)
    assert shown(of.categories[0]).strip() in done.stdout


# ---- the report ---------------------------------------------------------------------------------


class Elements(HTMLParser):
    """The elements of a page with their attributes' names, and the text of the data."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []
        self.data = ""
        self._is_data = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append((tag, [name for name, _ in attrs]))
        self._is_data = dict(attrs).get("id") == "data"

    def handle_endtag(self, tag: str) -> None:
        self._is_data = False

    def handle_data(self, data: str) -> None:
        self.data += data if self._is_data else ""


def report(of: Words) -> str:
    model = learned(of, "softmax")
    X = rows(of)
    y = np.array([of.labels[number % 3] for number in range(len(X))], dtype=object)
    columns = [Column(name, place == 1) for place, name in enumerate(of.features)]
    stream = BlockStream([(X, y)], columns, Column(of.features[2], nominal=True))
    result = prequential(stream, {of.features[0]: model, "majority": MajorityClass()})
    page = Page(result, model, target=of.features[2], sources=[of.labels[0]], command=of.labels[1])
    with TemporaryDirectory() as folder:
        return write_report(page, Path(folder, "page.html")).read_text(encoding="utf-8")


@quick(10)
@given(of=words)
def test_a_report_has_names_as_text_and_in_its_data(of: Words) -> None:
    page, twin = Elements(report(of)), Elements(report(of.twin()))
    assert page.found == twin.found
    data = json.loads(page.data)
    assert data["target"] == of.features[2]
    assert sorted(data["labels"]) == sorted(of.labels)


# ---- long ---------------------------------------------------------------------------------------


@pytest.mark.long
@thorough(2000)
@given(of=words, task=tasks)
def test_many_names_stay_names_everywhere(of: Words, task: str) -> None:
    check_python(of, task)
    check_c(of, task)
    test_an_svg_has_names_as_text.hypothesis.inner_test(of, task)
    test_a_dot_graph_has_names_in_quotes_only.hypothesis.inner_test(of, task)
    test_text_has_as_many_lines_whatever_the_names.hypothesis.inner_test(of, task)
