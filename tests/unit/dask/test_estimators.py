"""On a cluster the model is the same as in one process, bit for bit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.dask import DaskSGTClassifier, DaskSGTRegressor, PartitionError, RoundReport
from sgtrees.dask.estimators import check_versions
from sgtrees.losses import Loss
from tests.oracle.real_data import require_file
from tests.unit.dask.example_frames import array_of, assert_same, cut_at, frame, of_parts

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph")


FEATURES = ["a", "colour", "b"]


UNEVEN = [0, 10, 500, 40_000, 40_000, 40_001, 100_000]


# So that trees grow, and a round has several blocks, and the last one is not whole.
SETTINGS: dict[str, Any] = {
    "warm_up": 1000,
    "round_rows": 50_000,
    "grace_period": 100,
    "delta": 0.01,
    "gamma": 0.1,
}


class OwnSquares(Loss):
    def gradient_hessian(self, y, raw):
        return raw - y, np.ones_like(raw)


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    return frame()


@pytest.mark.parametrize("multiclass", ["committee", "vector"])
def test_classes(client, data, multiclass) -> None:
    settings = SETTINGS | {"multiclass": multiclass}
    here = SGTClassifier(epochs=1, **settings).fit(data[FEATURES], data["label"])
    ddf = cut_at(data[[*FEATURES, "label"]], UNEVEN)
    there = DaskSGTClassifier(client=client, **settings).fit(ddf, "label")
    assert here.n_splits_ > 10
    assert_same(here, there)
    X = ddf[FEATURES]
    assert np.array_equal(there.predict(X).compute(), here.predict(data[FEATURES]))
    assert np.array_equal(there.predict_proba(X).compute(), here.predict_proba(data[FEATURES]))


def test_numbers_with_weights(client, data) -> None:
    here = SGTRegressor(epochs=1, loss="absolute_error", **SETTINGS)
    here.fit(data[FEATURES], data["score"], sample_weight=data["weight"])
    ddf = cut_at(data[[*FEATURES, "score", "weight"]], UNEVEN)
    there = DaskSGTRegressor(client=client, loss="absolute_error", **SETTINGS)
    there.fit(ddf[FEATURES], ddf["score"], sample_weight=ddf["weight"])
    assert here.n_splits_ > 10
    assert_same(here, there)
    assert np.array_equal(there.predict(ddf[FEATURES]).compute(), here.predict(data[FEATURES]))


def test_a_category_that_only_rows_without_weight_have(client, data) -> None:
    data = data[[*FEATURES, "score", "weight"]].copy()
    never = (np.arange(len(data)) > 80_000) & (data["weight"] == 0)
    data.loc[never, "colour"] = "never"
    assert never.any()
    here = SGTRegressor(epochs=1, **SETTINGS)
    here.fit(data[FEATURES], data["score"], sample_weight=data["weight"])
    ddf = cut_at(data, UNEVEN)
    there = DaskSGTRegressor(client=client, **SETTINGS)
    there.fit(ddf[FEATURES], ddf["score"], sample_weight=ddf["weight"])
    assert_same(here, there)


@pytest.mark.parametrize("loss", ["focal", OwnSquares(), "targets", "labels"])
def test_other_losses_and_outputs(client, data, loss) -> None:
    X = data[["a", "b"]].to_numpy(np.float32)
    y = data["score"].to_numpy()
    ours: Any = SGTRegressor
    theirs: Any = DaskSGTRegressor
    parameters: dict[str, Any] = {"loss": loss}
    if loss in ("focal", "labels"):
        ours, theirs, y = SGTClassifier, DaskSGTClassifier, (y > 1).astype(int)
    if loss in ("targets", "labels"):
        y, parameters = np.column_stack([y, y**2]), {}
    rows = [30_000, 0, 60_000, 30_000]
    here = ours(epochs=1, **parameters, **SETTINGS).fit(X, y)
    there = theirs(client=client, **parameters, **SETTINGS).fit(
        array_of(X, rows), array_of(y, rows)
    )
    assert here.n_splits_ > 0
    assert_same(here, there)
    assert np.array_equal(there.predict(array_of(X, rows)).compute(), here.predict(X))


@pytest.mark.parametrize("round_rows", ["auto", 1, 700])
def test_rounds_of_other_sizes(client, data, round_rows) -> None:
    settings = SETTINGS | {"round_rows": round_rows}
    part = data[:30_000]
    here = SGTClassifier(epochs=1, **settings).fit(part[FEATURES], part["label"])
    ddf = cut_at(part[[*FEATURES, "label"]], [999, 1001, 25_000])
    assert_same(here, DaskSGTClassifier(client=client, **settings).fit(ddf, "label"))


def test_a_local_model_continues_on_the_cluster_and_back(client, data) -> None:
    X, y = data[FEATURES], data["label"]
    here = SGTClassifier(**SETTINGS)
    for begin, end in ((0, 20_000), (20_000, 110_000), (110_000, 120_000)):
        here.partial_fit(X[begin:end], y[begin:end])
    start = SGTClassifier(**SETTINGS).partial_fit(X[:20_000], y[:20_000])
    there = DaskSGTClassifier.from_local(start, client)
    ddf = cut_at(data[20_000:110_000][[*FEATURES, "label"]], [7, 44_444])
    there.partial_fit(ddf, "label")
    back = there.to_local().partial_fit(X[110_000:], y[110_000:])
    assert type(back) is SGTClassifier
    assert_same(here, back)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_are_read_by_workers(client, data, kind, tmp_path) -> None:
    table = data[[*FEATURES, "label"]][:80_000]
    table = table.assign(b=table["b"].round(4))
    for number, (begin, end) in enumerate([(0, 100), (100, 50_000), (50_000, 80_000)]):
        part, path = table[begin:end], tmp_path / f"part-{number}.{kind}"
        if kind == "parquet":
            part.to_parquet(path, row_group_size=20_000)
        else:
            part.to_csv(path, index=False)
    there = DaskSGTClassifier(client=client, **SETTINGS).fit(str(tmp_path / f"*.{kind}"), "label")
    here = SGTClassifier(**SETTINGS)
    from sgtrees.streams import open_stream  # noqa: PLC0415

    for block in open_stream(tmp_path, "label"):
        here.partial_fit(block.X, block.y)
    here.model_.core.end_round()
    assert_same(here, there)


def test_rounds_are_reported(client, data) -> None:
    reports: list[RoundReport] = []
    ddf = cut_at(data[["a", "b", "score"]], UNEVEN)
    DaskSGTRegressor(client=client, **SETTINGS).fit(ddf, "score", callback=reports.append)
    assert reports[-1].rows == len(data)
    assert sum(report.workers > 1 for report in reports) >= 1
    shared = [report for report in reports if report.workers > 0]
    assert all(report.received > 0 and report.sent > 0 for report in shared)
    assert 0 < shared[-1].error < shared[0].error


def test_a_saved_model_is_an_ordinary_one(client, data, tmp_path) -> None:
    import sgtrees  # noqa: PLC0415

    ddf = cut_at(data[:5000][["a", "b", "score"]], [3])
    there = DaskSGTRegressor(client=client).fit(ddf, "score")
    there.save(tmp_path / "m.sgt")
    assert_same(sgtrees.load(tmp_path / "m.sgt"), there)


def test_a_bad_partition_is_named_and_the_rounds_before_it_are_kept(client, data) -> None:
    part = data[["a", "b", "score"]].copy()
    part.loc[110_000, "score"] = np.inf
    model = DaskSGTRegressor(client=client, **SETTINGS)
    with pytest.raises(PartitionError, match=r"partition 2: .*score|partition 2: .*infinity"):
        model.fit(cut_at(part, [50_000, 101_000]), "score")
    assert model.n_samples_seen_ in (51_000, 101_000)
    expected = SGTRegressor(**SETTINGS).partial_fit(
        part[["a", "b"]][: model.n_samples_seen_], part["score"][: model.n_samples_seen_]
    )
    assert_same(expected, model)


def test_columns_and_kinds_that_change(client, data) -> None:
    def parts(second: pd.DataFrame) -> Any:
        return of_parts([data[:2000][["a", "colour", "score"]], second])

    last = data[2000:4000]
    model = DaskSGTRegressor(client=client)
    swapped = last.assign(a=last["colour"])[["a", "colour", "score"]]
    with pytest.raises(
        PartitionError, match=r"partition 1: column 'a' is numeric but holds strings"
    ):
        model.fit(parts(swapped), "score")
    numbers = last.assign(colour=1.5)[["a", "colour", "score"]]
    with pytest.raises(PartitionError, match=r"partition 1: column 'colour' held strings so far"):
        model.fit(parts(numbers), "score")


def test_what_is_no_dask_collection(client, data) -> None:
    with pytest.raises(TypeError, match="X must be a dask DataFrame or Array, or name files"):
        DaskSGTRegressor(client=client).fit(data[["a", "b"]], data["score"])
    two, three = cut_at(data[["a"]], [5]), cut_at(data[["score"]], [5, 6])["score"]
    with pytest.raises(ValueError, match="X has 2 partitions and y 3"):
        DaskSGTRegressor(client=client).fit(two, three)
    with pytest.raises(ValueError, match="column 'what', which X does not have"):
        DaskSGTRegressor(client=client).fit(cut_at(data, [5]), "what")
    with pytest.raises(ValueError, match="all partitions are empty"):
        DaskSGTRegressor(client=client).fit(cut_at(data[["a", "score"]][:0], [0]), "score")
    with pytest.raises(ValueError, match="epochs == 3"):
        DaskSGTRegressor(client=client, epochs=3).fit(cut_at(data[["a", "score"]], [9]), "score")


def test_a_worker_of_another_version_is_named(client, monkeypatch) -> None:
    from sgtrees.dask import estimators  # noqa: PLC0415

    monkeypatch.setattr(estimators, "VERSION", "9.9")
    with pytest.raises(PartitionError, match=r"worker tcp://.* has sgtrees .*client has 9\.9"):
        estimators.check_versions(client)


def test_a_worker_without_the_library() -> None:
    def get_versions(check: bool, packages: list[str]) -> Any:
        assert not check
        assert packages == ["sgtrees"]
        return {"workers": {"tcp://10.0.0.7:1": {"packages": {"sgtrees": None}}}}

    client: Any = SimpleNamespace(get_versions=get_versions)
    with pytest.raises(PartitionError, match=r"worker tcp://10\.0\.0\.7:1 does not have sgtrees"):
        check_versions(client)


def test_partitions_with_other_columns(client) -> None:
    data = frame(6000)[["a", "b", "score"]]
    first, second = data[:4000], data[4000:]
    settings: dict[str, Any] = {"warm_up": 100, "grace_period": 50, "round_rows": 1000}
    model = DaskSGTRegressor(client=client, **settings)
    renamed = second.rename(columns={"b": "c"})
    with pytest.raises(PartitionError, match=r"partition 1: KeyError: .*'b'"):
        model.fit(of_parts([first, renamed]), "score")
    # What was learned before is there: the rounds of the first partition.
    n_rows = model.n_samples_seen_
    assert n_rows > 0
    learned = first[:n_rows]
    here = SGTRegressor(**settings).partial_fit(learned[["a", "b"]], learned["score"])
    assert_same(here, model)


# ---- real data ----------------------------------------------------------------------------------

NAMES = ["covtype", "airline_vega_2001_3m", "kdd99_10pct"]
# Of all rows, in thousandths: empty partitions, one of a row or few, and large ones.
CUTS = [0, 0, 1, 13, 210, 210, 480, 481, 777]


def rows_of(name: str, n_rows: int | None) -> pd.DataFrame:
    """Rows in a random order, as in the accuracy benchmark; nominal columns as strings."""
    table = pd.read_parquet(require_file(name)).sample(frac=1.0, random_state=0)
    table = table[:n_rows].reset_index(drop=True)
    for column in table.select_dtypes("category"):
        table[column] = table[column].astype(str)
    return table


def assert_the_cluster_learns_the_same(client: Any, name: str, n: int | None, rounds: Any) -> None:
    table = rows_of(name, n)
    X, y = table.drop(columns="target"), table["target"]
    of_numbers = name.startswith("airline")
    here: Any = (SGTRegressor if of_numbers else SGTClassifier)(epochs=1, round_rows=rounds)
    there: Any = DaskSGTRegressor if of_numbers else DaskSGTClassifier
    reports: list[RoundReport] = []
    ddf = cut_at(table, [len(table) * cut // 1000 for cut in CUTS])
    model = there(client=client, round_rows=rounds).fit(ddf, "target", callback=reports.append)
    assert_same(here.fit(X, y), model)
    assert model.n_samples_seen_ == len(table) == reports[-1].rows
    assert here.n_splits_ > 2
    assert any(report.workers > 1 for report in reports)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_rows_of_real_data(client, name) -> None:
    assert_the_cluster_learns_the_same(client, name, 90_000, 40_000)


@pytest.mark.long
@pytest.mark.parametrize("rounds", ["auto", 100_000])
@pytest.mark.parametrize("name", NAMES)
def test_all_rows_of_real_data(client, name, rounds) -> None:
    if rounds == "auto" and name != "airline_vega_2001_3m":
        pytest.skip("at the defaults its trees stay so small that the leader learns alone")
    assert_the_cluster_learns_the_same(client, name, None, rounds)


def test_balanced_classes_are_refused(client):
    rows = cut_at(frame(40)[[*FEATURES, "label"]], [20])
    with pytest.raises(ValueError, match="class_weight == 'balanced' follows from the order"):
        DaskSGTClassifier(client=client, class_weight="balanced").fit(rows, "label")
