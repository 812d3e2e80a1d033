"""Links: functions from raw scores to predictions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sgtrees.losses.derivatives import Floats

# A raw score above it counts as it where exp(raw) is computed, so that no prediction is infinite.
HIGHEST_LOG_MEAN = 230.0
# The same for one below, where exp(-raw) is.
LOWEST_LOG_MEAN = -115.0

LinkFunction: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Link:
    """A named function from raw scores to predictions.

    A loss has one as its ``link``; a plain function becomes one with the function's name.

    Parameters
    ----------
    name : str
        Its name.
    function : callable
        Takes an array of raw scores and returns an array of as many predictions.

    Examples
    --------
    >>> Link("square", np.square)(np.array([3.0]))
    array([9.])
    """

    name: str
    function: LinkFunction

    def __call__(self, raw: Floats) -> Floats:
        """Return the predictions for raw scores."""
        return self.function(raw)

    def of_one(self, raw: float) -> float:
        """Return the prediction for one raw score."""
        return raw if self is IDENTITY else float(self.function(np.array([raw]))[0])


def _identity(raw: Floats) -> Floats:
    return raw


def _exp(raw: Floats) -> Floats:
    result: Floats = np.exp(np.minimum(raw, HIGHEST_LOG_MEAN))
    return result


def _logistic(raw: Floats) -> Floats:
    small = np.exp(-np.abs(raw))  # never overflows
    result: Floats = np.where(raw >= 0, 1.0, small) / (1.0 + small)
    return result


def _twice_logistic(raw: Floats) -> Floats:
    return _logistic(2.0 * raw)


IDENTITY = Link("identity", _identity)
EXP = Link("exp", _exp)
LOGISTIC = Link("logistic", _logistic)
TWICE_LOGISTIC = Link("logistic of twice the raw score", _twice_logistic)
# Those of the library; all others are functions that a user wrote.
LINKS = (IDENTITY, EXP, LOGISTIC, TWICE_LOGISTIC)
_BY_NAME = {link.name: link for link in (IDENTITY, EXP, LOGISTIC)}


def read_link(link: Link | LinkFunction | str) -> Link:
    """Return the link that a name, a function or a link stands for.

    Parameters
    ----------
    link : {"identity", "exp", "logistic"}, callable or Link
        The link.

    Examples
    --------
    >>> read_link("exp")(np.array([0.0]))
    array([1.])
    """
    if isinstance(link, Link):
        return link
    if isinstance(link, str):
        if link not in _BY_NAME:
            names = ", ".join(map(repr, _BY_NAME))
            raise ValueError(f"link == {link!r}, must be {names} or a function of raw scores.")
        return _BY_NAME[link]
    if not callable(link):
        raise TypeError(f"a link is a name or a function of raw scores, got {link!r}")
    return Link(getattr(link, "__name__", type(link).__name__), link)
