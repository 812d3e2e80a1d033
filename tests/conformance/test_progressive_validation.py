"""On a real stream, the same figures as river's own evaluation of our river model."""

import pytest
from river import evaluate, metrics

from sgtrees import SGTClassifier
from sgtrees.evaluation import prequential
from sgtrees.interop.river import SGTClassifier as RiverClassifier
from sgtrees.streams import open_stream
from tests.oracle import real_data


@pytest.fixture(scope="module")
def elec2():
    path = real_data.folder() / "elec2.parquet"
    if not path.exists():
        pytest.skip("elec2.parquet is not in ../shared/data, nor where SGTREES_DATA says")
    return open_stream(path, "target")


def test_prequential_figures_on_elec2_are_those_of_progressive_val_score(elec2):
    names = [column.name for column in elec2.columns]
    pairs = (
        (dict(zip(names, row, strict=True)), int(label))
        for block in elec2
        for row, label in zip(
            zip(*(block.X[name].to_pylist() for name in names), strict=True), block.y, strict=True
        )
    )
    theirs = metrics.Accuracy() + metrics.CohenKappa() + metrics.BalancedAccuracy()
    evaluate.progressive_val_score(pairs, RiverClassifier(), theirs)
    models = {"own": SGTClassifier(), "river": RiverClassifier()}
    result = prequential(elec2, models, metrics=["accuracy", "kappa", "balanced_accuracy"])
    for name in models:
        ours = [result.total(metric, name) for metric in result.metrics]
        assert ours == pytest.approx(theirs.get(), abs=1e-12)
    assert result.total("accuracy") > 0.7
