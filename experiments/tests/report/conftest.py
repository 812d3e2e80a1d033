"""Summaries of invented runs."""

import numpy as np
import pytest

from sgtrees_experiments.datasets import Task
from sgtrees_experiments.execution.plan import Choice, make_plan
from sgtrees_experiments.execution.results import Results
from sgtrees_experiments.learners.runs import BagRun, StreamRun, curve_ends
from sgtrees_experiments.report.summaries import summarise

FILES = ["covtype", "kdd99_10pct", "higgs_16k", "airline_nyc_2013"]
FILES += ["mil_atoms", "mil_bonds", "mil_chains"]
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
    # The files are not opened; they only have to exist.
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
