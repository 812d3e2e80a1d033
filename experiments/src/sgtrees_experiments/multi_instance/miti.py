"""`MITIClassifier`: the multi-instance tree inducer of Blockeel, Page and Srinivasan."""

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_scalar

from sgtrees_experiments.multi_instance.base import BagClassifier, Floats, Sizes
from sgtrees_experiments.multi_instance.miti_tree import (
    Criterion,
    Instances,
    gini,
    grow,
    highest_share,
    squared_shares,
)

_CRITERIA = ("gini", "max_share", "squared_shares")
_WEIGHTS = ("bag", "instance")


class MITIClassifier(BagClassifier):
    """MITI: a decision tree for bags that is grown best first.

    A bag is positive if one of its instances is in a positive leaf. The node with the highest
    estimated share of positives is split next. A node with instances of positive bags only becomes
    a leaf, and these bags are removed from the data: their other instances need not be positive.

    Parameters
    ----------
    criterion : {"gini", "max_share", "squared_shares"}, default="gini"
        How splits are compared: by the Gini impurity (Bjerring and Frank found it best), by the
        higher of both sides' positive shares (the original), or by the sum of their squares.
    doubt : float, default=5.0
        Weight that is added to a node's negatives when its share of positives is estimated (k in
        the papers), so that the estimate is low for few instances.
    weight : {"bag", "instance"}, default="bag"
        Whether all bags weigh the same, or all instances do.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Both labels, sorted; the second one is positive.
    n_nodes_, n_leaves_ : int
        The size of the tree.

    References
    ----------
    H. Blockeel, D. Page, A. Srinivasan: Multi-instance tree learning. ICML 2005.

    L. Bjerring, E. Frank: Beyond trees: adopting MITI to learn rules and ensemble classifiers for
    multi-instance data. AI 2011.

    Examples
    --------
    Bags of random numbers; those that hold a number above 0.9 are positive:

    >>> import numpy as np
    >>> from sgtrees_experiments.multi_instance import MITIClassifier
    >>> random = np.random.default_rng(0)
    >>> bags = [random.random((random.integers(2, 8), 1)) for _ in range(100)]
    >>> y = [bool(bag.max() > 0.9) for bag in bags]
    >>> model = MITIClassifier().fit(bags, y)
    >>> model.predict([[[0.2], [0.95], [0.5]], [[0.2], [0.5]]])
    array([ True, False])
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        doubt: float = 5.0,
        weight: str = "bag",
    ) -> None:
        self.criterion = criterion
        self.doubt = doubt
        self.weight = weight

    @property
    def n_nodes_(self) -> int:
        """The number of nodes."""
        return len(self._tree.feature)

    @property
    def n_leaves_(self) -> int:
        """The number of leaves."""
        return self._tree.feature.count(-1)

    def _check_parameters(self) -> None:
        check_scalar(self.doubt, "doubt", (int, float), min_val=0.0)
        for name, choices in (("criterion", _CRITERIA), ("weight", _WEIGHTS)):
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name}={value!r} is not known; give one of {list(choices)}")

    def _learn(self, X: Floats, sizes: Sizes, positive: NDArray[np.bool_]) -> None:
        bag = np.repeat(np.arange(len(sizes)), sizes)
        weight = 1.0 / sizes if self.weight == "bag" else np.ones(len(sizes))
        instances = Instances.of(X, bag, positive[bag], weight[bag])
        self._tree = grow(instances, self._criterion(), float(self.doubt))

    def _criterion(self) -> Criterion:
        if self.criterion == "gini":
            return gini
        of_doubt = highest_share if self.criterion == "max_share" else squared_shares
        return of_doubt(float(self.doubt))

    def _probability_of_positive(self, X: Floats, sizes: Sizes) -> Floats:
        highest: Floats = np.maximum.reduceat(self._tree.values_at(X), np.cumsum(sizes) - sizes)
        return highest
