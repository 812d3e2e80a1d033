"""Streams that are made up: endless, seeded, and with a known best possible error."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sgtrees.streams.block import Block, Column

Floats = NDArray[np.float64]

_CARRIERS = {"Aurora": -3.0, "Borealis": 0.0, "Cirrus": 2.0, "Dune": 4.0, "Ember": 9.0}
_AIRPORTS = ("Eastlake", "Harbour", "Highfield", "Kingsford", "Northport", "Stonebridge", "Westbay")
_WEEKDAYS = {"Mon": 1.0, "Tue": 0.0, "Wed": 0.0, "Thu": 1.0, "Fri": 5.0, "Sat": -3.0, "Sun": 0.0}
# Airports that are crowded in the evening, and those that lie open to the wind.
_HUBS = [_AIRPORTS.index(name) for name in ("Kingsford", "Westbay")]
_WINDY = [_AIRPORTS.index(name) for name in ("Harbour", "Northport")]

# A flight is late from so many minutes on; the unforeseeable part of its delay is logistic.
_LATE = 15.0
_UNFORESEEABLE = 2.0


class FlightDelays:
    """Flights that arrive late or on time, for reasons that a tree can find.

    A flight's delay is what its columns make expect and an unforeseeable part, which follows the
    logistic distribution. It is late at 15 minutes or more. What makes expect a delay: an aircraft
    that came in late itself, strong wind at the two airports that lie open to it, the evening hours
    at two crowded ones, some carriers more than others, Fridays, and a full cabin; on a long way
    some of it is made up. Missing values tell something too: the first flight of the day has no
    inbound aircraft, and where wind is not reported there was none to speak of.

    The same seed gives the same rows, however they are cut into blocks.

    Parameters
    ----------
    seed : int, default=0
        Seed of the stream.

    Attributes
    ----------
    columns : tuple of Column
        What the columns of a block are.

    Examples
    --------
    >>> flights = FlightDelays(seed=1)
    >>> block = flights.take(1000)
    >>> block.X.shape, block.y[:2].tolist()
    ((1000, 8), ['on time', 'on time'])
    >>> [column.name for column in flights.columns if column.nominal]
    ['carrier', 'airport', 'weekday']
    """

    columns: ClassVar[tuple[Column, ...]] = (
        Column("carrier", tuple(_CARRIERS)),
        Column("airport", _AIRPORTS),
        Column("weekday", tuple(_WEEKDAYS)),
        Column("departure_hour"),
        Column("distance_km"),
        Column("wind_kmh"),
        Column("inbound_delay_min"),
        Column("seats_taken_percent"),
    )

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    def take(self, n_rows: int) -> Block:
        """Return the stream's next rows.

        Parameters
        ----------
        n_rows : int
            How many.

        Returns
        -------
        Block
            The rows, labelled "late" or "on time", with the best error possible on them.

        Examples
        --------
        >>> block = FlightDelays().take(100_000)
        >>> round(block.best_error, 2)
        0.07
        """
        # Row by row the same draws, so that the rows do not depend on the blocks.
        draws = self._random.random((n_rows, 11)).T
        X = np.empty((n_rows, len(self.columns)))
        X[:, 0] = _pick(draws[0], len(_CARRIERS))
        X[:, 1] = _pick(draws[1], len(_AIRPORTS))
        X[:, 2] = _pick(draws[2], len(_WEEKDAYS))
        X[:, 3] = np.round(5.0 + 18.0 * draws[3], 2)
        X[:, 4] = np.round(200.0 + _exponential(draws[4], 800.0))
        X[:, 5] = np.round(np.where(draws[5] < 0.08, np.nan, _exponential(draws[6], 22.0)), 1)
        first = draws[7] < np.where(X[:, 3] < 8.0, 0.7, 0.02)
        X[:, 6] = np.round(np.where(first, np.nan, _exponential(draws[8], 10.0)), 1)
        X[:, 7] = np.round(100.0 - 60.0 * draws[9] ** 2)
        margin = _expected_delay(X) - _LATE
        odds = draws[10] / (1.0 - draws[10])
        y = np.where(margin + _UNFORESEEABLE * np.log(odds) >= 0.0, "late", "on time")
        return Block(X, y, float(np.mean(1.0 / (1.0 + np.exp(np.abs(margin) / _UNFORESEEABLE)))))


def _pick(draws: Floats, n: int) -> Floats:
    """Return numbers below n, all equally probable."""
    return np.floor(draws * n)


def _exponential(draws: Floats, mean: float) -> Floats:
    numbers: Floats = -mean * np.log1p(-draws)
    return numbers


def _expected_delay(X: Floats) -> Floats:
    """Return the minutes that the columns make expect."""
    carrier, airport, weekday = X[:, :3].T.astype(np.intp)
    hour, distance, wind, inbound, seats = X[:, 3:].T
    evening = (hour >= 16.0) & (hour < 20.0)
    storm = wind >= 45.0  # never where wind is missing
    delay: Floats = 0.8 * np.nan_to_num(inbound)
    delay += np.array(list(_CARRIERS.values()))[carrier]
    delay += np.array(list(_WEEKDAYS.values()))[weekday]
    delay += 14.0 * (np.isin(airport, _HUBS) & evening)
    delay += 25.0 * (np.isin(airport, _WINDY) & storm)
    delay += 4.0 * (seats >= 95.0)
    delay -= 0.003 * distance
    return delay
