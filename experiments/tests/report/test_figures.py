import numpy as np

from sgtrees_experiments.datasets import Task
from sgtrees_experiments.report.figures import figure_of


def test_figures_name_every_learner_that_has_a_curve(summaries):
    (covtype,) = [f for f in summaries.found(Task.CLASSIFICATION) if f.version.name == "covtype"]
    axes = figure_of(summaries, covtype).axes[0]
    names = [label.get_text().split("  ")[1] for label in axes.texts]
    assert sorted(names) == ["EFDT", "MOA's SGT", "SGT", "SGT, tuned", "VFDT"]
    heights = sorted(label.xy[1] for label in axes.texts)
    assert min(np.diff(heights)) > 0.05
