from sgtrees_experiments.datasets import Shape, Status, Task
from sgtrees_experiments.datasets.dataset import PaperSet, Version


def test_versions_and_sets_are_values():
    version = Version("v", Status.PART, "a part", Shape(1, 2, 3), ())
    known = PaperSet("k", "K", Task.CLASSIFICATION, Shape(5, 2, 3), (version,), "ask")
    assert known.whole is version
    assert str(version.shape) == "1 x 2, 3 classes"
    assert str(Shape(1618, 10, 2, 188)) == "188 bags, 1,618 x 10"
