"""The report in a real browser: it opens without an error, fetches nothing, and its tree opens."""

import html
import json
import re
import shutil
import subprocess

import pytest

from sgtrees import (
    SGTBoostingRegressor,
    SGTClassifier,
    SGTForestRegressor,
    SGTRegressor,
)
from sgtrees.evaluation import MajorityClass, MeanSoFar, Prequential
from sgtrees.report import Observations, Page, write_report
from sgtrees.streams import FlightDelays, Friedman, RandomRbf

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page with")

# Runs in the page: notes what goes wrong, clicks where a person would, and leaves what it saw.
BEFORE = """<script>
window.wrong = [];
window.addEventListener("error", (event) => window.wrong.push(String(event.message)));
console.error = (...words) => window.wrong.push(words.join(" "));
</script>"""
AFTER = """<script>
window.addEventListener("load", () => setTimeout(() => {
  const summaries = () => [...document.querySelectorAll("#tree summary")];
  const lines = () => document.querySelectorAll("#tree summary, #tree .leaf").length;
  const seen = { before: lines(), wrong: window.wrong };
  const closed = summaries().find((summary) => !summary.parentElement.open);
  if (closed) closed.click();
  setTimeout(() => {
    seen.after = lines();
    seen.root = document.querySelector("#tree .condition")?.textContent ?? null;
    seen.fetched = performance.getEntriesByType("resource").length;
    seen.width = document.documentElement.scrollWidth;
    seen.room = document.documentElement.clientWidth;
    const titles = [...document.querySelectorAll("section:not([hidden]) > h2")];
    seen.shown = titles.map((title) => title.textContent);
    seen.note = document.getElementById("tree-note").textContent;
    seen.lines = document.querySelectorAll("#curve svg path").length;
    seen.dots = document.querySelectorAll("#check svg circle").length;
    seen.cells = document.querySelectorAll("#confusion td").length;
    seen.trees = document.querySelectorAll("#tree-choice option").length;
    seen.paper = getComputedStyle(document.body).backgroundColor;
    const left = document.createElement("pre");
    left.id = "seen";
    left.textContent = JSON.stringify(seen);
    document.body.append(left);
  }, 100);
}, 100));
</script>"""


def look(page, tmp_path, *, width=1000, dark=False):
    """Open a page, and return what its visitor saw."""
    visited = tmp_path / "visited.html"
    text = page.read_text(encoding="utf-8")
    text = text.replace("<head>", "<head>" + BEFORE).replace("</body>", AFTER + "</body>")
    visited.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},900",
            *(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []),
            "--virtual-time-budget=5000", "--dump-dom", visited.as_uri(),
        ],
        capture_output=True, check=False, text=True, timeout=120,
    )  # fmt: skip
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr[-2000:]
    return json.loads(html.unescape(found[1]))


def report(tmp_path, stream, model, baseline, target, *, every=None):
    evaluation = Prequential(stream, {"tree": model, "baseline": baseline}, every=every)
    seen = Observations(evaluation.task, "tree")
    evaluation.callbacks.append(seen)
    for _ in evaluation.run():
        pass
    page = Page(
        evaluation.result(), model, target, ["</script><b>.csv"], 1.0, 3, seen, "sgtrees & <co>"
    )
    return write_report(page, tmp_path / "report.html")


@pytest.fixture
def flights(tmp_path):
    stream = FlightDelays()
    model = SGTClassifier(categorical_features=stream.nominal)
    return report(tmp_path, stream.head(30_000), model, MajorityClass(), "late & <b>true</b>")


@pytest.mark.parametrize(("width", "dark"), [(1000, False), (1000, True), (500, False)])
def test_a_classifiers_page_opens_and_its_tree_too(flights, tmp_path, width, dark):
    seen = look(flights, tmp_path, width=width, dark=dark)
    assert seen["wrong"] == []
    assert seen["fetched"] == 0
    assert seen["root"].startswith("all rows → ")
    assert seen["after"] > seen["before"] > 1
    assert seen["width"] <= seen["room"]
    assert seen["lines"] >= 3  # tree, baseline, and the best possible
    assert seen["cells"] == 4
    assert seen["paper"] == ("rgb(18, 22, 28)" if dark else "rgb(255, 255, 255)")
    assert "Calibration" in seen["shown"]


def test_names_and_labels_cannot_break_out_of_the_page(flights):
    text = flights.read_text(encoding="utf-8")
    assert "<b>true</b>" not in text
    assert "</script><b>" not in text
    assert text.count("</script>") == 2


def test_the_page_needs_nothing_from_elsewhere(flights):
    text = flights.read_text(encoding="utf-8")
    # The one address is the name of SVG's elements, which is not fetched.
    assert set(re.findall(r"https?://[^\s\"'<>]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(?:link|img|iframe)\b|\bsrc=|@import|url\(", text)


def test_a_regressors_page_shows_what_was_predicted_and_true(tmp_path):
    model = SGTRegressor()
    seen = look(report(tmp_path, Friedman().head(8000), model, MeanSoFar(), "y"), tmp_path)
    assert seen["wrong"] == []
    assert "Predicted and true values" in seen["shown"]
    assert seen["dots"] > 1000
    assert "Confusion matrix" not in seen["shown"]


def test_a_committee_has_a_choice_of_trees(tmp_path):
    stream = RandomRbf(n_classes=4).head(10_000)
    seen = look(report(tmp_path, stream, SGTClassifier(), MajorityClass(), "class"), tmp_path)
    assert seen["wrong"] == []
    assert (seen["trees"], seen["cells"]) == (3, 16)


def test_a_page_of_very_few_rows_opens_too(tmp_path):
    model = SGTRegressor()
    page = report(tmp_path, Friedman().head(20), model, MeanSoFar(), "y", every=50)
    seen = look(page, tmp_path)
    assert seen["wrong"] == []
    assert "no tree yet" in seen["note"]


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (SGTRegressor(), "Stochastic gradient tree"),
        (SGTBoostingRegressor(n_estimators=4), "Boosting of 4 stochastic gradient trees"),
        (SGTForestRegressor(n_estimators=3), "Forest of 3 stochastic gradient trees"),
    ],
)
def test_a_page_says_which_kind_of_model_it_is_of(tmp_path, model, kind):
    page = report(tmp_path, Friedman().head(3000), model, MeanSoFar(), "y")
    assert f"{kind}, 3,000 rows" in page.read_text(encoding="utf-8")
