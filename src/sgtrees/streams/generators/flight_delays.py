"""Flights that arrive late or on time."""

import numpy as np

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators.generator import Floats, Generator, pick

_CARRIERS = {"Aurora": -3.0, "Borealis": 0.0, "Cirrus": 2.0, "Dune": 4.0, "Ember": 9.0}
_AIRPORTS = ("Eastlake", "Harbour", "Highfield", "Kingsford", "Northport", "Stonebridge", "Westbay")
_WEEKDAYS = {"Mon": 1.0, "Tue": 0.0, "Wed": 0.0, "Thu": 1.0, "Fri": 5.0, "Sat": -3.0, "Sun": 0.0}
# Airports that are crowded in the evening, and those that are exposed to the wind.
_HUBS = [_AIRPORTS.index(name) for name in ("Kingsford", "Westbay")]
_WINDY = [_AIRPORTS.index(name) for name in ("Harbour", "Northport")]

# A flight is late from this many minutes on; the scale of the logistic noise in its delay.
_LATE = 15.0
_NOISE_SCALE = 2.0


class FlightDelays(Generator):
    """Flights that arrive late or on time, for reasons that a tree can learn.

    A flight's delay is a function of its columns plus logistic noise. It is late at 15 minutes or
    more. Delays grow with the delay of the inbound aircraft, strong wind at two exposed airports,
    evening hours at two crowded ones, some carriers, Fridays, and a full cabin; they shrink with
    the distance. Missing values are informative: the first flight of the day has no inbound
    aircraft, and wind that is not reported was weak.

    Parameters
    ----------
    seed : int, default=0
        Seed of the stream.

    Examples
    --------
    >>> flights = FlightDelays(seed=1)
    >>> block = flights.take(1000)
    >>> block.X.shape, block.y[:2].tolist()
    ((1000, 8), ['on time', 'on time'])
    >>> [column.name for column in flights.columns if column.nominal], round(block.best_error, 1)
    (['carrier', 'airport', 'weekday'], 0.1)
    """

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column("carrier", nominal=True, categories=tuple(_CARRIERS)),
            Column("airport", nominal=True, categories=_AIRPORTS),
            Column("weekday", nominal=True, categories=tuple(_WEEKDAYS)),
            Column("departure_hour"),
            Column("distance_km"),
            Column("wind_kmh"),
            Column("inbound_delay_min"),
            Column("seats_taken_percent"),
        )

    def _target(self) -> Column:
        return Column("arrival", nominal=True, categories=("late", "on time"))

    def _make(self, n_rows: int, first_row: int) -> Block:  # noqa: ARG002 - nothing changes here
        # Row by row the same draws, so that the rows do not depend on the blocks.
        draws = self._uniform.random((n_rows, 11)).T
        X = np.empty((n_rows, 8))
        X[:, 0] = pick(draws[0], len(_CARRIERS))
        X[:, 1] = pick(draws[1], len(_AIRPORTS))
        X[:, 2] = pick(draws[2], len(_WEEKDAYS))
        X[:, 3] = np.round(5.0 + 18.0 * draws[3], 2)
        X[:, 4] = np.round(200.0 + _exponential(draws[4], 800.0))
        X[:, 5] = np.round(np.where(draws[5] < 0.08, np.nan, _exponential(draws[6], 22.0)), 1)
        first = draws[7] < np.where(X[:, 3] < 8.0, 0.7, 0.02)
        X[:, 6] = np.round(np.where(first, np.nan, _exponential(draws[8], 10.0)), 1)
        X[:, 7] = np.round(100.0 - 60.0 * draws[9] ** 2)
        margin = _expected_delay(X) - _LATE
        odds = draws[10] / (1.0 - draws[10])
        y = np.where(margin + _NOISE_SCALE * np.log(odds) >= 0.0, "late", "on time")
        best_error = float(np.mean(1.0 / (1.0 + np.exp(np.abs(margin) / _NOISE_SCALE))))
        return Block(X, y, best_error=best_error)


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
