import numpy as np
import pytest

from sgtrees.streams import FlightDelays
from sgtrees.streams.generators import flight_delays


def test_the_rows_do_not_depend_on_the_blocks():
    whole = FlightDelays(seed=3).take(1000)
    stream = FlightDelays(seed=3)
    parts = [stream.take(n) for n in (1, 399, 600)]
    np.testing.assert_array_equal(np.concatenate([part.X for part in parts]), whole.X)
    np.testing.assert_array_equal(np.concatenate([part.y for part in parts]), whole.y)


def test_another_seed_gives_other_rows():
    assert (FlightDelays(seed=1).take(100).X != FlightDelays(seed=2).take(100).X).any()


def test_nominal_columns_hold_the_numbers_of_their_categories_all_of_them():
    X = FlightDelays().take(5000).X
    for place, column in enumerate(FlightDelays().columns):
        if column.categories is not None:
            assert set(X[:, place]) == set(range(len(column.categories)))


def test_some_values_are_missing_and_none_is_infinite():
    X = FlightDelays().take(5000).X
    missing = dict(
        zip([c.name for c in FlightDelays().columns], np.isnan(X).mean(axis=0), strict=True)
    )
    assert 0.05 < missing.pop("wind_kmh") < 0.11
    assert 0.1 < missing.pop("inbound_delay_min") < 0.3
    assert not any(missing.values())
    assert not np.isinf(X).any()


def test_the_best_possible_predictions_have_the_best_possible_error():
    block = FlightDelays(seed=5).take(20_000)
    expected_late = flight_delays._expected_delay(block.X) >= 15.0
    error = np.mean(expected_late != (block.y == "late"))
    # Three standard deviations.
    assert error == pytest.approx(block.best_error, abs=0.0055)
