"""The trees of a saved model: there are as many as it says."""

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sgtrees.persistence import ModelFileError

# Whose tree an array is of (a member's, or the background's), and the number of the tree.
_OF_TREE = re.compile(r"(?P<owner>(?:member(?P<member>\d+)/)?(?:background/)?)tree(?P<tree>\d+)/")


def check_numbers_of_trees(state: Mapping[str, NDArray[np.generic]]) -> None:
    """Refuse arrays of members, or of trees, beyond the numbers that the state says.

    The core has found all those that should be there.

    Parameters
    ----------
    state : mapping from str to ndarray
        The core's arrays.

    Examples
    --------
    >>> one = np.array([1])
    >>> try:
    ...     check_numbers_of_trees({"trees": one, "tree0/values": one, "tree1/values": one})
    ... except ModelFileError as error:
    ...     print(error)
    it says that there is 1 tree, and has an array 'tree1/values'
    """
    for name in state:
        found = _OF_TREE.match(name)
        if found is None:
            continue
        if found["member"] is not None:
            _check(state, "members", int(found["member"]), name, "member")
        _check(state, f"{found['owner']}trees", int(found["tree"]), name, "tree")


def _check(
    state: Mapping[str, NDArray[np.generic]], counted_in: str, number: int, name: str, what: str
) -> None:
    counted = state.get(counted_in)
    if counted is None or number < int(counted[0]):
        return
    n = int(counted[0])
    number_of_them = f"is 1 {what}" if n == 1 else f"are {n} {what}s"
    raise ModelFileError(f"it says that there {number_of_them}, and has an array {name!r}")
