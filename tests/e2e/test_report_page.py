"""The report in a real browser: it opens without an error, fetches nothing, and its tree opens."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from sgtrees import (
    SGTBoostingRegressor,
    SGTClassifier,
    SGTForestRegressor,
    SGTRegressor,
    load,
)
from sgtrees.cli import main
from sgtrees.evaluation import MajorityClass, MeanSoFar, Prequential
from sgtrees.report import Observations, Page, write_report
from sgtrees.streams import Agrawal, Drift, FlightDelays, Friedman, RandomRbf, open_stream

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
    const boxes = () => document.querySelectorAll("#diagram [role=treeitem]").length;
    const press = (key) => document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true }));
    const texts = (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent);
    seen.boxes = boxes();
    const last = [...document.querySelectorAll("#diagram [aria-expanded=false]")].pop();
    if (last) {
      last.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      seen.clicked = boxes();
      press("ArrowLeft");
      seen.folded = boxes();
      press("Home");
      seen.home = document.activeElement.textContent;
      const search = document.getElementById("search");
      search.value = texts("#tree .condition")[0].split("→ ").pop().replace("?", "");
      search.dispatchEvent(new Event("input"));
      seen.found = document.getElementById("found").textContent;
      seen.hits = document.querySelectorAll("#diagram .hit").length;
    }
    seen.verdict = document.getElementById("verdict")?.textContent ?? null;
    seen.dashed = document.querySelectorAll("#curve svg path.total").length;
    seen.unnamed = document.querySelectorAll("svg[role=img]:not([aria-label])").length;
    seen.changed = texts(".changed th");
    seen.metrics = texts("[aria-label=Metrics] th[scope=row]");
    seen.moments = texts(".events td:nth-child(2)");
    seen.names = texts("#curve .legend span");
    seen.strokes = new Set([...document.querySelectorAll("#curve path.window")]
      .map((line) => getComputedStyle(line).stroke)).size;
    seen.anew = [...document.querySelectorAll("#members .anew title")].map((e) => e.textContent);
    seen.members = document.getElementById("members").textContent;
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
    assert seen["cells"] == 6  # two labels, and their rows
    assert seen["paper"] == ("rgb(18, 22, 28)" if dark else "rgb(255, 255, 255)")
    assert "Calibration" in seen["shown"]
    assert seen["verdict"].startswith("The model beats every baseline. Error ")
    assert seen["unnamed"] == 0
    assert seen["dashed"] == 2
    assert {"area under the ROC curve", "F1, mean of the classes"} <= set(seen["metrics"])


def test_the_diagram_unfolds_by_mouse_and_keyboard_and_is_searched(flights, tmp_path):
    seen = look(flights, tmp_path)
    assert seen["clicked"] > seen["boxes"] == seen["folded"] > 1
    assert seen["home"].startswith("all rows")
    assert seen["hits"] >= 1
    assert seen["found"].endswith(" found")
    assert not seen["found"].startswith("0")


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
    assert (seen["trees"], seen["cells"]) == (3, 20)


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


def test_a_model_worse_than_a_baseline_is_called_so(tmp_path):
    rows = [{"x": float(n % 7), "y": "a" if n % 50 else "b"} for n in range(3000)]
    page = report(tmp_path, open_stream(rows, target="y"), Wrong(), MajorityClass(), "y")
    seen = look(page, tmp_path)
    assert seen["wrong"] == []
    assert seen["verdict"].startswith("The model is no better than any baseline. Error ")


class Wrong(SGTClassifier):
    """Learns as it should, and predicts the other label."""

    def learn_predict(self, X, y, sample_weight=None, method="predict"):
        predicted = super().learn_predict(X, y, sample_weight, method)
        return predicted if method != "predict" else np.where(predicted == "a", "b", "a")


def test_moments_of_change_and_changed_settings_are_marked(tmp_path):
    stream = Drift(Agrawal(1), Agrawal(5, seed=1), at=10_000).head(20_000)
    seen = look(report(tmp_path, stream, SGTClassifier(delta=0.06), MajorityClass(), "y"), tmp_path)
    assert {"errors rose", "trees replaced"} & set(seen["moments"])
    assert seen["changed"] == ["delta"]


def test_a_forests_page_has_a_single_tree_and_the_members_that_were_replaced(tmp_path):
    rows = Drift(Agrawal(1), Agrawal(5, seed=1), at=4000).take(8000)
    pd.DataFrame(rows.X).assign(y=rows.y).to_csv(tmp_path / "rows.csv", index=False)
    files = ["--model", str(tmp_path / "m.sgt"), "--report", str(tmp_path / "report.html")]
    forest = ["--method", "forest", "--n-estimators", "3"]
    arguments = ["train", str(tmp_path / "rows.csv"), "--target", "y", *forest, *files, "--quiet"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    seen = look(tmp_path / "report.html", tmp_path, width=500, dark=True)
    assert seen["wrong"] == []
    assert seen["width"] <= seen["room"]
    assert seen["names"][:4] == ["forest", "single tree", "majority class", "last label"]
    assert seen["strokes"] == 4
    replaced = [event for event in load(tmp_path / "m.sgt").drifts_ if event.kind == "replaced"]
    assert [f"row {e.row:,}: member {e.member + 1} replaced; {e.why}" for e in replaced] == (
        seen["anew"]
    )
    assert len(replaced) > 1
    assert f"of 3 members replaced, {len(replaced)} times in all" in seen["members"]
    assert f"member {replaced[0].member + 1} replaced" in seen["moments"]


def test_members_of_boosting_are_marked_where_they_began_anew(tmp_path):
    X, y = noise_after_a_rule(6000)
    rows = [{"a": a, "b": b, "y": target} for (a, b), target in zip(X.tolist(), y, strict=True)]
    model = SGTBoostingRegressor(n_estimators=4, learning_rate=1.0, random_state=0)
    page = report(tmp_path, open_stream(rows, target="y"), model, MeanSoFar(), "y")
    seen = look(page, tmp_path)
    assert seen["wrong"] == []
    assert len(seen["anew"]) == len(model.drifts_) > 0
    assert all("begun anew" in words for words in seen["anew"])


def noise_after_a_rule(n_rows):
    random = np.random.default_rng(0)
    X = random.random((n_rows, 2))
    y = np.where(np.arange(n_rows) < n_rows // 2, 5.0 * (X[:, 0] > 0.5), 0.0)
    return X, (y + random.normal(size=n_rows)).tolist()


def test_new_bins_are_among_the_moments(tmp_path):
    X = np.random.default_rng(0).random((4000, 1))
    X[1000:] *= 1000
    rows = [{"x": x, "y": float(np.sin(x))} for x in X[:, 0]]
    stream = open_stream(rows, target="y")
    seen = look(report(tmp_path, stream, SGTRegressor(), MeanSoFar(), "y"), tmp_path)
    assert "new bins" in seen["moments"]
