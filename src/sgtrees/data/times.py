"""Dates and times as features: the parts that a tree can split on."""

import datetime as dt
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

_LOGGER = logging.getLogger(__name__)

# Seconds since 1970, for trends; the others for what comes back. Weekdays are 1 (Monday) to 7, the
# hour has minutes as its fraction. A date has no hour.
_PARTS_OF_DATES = ("seconds", "month", "day", "weekday")
_PARTS = (*_PARTS_OF_DATES, "hour")
_DAY = dt.date(1970, 1, 1)


def is_time(dtype: Any) -> bool:
    """Return whether a column's type is that of dates and times, or of durations."""
    return any(dtype == kind for kind in _READERS)


def read_times(series: Any) -> dict[str, NDArray[np.float64]]:
    """Return the features that a column of dates or times becomes.

    Parameters
    ----------
    series : narwhals Series
        The column.

    Returns
    -------
    dict from str to ndarray
        Dates and times: "NAME.seconds" and its other parts. Durations and times of day: their
        seconds, by the column's own name.

    Examples
    --------
    >>> import pandas as pd
    >>> series = pd.Series(pd.to_datetime(["2013-01-01 06:30"]), name="at")
    >>> {
    ...     name: values.tolist()
    ...     for name, values in read_times(nw.from_native(series, series_only=True)).items()
    ... }
    {'at.seconds': [1357021800.0], 'at.month': [1.0], 'at.day': [1.0], 'at.weekday': [2.0],
     'at.hour': [6.5]}
    """
    reader = next(read for kind, read in _READERS.items() if series.dtype == kind)
    features: dict[str, NDArray[np.float64]] = reader(series)
    return features


def _floats(series: Any) -> NDArray[np.float64]:
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _read_datetimes(series: Any) -> dict[str, NDArray[np.float64]]:
    name, times = series.name, series.dt
    return {
        f"{name}.seconds": _floats(times.timestamp("ms")) / 1000.0,
        f"{name}.month": _floats(times.month()),
        f"{name}.day": _floats(times.day()),
        f"{name}.weekday": _floats(times.weekday()),
        f"{name}.hour": _floats(times.hour()) + _floats(times.minute()) / 60.0,
    }


def _read_dates(series: Any) -> dict[str, NDArray[np.float64]]:
    features = _read_datetimes(series.cast(nw.Datetime("ms")))
    del features[f"{series.name}.hour"]
    return features


def _read_durations(series: Any) -> dict[str, NDArray[np.float64]]:
    return {series.name: _floats(series.dt.total_milliseconds()) / 1000.0}


def _read_times_of_day(series: Any) -> dict[str, NDArray[np.float64]]:
    values = [np.nan if value is None else _of_day(value) for value in series.to_list()]
    return {series.name: np.array(values, dtype=np.float64)}


_READERS = {
    nw.Datetime: _read_datetimes,
    nw.Date: _read_dates,
    nw.Duration: _read_durations,
    nw.Time: _read_times_of_day,
}


def _of_day(time: dt.time) -> float:
    return 3600.0 * time.hour + 60.0 * time.minute + time.second + time.microsecond / 1e6


# ---- events --------------------------------------------------------------------------------------


def with_parts(x: Mapping[Any, object]) -> Mapping[Any, object]:
    """Return an event with the parts of its dates and times; other events as they are.

    Examples
    --------
    >>> with_parts({"size": 7, "day": dt.date(2013, 1, 1)})
    {'size': 7, 'day.seconds': 1356998400.0, 'day.month': 1, 'day.day': 1, 'day.weekday': 2}
    """
    if not any(isinstance(value, _VALUES) for value in x.values()):
        return x
    return dict(item for name, value in x.items() for item in _items(name, value))


_VALUES = (dt.date, dt.time, dt.timedelta, np.datetime64, np.timedelta64)


def _items(name: Any, value: object) -> Iterator[tuple[Any, object]]:
    if isinstance(value, np.datetime64 | np.timedelta64):
        if np.isnat(value):
            return
        value = value.astype(
            "datetime64[us]" if isinstance(value, np.datetime64) else "m8[us]"
        ).item()
    if isinstance(value, dt.date):
        # pandas' NaT is a date that differs from itself.
        if value == value:  # noqa: PLR0124
            yield from ((f"{name}.{part}", number) for part, number in _parts(value).items())
    elif isinstance(value, dt.timedelta):
        yield name, value // dt.timedelta(milliseconds=1) / 1000.0
    elif isinstance(value, dt.time):
        yield name, _of_day(value)
    else:
        yield name, value


def _parts(date: dt.date) -> dict[str, float]:
    parts = {"month": date.month, "day": date.day, "weekday": date.isoweekday()}
    if not isinstance(date, dt.datetime):
        return {"seconds": 86400.0 * (date - _DAY).days, **parts}
    in_utc = date.replace(tzinfo=dt.UTC) if date.tzinfo is None else date
    since = in_utc - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    seconds = since // dt.timedelta(milliseconds=1) / 1000.0
    return {"seconds": seconds, **parts, "hour": date.hour + date.minute / 60.0}


# ---- names ---------------------------------------------------------------------------------------


def log_times(columns: Sequence[str]) -> None:
    """Write a note for each column whose parts become features."""
    for column in columns:
        _LOGGER.info(
            "column %r holds dates or times: its parts are features, from %s",
            column,
            f"{column}.seconds to {column}.{_PARTS[-1]}",
        )


def sources_of(features: Sequence[str]) -> list[str]:
    """Return the columns that features come from: parts of a date or time come from one.

    Examples
    --------
    >>> sources_of(["size", "at.seconds", "at.month", "at.day", "at.weekday", "at.hour"])
    ['size', 'at']
    """
    sources: list[str] = []
    place = 0
    while place < len(features):
        base = features[place].removesuffix(".seconds")
        for parts in (_PARTS, _PARTS_OF_DATES):
            if list(features[place : place + len(parts)]) == [f"{base}.{part}" for part in parts]:
                sources.append(base)
                place += len(parts)
                break
        else:
            sources.append(features[place])
            place += 1
    return sources
