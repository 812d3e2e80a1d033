import pytest

from experiments.tests.generated_data import write_all
from sgtrees_experiments.datasets import Status
from sgtrees_experiments.execution.plan import Choice, make_plan


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_all(tmp_path_factory.mktemp("data"))


pytestmark = pytest.mark.usefixtures("cache")


def test_without_a_choice_everything_that_is_here_is_run(data):
    plan = make_plan(Choice(data=data))
    assert [f.version.name for f in plan.found] == ["higgs_16k", "aws_2016", "atoms", "musk1"]
    assert [f.version.status for f in plan.found][:2] == [Status.PART, Status.STAND_IN]
    assert len(plan.absent) == 16
    assert plan.problems == []
    of = {(s.found.version.name, s.learner.name): s for s in plan.series}
    assert {name for version, name in of if version == "higgs_16k"} == {
        "sgt", "sgt-paper", "vfdt", "vfdt-nba", "efdt", "moa-sgt", "river-sgt", "lightgbm",
    }  # fmt: skip
    assert {name for version, name in of if version == "aws_2016"} == {
        "sgt-mae", "sgt-squared", "sgt-paper-squared",
        "fimtdd", "orto", "moa-sgt", "river-sgt", "lightgbm",
    }  # fmt: skip
    assert {name for version, name in of if version == "atoms"} == {"sgt-bags", "qddi", "miti"}
    assert of["higgs_16k", "sgt"].seeds == tuple(range(10))
    assert of["higgs_16k", "river-sgt"].seeds == (0,)
    assert of["aws_2016", "river-sgt"].rows == 20_000
    assert of["aws_2016", "fimtdd"].rows == 426_745


def test_a_choice_bounds_data_learners_runs_and_rows(data):
    choice = Choice(("higgs", "musk1"), ("sgt", "miti"), runs=3, rows=500, data=data)
    plan = make_plan(choice)
    assert [(s.found.version.name, s.learner.name, s.rows, s.seeds) for s in plan.series] == [
        ("higgs_16k", "sgt", 500, (0, 1, 2)),
        ("musk1", "miti", 0, (0, 1, 2)),
    ]
    assert plan.absent == []


def test_versions_may_be_named_too(data):
    plan = make_plan(Choice(("aws_2016",), ("fimtdd",), data=data))
    assert [s.found.version.name for s in plan.series] == ["aws_2016"]


def test_unknown_names_are_problems_with_a_hint_and_the_rest_is_planned(data):
    plan = make_plan(Choice(("higs", "musk1", "xyz"), ("mitti", "miti"), data=data))
    assert plan.problems[0] == "there is no data set 'higs'; did you mean 'higgs'?"
    assert plan.problems[1].startswith("there is no data set 'xyz'; there are higgs, hepmass, ")
    assert plan.problems[2] == "there is no learner 'mitti'; did you mean 'miti'?"
    assert [(s.found.version.name, s.learner.name) for s in plan.series] == [("musk1", "miti")]


def test_nothing_here_means_all_absent(tmp_path):
    plan = make_plan(Choice(data=tmp_path))
    assert len(plan.absent) == 20
    assert plan.series == []


def test_keys_of_a_series_differ_by_seed_only(data):
    (series,) = make_plan(Choice(("musk1",), ("miti",), runs=2, data=data)).series
    first, second = series.keys
    assert (first.seed, second.seed) == (0, 1)
    assert vars(first) | {"seed": 1} == vars(second)
