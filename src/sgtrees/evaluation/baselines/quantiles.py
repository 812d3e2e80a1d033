"""Baselines of regression: the median and other quantiles so far."""

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.baselines.numbers import NumberBaseline
from sgtrees.evaluation.baselines.quantile_sketch import QuantileSketch

Floats = NDArray[np.float64]


class QuantileSoFar(NumberBaseline):
    """Predicts a quantile of the targets so far; 0 for the first row.

    It uses all rows but the latest, 1 / 128 of them and 4,096 at most, which it has not looked at
    yet. Up to 8,192 distinct targets are kept as they are; beyond, memory stays bounded, and the
    rank of the quantile is right within a thousandth or so.

    Parameters
    ----------
    alpha : float
        Which quantile, between 0 and 1: the lowest target at or below which a share alpha of the
        weight lies.

    Examples
    --------
    >>> baseline = QuantileSoFar(0.9)
    >>> baseline.partial_fit(None, np.arange(1.0, 101.0)).predict([[0.0]])
    array([90.])
    """

    def __init__(self, alpha: float) -> None:
        super().__init__()
        if not 0.0 < alpha < 1.0:
            raise ValueError(f"alpha == {alpha}, must be between 0 and 1.")
        self.alpha = alpha
        self._sketches: list[QuantileSketch] = []

    def _learn(self, targets: Floats, weights: Floats) -> Floats:
        n_targets = targets.shape[1]
        if not self._sketches:
            self._sketches = [QuantileSketch(self.alpha) for _ in range(n_targets)]
        predicted = np.empty_like(targets)
        counts = weights > 0.0
        # Rows of weight 0 are predicted as the next one that counts, by what was known then.
        places: NDArray[np.intp] = np.cumsum(counts) - counts
        for place, sketch in enumerate(self._sketches):
            before = sketch.learn(targets[counts, place], weights[counts])
            predicted[:, place] = np.append(before, sketch.quantile)[places]
        return predicted

    def _constant(self) -> Floats:
        return np.array([sketch.quantile for sketch in self._sketches])


class MedianSoFar(QuantileSoFar):
    """Predicts the median of the targets so far; 0 for the first row.

    Examples
    --------
    >>> MedianSoFar().learn_predict(None, [1.0, 9.0, 2.0, 3.0]).tolist()
    [0.0, 1.0, 1.0, 2.0]
    """

    def __init__(self) -> None:
        super().__init__(0.5)
