from sgtrees_experiments.datasets import Task
from sgtrees_experiments.learners.catalogue import LEARNERS, Engine, Role


def test_every_learner_of_the_paper_is_there():
    published = {name for name, one in LEARNERS.items() if one.role is Role.PUBLISHED}
    assert published == {
        "sgt", "vfdt", "efdt", "sgt-squared", "fimtdd", "orto", "sgt-bags", "qddi", "miti",
    }  # fmt: skip


def test_river_takes_two_classes_at_most_and_ablations_their_data_only():
    river, ablation = LEARNERS["river-sgt"], LEARNERS["as-printed"]
    assert river.takes(Task.CLASSIFICATION, "higgs", 2)
    assert not river.takes(Task.CLASSIFICATION, "covtype", 7)
    assert river.takes(Task.REGRESSION, "aws", 0)
    assert ablation.takes(Task.CLASSIFICATION, "covtype", 7)
    assert not ablation.takes(Task.CLASSIFICATION, "higgs", 2)


def test_names_on_the_command_line_are_unique():
    assert all(name == learner.name for name, learner in LEARNERS.items())
    assert {one.engine for one in LEARNERS.values()} == set(Engine)
