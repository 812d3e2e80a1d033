"""What ensembles of trees share: how their members combine, and the seed."""

from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state

from sgtrees.estimators.base import StreamEstimator

_MOST_SEEDS = 2**32


class Ensemble(StreamEstimator[Any]):
    """Base of the estimators that are ensembles; `Savable._combinations` has the kind."""

    def _core_options(self) -> dict[str, Any]:
        (combination,) = self._combinations
        seed = _seed(self.random_state)
        return super()._core_options() | {"combination": combination, "seed": seed}


def _seed(random_state: Any) -> int:
    """Return a number as it is; otherwise draw one."""
    random = check_random_state(random_state)
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(random.randint(_MOST_SEEDS, dtype="uint32"))
