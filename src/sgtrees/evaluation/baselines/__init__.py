"""Baselines: predictions from earlier targets alone, which every model should beat.

>>> import numpy as np
>>> LastValue().learn_predict(None, np.array([1.0, 2.0, 4.0])).tolist()
[0.0, 1.0, 2.0]
"""

from sgtrees.evaluation.baselines.base import Baseline
from sgtrees.evaluation.baselines.choice import baseline_for, baselines_for
from sgtrees.evaluation.baselines.classes import LastLabel, MajorityClass
from sgtrees.evaluation.baselines.numbers import LastValue, MeanSoFar
from sgtrees.evaluation.baselines.quantiles import MedianSoFar, QuantileSoFar

__all__ = [
    "Baseline",
    "LastLabel",
    "LastValue",
    "MajorityClass",
    "MeanSoFar",
    "MedianSoFar",
    "QuantileSoFar",
    "baseline_for",
    "baselines_for",
]
