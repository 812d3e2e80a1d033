"""The gains of a model's splits, summed by feature."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sgtrees import _core
from sgtrees.losses.derivatives import Floats


def features_in_use(learner: _core.Learner) -> set[int]:
    """Return the features that predictions depend on: those of splits and of linear leaves.

    Parameters
    ----------
    learner : _core.Learner
        The learner.
    """
    used: set[int] = set()
    for number in range(learner.n_trees):
        tree: Mapping[str, Any] = learner.tree(number)
        used.update(np.unique(tree["feature"]).tolist())
    inputs, _, _ = learner.standards()
    used.update(inputs.tolist())
    return used - {-1}


def gains_by_feature(learner: _core.Learner) -> Floats:
    """Return the gains of all splits of the trees in use, by feature.

    The gain of a split is the mean decrease in loss over the rows on which it was decided; here it
    counts once for each row that has reached the split.

    Parameters
    ----------
    learner : _core.Learner
        The learner.

    Returns
    -------
    ndarray of shape (n_features,)
        The sums; all 0 before the first split.
    """
    gains = np.zeros(learner.n_features)
    for number in range(learner.n_trees):
        if learner.tree_shrinkage(number) == 0.0:
            continue
        tree: Mapping[str, Any] = learner.tree(number)
        feature = tree["feature"]
        splits = np.flatnonzero(feature >= 0)
        np.add.at(gains, feature[splits], tree["gain"][splits] * tree["cover"][splits])
    return gains
