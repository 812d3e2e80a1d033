"""The tables, checks and pages, made of runs that nobody ran."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from sgtrees_experiments.datasets import Task
from sgtrees_experiments.execution.plan import Choice, make_plan
from sgtrees_experiments.execution.results import Key, Results
from sgtrees_experiments.learners.runs import BagRun, StreamRun, curve_ends
from sgtrees_experiments.report.ablation_table import ablation_table
from sgtrees_experiments.report.bag_tables import bag_figures, bag_table
from sgtrees_experiments.report.checks import checks
from sgtrees_experiments.report.data_table import data_table
from sgtrees_experiments.report.document import all_tables, sections
from sgtrees_experiments.report.figures import figure_of
from sgtrees_experiments.report.html_page import html_page
from sgtrees_experiments.report.json_record import as_json
from sgtrees_experiments.report.markdown_page import write_markdown
from sgtrees_experiments.report.published import BAG_FIGURES, STREAM_FIGURES
from sgtrees_experiments.report.rendering import as_latex, as_markdown, latex_document
from sgtrees_experiments.report.stream_tables import short_table, stream_tables
from sgtrees_experiments.report.summaries import summarise
from sgtrees_experiments.report.tables import Cell, Table

BAG_NAMES = ("atoms", "bonds", "chains")
FILES = ["covtype", "kdd99_10pct", "higgs_16k", "airline_nyc_2013"]
FILES += [f"mil_{name}" for name in BAG_NAMES]
# Mean losses of the made-up runs, by version and learner.
LOSSES = {
    ("covtype", "sgt"): 0.25,
    ("covtype", "sgt-tuned"): 0.21,
    ("covtype", "vfdt"): 0.325,
    ("covtype", "efdt"): 0.27,
    ("covtype", "moa-sgt"): 0.26,
    ("covtype", "as-printed"): 0.36,
    ("covtype", "as-programmed"): 0.27,
    ("covtype", "lightgbm"): 0.10,
    ("higgs_16k", "sgt"): 0.39,
    ("higgs_16k", "river-sgt"): 0.48,
    ("airline_nyc", "sgt-mae"): 24.5,
    ("airline_nyc", "sgt-squared"): 27.0,
    ("airline_nyc", "fimtdd"): 26.0,
    ("kdd99_10pct", "sgt-tuned"): 0.0028,
}
ACCURACIES = {"sgt-bags": 0.75, "qddi": 0.70, "miti": 0.85}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results(tmp_path_factory.mktemp("results") / "runs.jsonl")


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    # Nobody opens the files: it is enough that they are there.
    folder = tmp_path_factory.mktemp("data")
    for name in FILES:
        (folder / f"{name}.parquet").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SGTREES_CACHE", str(folder / "cache"))
        return make_plan(Choice(runs=3, data=folder))


@pytest.fixture(scope="module")
def summaries(plan, results):
    rng = np.random.default_rng(0)
    for series in plan.series:
        for key in series.keys:
            if series.task is Task.BAGS:
                mean = ACCURACIES[series.learner.name]
                results.of[key] = BagRun(1.0, (mean + 0.03 * rng.normal(size=10)).tolist())
                continue
            mean = LOSSES.get((series.found.version.name, series.learner.name))
            if mean is None:
                continue
            ends = (
                [series.rows // 10]
                if series.learner.name == "lightgbm"
                else curve_ends(series.rows)
            )
            slow = 2.0 if series.learner.engine.value == "sgtrees" else 5.0
            losses = [mean * end * (1.0 + 0.01 * key.seed) for end in ends]
            results.of[key] = StreamRun(slow, 100 + key.seed, ends, losses)
    return summarise(plan, results, ["ORTO on aws: no Java here"])


def texts(table):
    return [[cell.text for cell in row] for row in table.rows]


def column(table, heading):
    place = table.heading.index(heading)
    return {row[0].text: row[place] for row in table.rows}


def test_data_that_is_here_and_data_that_is_not_are_told(plan):
    table = data_table(plan)
    rows = {(row[0], row[2]): row for row in texts(table)}
    assert rows["Covertype", "covtype"][3] == "whole"
    assert rows["Covertype", "covtype"][1] == "581,012 x 55, 7 classes"
    assert rows["Covertype", "covtype"][4] == "581,012 x 54, 7 classes"
    assert rows["Airline", "airline_nyc"][3] == "stand-in"
    assert rows["Zurich", "-"][3] == "absent"
    assert "Kaggle" in rows["Zurich", "-"][5]


def test_errors_stand_beside_the_published_ones_with_the_best_in_bold(summaries):
    loss, nodes, seconds = stream_tables(summaries, Task.CLASSIFICATION)
    errors = column(loss, "covtype")
    assert errors["SGT"].text == "25.25 ± 0.25"
    assert errors["SGT, tuned"].best
    # LightGBM has all rows at once: it is shown, but it does not compete.
    assert not errors["LightGBM"].best
    published = dict(
        zip((row[0].text for row in loss.rows), column_after(loss, "covtype"), strict=True)
    )
    assert published["SGT"] == Cell("26.94", aside=True)
    assert published["SGT, tuned"].text == ""
    assert column(nodes, "covtype")["VFDT"].text == "101.0"
    assert column(seconds, "covtype")["EFDT"].text == "5.00"
    assert "kdd99_10pct (part)" in loss.heading
    assert column(loss, "kdd99_10pct (part)")["SGT, tuned"].text == "0.283 ± 0.003"
    assert column(loss, "kdd99_10pct (part)")["SGT"].text == "-"


def column_after(table, heading):
    place = table.heading.index(heading) + 1
    return [row[place] for row in table.rows]


def test_ablations_have_a_table_of_their_own(summaries):
    (loss, *_) = stream_tables(summaries, Task.CLASSIFICATION)
    assert not any("printed" in row[0].text for row in loss.rows)
    table = ablation_table(summaries)
    errors = [row[1].text for row in table.rows]
    assert errors == ["36.36 ± 0.36", "27.27 ± 0.27", "-", "-", "25.25 ± 0.25", "26.94"]


def test_slow_learners_are_compared_on_the_same_rows(summaries):
    table = short_table(summaries)
    (row,) = texts(table)
    assert row[:3] == ["higgs_16k", "15,983", "48.000"]
    assert row[4] == "SGT: 39.000"


def test_accuracies_have_ranks_marks_and_averages(summaries):
    table = bag_table(summaries)
    sgt, qddi, miti = (column(table, title) for title in ("SGT", "QDDI", "MITI"))
    for name in BAG_NAMES:
        assert re.fullmatch(r"8\d\.\d\d ± \d\.\d\d \(1\) ∘", miti[name].text)
        assert re.fullmatch(r"7\d\.\d\d ± \d\.\d\d \(2\)", sgt[name].text)
        assert re.fullmatch(r"\d\d\.\d\d ± \d\.\d\d \(3\) •", qddi[name].text)
        assert miti[name].best
    assert miti["average rank"].text == "1.00"
    assert abs(float(sgt["average"].text) - 75.0) < 1.0
    assert column_after(table, "MITI")[0].text == "84.06 (1) ∘"
    assert float(column_after(table, "SGT")[-2].text) == pytest.approx(76.98, abs=0.01)


def test_a_set_of_bags_that_a_learner_lacks_is_left_out(plan, results, summaries):
    fewer = Results(results.path)
    fewer.of = {
        key: run for key, run in results.of.items() if (key.data, key.learner) != ("bonds", "miti")
    }
    assert list(bag_figures(summarise(plan, fewer))) == ["atoms", "chains"]


def test_checks_tell_what_holds_and_what_does_not(summaries):
    found = {check.claim: check for check in checks(summaries)}
    below_paper = found["covtype: error of SGT below the paper's SGT (26.94 %)"]
    assert below_paper.holds
    assert below_paper.measured == "25.25"
    assert found["covtype: error of SGT below that of MOA's SGT"].holds
    assert found["kdd99_10pct: error of SGT, tuned at most (0.4 %)"].holds
    assert found["airline_nyc: MAE of SGT, absolute error below that of FIMT-DD"].holds
    assert found["covtype: run time of SGT below that of every learner of MOA"].holds
    assert found["3 multi-instance sets: MITI within 4 points of the paper's (84.80)"].holds
    assert not found[
        "3 multi-instance sets: average accuracy of SGT at least the paper's (76.98)"
    ].holds
    # Nothing is claimed of what was not run.
    assert not any("aws" in claim or "EFDT on kdd" in claim for claim in found)


def test_the_published_figures_are_complete():
    assert len(STREAM_FIGURES) == 24
    assert len(BAG_FIGURES) == 36
    nine = [name for name, _ in BAG_FIGURES if name not in ("component", "function", "process")]
    for learner, mean in (("sgt-bags", 75.65), ("qddi", 74.39), ("miti", 78.33)):
        accuracies = [BAG_FIGURES[name, learner].accuracy for name in dict.fromkeys(nine)]
        assert np.mean(accuracies) == pytest.approx(mean, abs=0.006)
    # The average ranks that table 4 prints.
    for learner, mean in (("sgt-bags", 1.83), ("qddi", 2.42), ("miti", 1.75)):
        ranks = [figures.rank for (_, name), figures in BAG_FIGURES.items() if name == learner]
        assert np.mean(ranks) == pytest.approx(mean, abs=0.005)


# ---- formats -------------------------------------------------------------------------------------

TABLE = Table(
    "t",
    "50 % of it",
    ["", "a_b", "c"],
    [[Cell("x & y"), Cell("1.0 ± 0.1", best=True), Cell("2|3", aside=True)]],
    ["a note"],
)


def test_markdown():
    assert as_markdown(TABLE).splitlines() == [
        "|  | a_b | c |",
        "| --- | ---: | ---: |",
        r"| x & y | **1.0 ± 0.1** | *2\|3* |",
    ]


def test_latex_escapes_what_it_must():
    text = as_latex(TABLE)
    assert r"\caption{50 \% of it. a note}" in text
    assert r"x \& y & \textbf{1.0 $\pm$ 0.1} & \textit{2|3} \\" in text
    assert r"a\_b" in text
    document = latex_document([TABLE])
    assert document.count(r"\begin{table}") == document.count(r"\end{table}") == 1


class Counter(HTMLParser):
    """Counts tags, and remembers those that were not closed."""

    VOID = ("meta", "br", "path", "use", "image")

    def __init__(self):
        super().__init__()
        self.count, self.open = {}, []

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_is_one_file_with_all_tables_and_figures(summaries):
    parts = sections(summaries, {"date": "today <b>"})
    page = html_page(parts)
    counter = Counter()
    counter.feed(page)
    assert counter.open == []
    assert counter.count["svg"] == sum(len(part.figures) for part in parts) == 4
    assert counter.count["table"] == len(all_tables(parts))
    assert "today &lt;b&gt;" in page
    assert not re.search(r'(src|href)="https?://', page)
    assert "<strong>Lambda.</strong>" in page
    titles = [part.title for part in parts]
    assert titles[0] == "What holds"
    assert "What could not be run" in titles
    assert "ORTO on aws: no Java here" in page


def test_the_markdown_page_has_its_figures_beside_it(summaries, tmp_path):
    write_markdown(sections(summaries, {"date": "today"}), tmp_path / "docs" / "paper.md")
    text = (tmp_path / "docs" / "paper.md").read_text()
    shown = re.findall(r"\((paper/\w+\.svg)\)", text)
    assert len(shown) == 4
    assert all((tmp_path / "docs" / path).read_text().startswith("<?xml") for path in shown)
    assert text.startswith("# The paper's experiments, reproduced\n")


def test_the_same_runs_give_the_same_pages(summaries, tmp_path):
    for name in ("a", "b"):
        write_markdown(sections(summaries, {}), tmp_path / name / "paper.md")
    one, other = (
        {p.name: p.read_bytes() for p in (tmp_path / name).rglob("*.*")} for name in ("a", "b")
    )
    assert one == other


def test_figures_name_every_learner_that_has_a_curve(summaries):
    (covtype,) = [f for f in summaries.found(Task.CLASSIFICATION) if f.version.name == "covtype"]
    axes = figure_of(summaries, covtype).axes[0]
    names = [label.get_text().split("  ")[1] for label in axes.texts]
    assert sorted(names) == ["EFDT", "MOA's SGT", "SGT", "SGT, tuned", "VFDT"]
    heights = sorted(label.xy[1] for label in axes.texts)
    assert min(np.diff(heights)) > 0.05


def test_json_holds_the_figures_and_the_curves(summaries):
    record = json.loads(as_json(summaries, {"date": "today"}))
    entries = {(e["data"], e["learner"]): e for e in record["streams"]}
    covtype = entries["covtype", "sgt"]
    assert covtype["loss"] == pytest.approx(25.25)
    assert covtype["runs"] == 3
    assert covtype["published"]["loss"] == 26.94
    assert covtype["curve"]["rows"][-1] == 581_012
    assert entries["covtype", "lightgbm"]["curve"] is None
    assert {e["learner"] for e in record["bags"]} == set(ACCURACIES)
    assert record["absent"]["zurich"].startswith("download")
    assert record["problems"] == ["ORTO on aws: no Java here"]


# ---- results that are kept -----------------------------------------------------------------------


def test_a_line_that_was_cut_off_is_passed_over_and_the_next_one_is_whole(tmp_path):
    path = tmp_path / "runs.jsonl"
    first = Key("a", "b", "{}", 0, 0)
    Results(path).add(first, BagRun(1.0, [0.5]))
    with path.open("a") as file:
        file.write('{"key": {"data": "a", "lear')
    again = Results(path)
    assert list(again.of) == [first]
    second = Key("a", "b", "{}", 0, 1)
    again.add(second, StreamRun(1.0, None, [5], [2.0]))
    assert list(Results(path).of) == [first, second]
    assert Results(path).of[second].loss == 0.4
