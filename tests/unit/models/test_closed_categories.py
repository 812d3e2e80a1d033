import logging

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.data.columns import Kind
from sgtrees.data.schema import Categories, cost
from sgtrees.export import to_python
from sgtrees.loading import restore
from sgtrees.persistence.model_file import from_buffer, to_bytes
from sgtrees.persistence.savable import contents_of
from tests.fingerprint import fingerprint

# Room for the trees, and for some hundred categories of each of two columns.
LIMIT = 800_000


def table(values: list[str], most_bytes: int | None) -> Categories:
    categories = Categories(most_bytes)
    categories.extend(values, Kind.STRING)
    return categories


def test_there_is_room_up_to_the_limit_in_order() -> None:
    values = ["a", "bb", "ccc"]
    costs = [cost(value) for value in values]
    for n in range(4):
        assert Categories(sum(costs[:n])).n_that_fit(values) == n
        assert Categories(sum(costs[: n + 1]) - 1).n_that_fit(values) == n or n == 3
    assert table(values, sum(costs)).n_that_fit(["d"]) == 0
    assert Categories().n_that_fit(values) == 3


def test_a_closed_table_has_no_room_for_a_smaller_category_either() -> None:
    categories = table([], 10 * cost("a"))
    categories.is_closed = True
    assert categories.n_that_fit(["a"]) == 0


def test_characters_beyond_ascii_cost_more() -> None:
    assert cost("ä" * 10) > cost("a" * 10)


# ---- models --------------------------------------------------------------------------------------


def rows(n: int, kind: str, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows of two columns with ever new categories, of which some come again."""
    random = np.random.default_rng(seed)
    numbers = np.minimum(random.integers(0, 40, n) * (1 + np.arange(n) // 40), 10**6)
    a = numbers.astype(float) if kind == "numbers" else np.array([f"c{i}" for i in numbers])
    frame = pd.DataFrame({"a": a, "b": random.integers(0, 3, n).astype(str), "x": random.random(n)})
    return frame, frame["x"].to_numpy() + (numbers % 3)


def regressor(kind: str, limit: int | None = LIMIT) -> SGTRegressor:
    nominal = ["a", "b"] if kind == "numbers" else "from_dtype"
    return SGTRegressor(max_memory=limit, warm_up=50, categorical_features=nominal, n_bins=4)


def n_categories(model: SGTRegressor) -> list[int]:
    return [len(f.categories) for f in model._model.schema.features if f.categories is not None]


@pytest.mark.parametrize("kind", ["strings", "numbers"])
def test_a_block_its_parts_and_its_rows_close_a_table_at_the_same_category(kind: str) -> None:
    X, y = rows(1500, kind)
    whole = regressor(kind).partial_fit(X, y)
    assert whole._model.schema.features[0].categories.is_closed
    assert n_categories(whole)[0] < X["a"].nunique()
    parts = regressor(kind)
    for begin in range(0, 1500, 130):
        parts.partial_fit(X[begin : begin + 130], y[begin : begin + 130])
    assert fingerprint(parts) == fingerprint(whole)
    events = regressor(kind).partial_fit(X[:1], y[:1])
    for row, target in zip(X[1:].to_dict("records"), y[1:].tolist(), strict=True):
        events.learn_one(row, target)
    assert fingerprint(events) == fingerprint(whole)


@pytest.mark.parametrize("kind", ["strings", "numbers"])
def test_without_room_a_category_is_predicted_as_a_missing_value(kind: str) -> None:
    X, y = rows(1500, kind)
    model = regressor(kind).partial_fit(X, y)
    new = 10**9 if kind == "numbers" else "never seen"
    unknown, missing = X[:5].assign(a=new), X[:5].assign(a=None if kind == "strings" else np.nan)
    assert np.array_equal(model.predict(unknown), model.predict(missing))
    assert [model.predict_one(x) for x in unknown.to_dict("records")] == model.predict(
        missing
    ).tolist()
    if kind == "numbers":
        array = unknown.assign(b=0.0).to_numpy(dtype=float)
        both = SGTRegressor(max_memory=LIMIT, warm_up=50, categorical_features=[0, 1])
        both.partial_fit(X.astype(float).to_numpy(), y)
        for order in ("C", "F"):
            one = both.predict(np.asarray(array, order=order))
            array[:, 0] = np.nan
            assert np.array_equal(one, both.predict(np.asarray(array, order=order)))
            array[:, 0] = new


def test_a_closed_table_is_saved_and_goes_on_as_it_was() -> None:
    X, y = rows(1500, "strings")
    whole = regressor("strings").partial_fit(X, y)
    first = regressor("strings").partial_fit(X[:1000], y[:1000])
    restored = restore(from_buffer(to_bytes(contents_of(first))))
    assert fingerprint(restored.partial_fit(X[1000:], y[1000:])) == fingerprint(whole)
    assert restored._model.schema.features[0].categories.is_closed


def test_rows_without_weight_take_no_room() -> None:
    X, y = rows(1500, "strings")
    w = (np.arange(1500) % 3 > 0).astype(float)
    with_zeros = regressor("strings").partial_fit(X, y, sample_weight=w)
    without = regressor("strings").partial_fit(X[w > 0], y[w > 0], sample_weight=w[w > 0])
    assert fingerprint(with_zeros) == fingerprint(without)


def test_a_note_tells_that_a_table_is_closed_once(caplog: pytest.LogCaptureFixture) -> None:
    X, y = rows(1500, "strings")
    with caplog.at_level(logging.WARNING, logger="sgtrees"):
        model = regressor("strings").partial_fit(X, y)
        model.partial_fit(X.assign(a="another"), y)
    (note,) = [r for r in caplog.records if "missing values" in r.getMessage()]
    assert f"feature 'a' has {n_categories(model)[0]} categories" in note.getMessage()


def test_late_features_get_half_of_what_is_left() -> None:
    model = SGTClassifier(max_memory=1_000_000).learn_one({"a": "x"}, "p")
    model.learn_one({"a": "x", "b": "y"}, "q")
    model.learn_one({"a": "x", "c": "z", "d": 1.0}, "q")
    limits = [f.categories and f.categories.most_bytes for f in model._model.schema.features]
    assert limits == [125_000, 62_500, 31_250, None]
    numbers_first = SGTClassifier(max_memory=1_000_000).learn_one({"d": 1.0}, "p")
    numbers_first.learn_one({"a": "x"}, "q")
    assert numbers_first._model.schema.features[1].categories.most_bytes == 31_250


def test_without_a_limit_there_is_none() -> None:
    X, y = rows(1500, "strings")
    model = regressor("strings", None).partial_fit(X, y)
    assert n_categories(model)[0] == X["a"].nunique()


def test_a_model_with_a_closed_table_is_not_exported() -> None:
    X, y = rows(1500, "strings")
    model = regressor("strings").partial_fit(X, y)
    with pytest.raises(ValueError, match="column 'a' has more categories than max_memory"):
        to_python(model)
