import numpy as np
import pytest

from sgtrees_experiments.report.published import BAG_FIGURES, STREAM_FIGURES


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
