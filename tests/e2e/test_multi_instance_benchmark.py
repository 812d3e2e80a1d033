"""The benchmark of bags: its page, from results that are there, and its claim, on the real sets."""

import json

import pytest

from benchmarks.bags import boosting
from benchmarks.bags.command import main, tasks
from benchmarks.bags.paper import PAPER, average, published, too_far_behind
from benchmarks.bags.results import Results, Task, task
from sgtrees_experiments.absent import AbsentError


def results_file(path, changed_by):
    """Write results as good as the paper's SGT, changed by a function of the task."""
    lines = [
        vars(wanted) | {"accuracy": PAPER[wanted.dataset][0] + changed_by(wanted)}
        for wanted in tasks(range(200, 202), range(1))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def write_page(folder, changed_by):
    results, page = results_file(folder / "results.jsonl", changed_by), folder / "page.md"
    before = results.read_text()
    repetitions = ("--repetitions", "2", "--sweep-repetitions", "1")
    main([*repetitions, "--results", str(results), "--markdown", str(page)])
    assert results.read_text() == before
    return page.read_text()


def test_a_page_is_written_from_results_that_are_there_without_measuring(tmp_path, capsys):
    text = write_page(tmp_path, lambda _: 1.0)
    assert text == capsys.readouterr().out.removesuffix("\n")
    assert "| **average** | **75.65** | **74.39** | **78.33** | **76.65** | **76.65** |" in text
    assert "| +1.00, -1.68 | +1.00 (" in text
    assert text.count("| none |") == 2


def test_the_page_marks_a_set_that_is_too_far_behind(tmp_path):
    default_musk1 = task({}, "musk1", 200)

    def changed_by(wanted: Task) -> float:
        is_low = (wanted.dataset, wanted.parameters) == ("musk1", default_musk1.parameters)
        return -5.5 if is_low else 0.0

    text = write_page(tmp_path, changed_by)
    assert "-5.50 (musk1) | musk1 |" in text
    assert text.count("| none |") == 1


def test_the_section_about_boosting_is_written_alone_and_names_absent_sets(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.bags.boosting.is_there", lambda dataset: dataset != "fox")
    page, results = tmp_path / "page.md", tmp_path / "results.jsonl"
    page.write_text("# Bags\n\nbefore\n\n## Boosting\n\nstale\n\n## The sweep\n\nafter\n")
    lines = [
        vars(wanted) | {"accuracy": 80.0 + ("n_estimators" in wanted.parameters)}
        for wanted in boosting.tasks_of_boosting(boosting.sets_there())
    ]
    results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    main(["--only-boosting", "--results", str(results), "--markdown", str(page)])
    text = page.read_text()
    assert "before" in text
    assert "after" in text
    assert "stale" not in text
    assert "as their files were not there: fox." in text
    assert "| **80.00** | **81.00** | **81.00** |" in text
    assert "30 boosted trees: +1.00 points on average, more accurate on 8 of 8 sets" in text


def test_boosted_trees_are_measured_where_their_number_is_given():
    assert "learning_rate" in task({"n_estimators": 3}, "fox", 0).parameters
    assert "n_estimators" not in task({}, "fox", 0).parameters


def test_results_are_kept_as_they_come_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.bags.results.measure", len_of_name)
    wanted = [task({}, dataset, 0) for dataset in ("fox", "tiger")]
    results = Results(tmp_path / "new" / "results.jsonl")
    results.measure(wanted, jobs=1)
    assert Results(results.path).of == results.of == {wanted[0]: 3.0, wanted[1]: 5.0}


def len_of_name(wanted: Task) -> float:
    return float(len(wanted.dataset))


@pytest.mark.long
def test_the_defaults_do_as_well_as_the_paper_on_its_own_sets(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    repetitions = range(3)
    try:
        results.measure([task({}, d, seed) for d in PAPER for seed in repetitions], jobs=2)
    except AbsentError as error:
        pytest.skip(str(error))
    means = results.means({}, repetitions)
    assert average(means) >= average(published("SGT"))
    assert too_far_behind(means) == []
