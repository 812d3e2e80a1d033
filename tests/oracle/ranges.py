"""Ranges that adapt, in the oracle: samples of values, and the bins that they ask for."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

LATEST = EARLIER = 64
FEWEST = 64
ROWS_BETWEEN_LOOKS = 1024


def draw(number: int, sequence: int) -> int:
    """64 bits for a number, in one of many sequences."""
    z = (number * 0x9E3779B97F4A7C15 + sequence * 0xBF58476D1CE4E5B9) % 2**64
    return (z ^ (z >> 32)) * 0xD6E8FEB86659FD93 % 2**64


def is_sampled(row: int) -> bool:
    return draw(row, 2**64 - 1) < 2**64 // 32


@dataclass
class Bins:
    """Boundaries, and the range that they were laid for."""

    boundaries: list[float]
    lo: float = 0.0
    hi: float = 0.0


@dataclass
class ValueSample:
    """The latest values, and a sample of all those before them."""

    latest: list[float] = field(default_factory=list)
    earlier: list[float] = field(default_factory=list)
    n_earlier: int = 0

    def take(self, value: float) -> None:
        self.latest.append(value)
        if len(self.latest) <= LATEST:
            return
        oldest = self.latest.pop(0)
        if len(self.earlier) < EARLIER:
            self.earlier.append(oldest)
        else:
            place = (draw(self.n_earlier, 2**64 - 2) >> 32) * (self.n_earlier + 1) >> 32
            if place < EARLIER:
                self.earlier[place] = oldest
        self.n_earlier += 1

    def sorted(self) -> list[float]:
        return sorted(self.latest + self.earlier)


def quantile_boundaries(values: Sequence[float], n_bins: int) -> list[float]:
    """Quantiles at k / n_bins; midpoints where there are at most n_bins distinct values."""
    distinct = sorted(set(values))
    if len(distinct) == 1:
        return distinct
    if len(distinct) <= n_bins:
        middles = []
        for low, high in pairwise(distinct):
            middle = (low + high) / 2 if math.isfinite(low + high) else low / 2 + high / 2
            middles.append(low if middle >= high else middle)
        return middles
    places = [k / n_bins for k in range(1, n_bins)]
    return sorted(set(np.quantile(np.array(values), places, method="linear").tolist()))


def crowding(values: Sequence[float], boundaries: Sequence[float]) -> float:
    """The chance that two values which differ share a bin; 0 where all are equal."""
    n = len(values)
    equal = sum(count**2 for count in Counter(values).values())
    in_one_bin = sum(c**2 for c in Counter(bisect_left(boundaries, x) for x in values).values())
    return (in_one_bin - equal) / (n * n - equal) if n * n > equal else 0.0


def less_crowded(values: Sequence[float], bins: Bins, n_bins: int) -> Bins | None:
    """Quantiles, where the bins are crowded and quantiles would be less than half as crowded."""
    if len(values) < FEWEST:
        return None
    now = crowding(values, bins.boundaries)
    quantiles = quantile_boundaries(values, n_bins)
    if now > 0.25 and now > 2 * crowding(values, quantiles):
        return Bins(quantiles, min(values), max(values))
    return None


def better_bins(sample: ValueSample, bins: Bins, n_bins: int) -> Bins | None:
    """The bins that should take the place of those that a feature has, or None."""
    values = sample.sorted()
    if len(values) < FEWEST:
        return None
    below = [x for x in values if x < bins.lo]
    above = [x for x in values if x > bins.hi]
    outgrown = len(below) + len(above) > len(values) / 8
    if not (outgrown and (len(set(below)) > 1 or len(set(above)) > 1)):
        return less_crowded(values, bins, n_bins)
    spread = max(sample.latest) - min(sample.latest)
    if not above and math.isfinite(values[0] - spread):
        return bins_ahead(values, values[0], -spread, n_bins)
    if not below and math.isfinite(values[-1] + spread):
        return bins_ahead(values, values[-1], spread, n_bins)
    return Bins(quantile_boundaries(values, n_bins), values[0], values[-1])


def bins_ahead(values: list[float], start: float, distance: float, n_bins: int) -> Bins:
    """Quantiles in one half of the bins; the other half lies ahead."""
    ahead = n_bins // 2
    beyond = [start + distance * (k / ahead) for k in range(ahead)]
    boundaries = sorted({*quantile_boundaries(values, n_bins - ahead), *beyond})
    end = start + distance
    return Bins(boundaries, min(values[0], end), max(values[-1], end))


def new_places(old: Sequence[float], new: Sequence[float]) -> list[int | None]:
    """The new bin of each old one; None where a new boundary lies within it."""
    ends = [-math.inf, *old, math.inf]
    places: list[int | None] = []
    for low, high in pairwise(ends):
        within = [b for b in new if low < b < high]
        places.append(None if within else bisect_left(new, high))
    return places
