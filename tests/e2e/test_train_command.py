"""From a file or a pipe to a model, predictions and a report, through the installed command."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import sgtrees
from tests.e2e import command
from tests.oracle import real_data
from tests.unit.streams import same_data

QUICK = ("--warm-up", 200, "--grace-period", 50, "--delta", 1e-3)


@pytest.fixture(scope="module")
def table():
    return same_data.table(6000, seed=3)


def state(path):
    """All that a saved model has learned."""
    core = sgtrees.load(path)._model.core
    return {name: np.asarray(array) for name, array in core.state().items()}


def same(one, other):
    return one.keys() == other.keys() and all(
        np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f")
        for name in one
    )


def test_every_format_gives_the_same_model_and_figures(tmp_path, table):
    states, figures = {}, {}
    for kind in ("csv", "csv.gz", "parquet", "arff", "ndjson"):
        same_data.write(table, tmp_path, kind)
        model = f"{kind}.sgt"
        run = command.run if kind == "csv" else command.run_here
        done = run(tmp_path, "train", f"data.{kind}", "-t", "label", "-m", model, "--json", *QUICK)
        assert (done.returncode, done.stderr) == (0, "")
        result = json.loads(done.stdout)
        assert (result["rows"], result["complete"], result["model"]) == (6000, True, model)
        states[kind], figures[kind] = state(tmp_path / model), result["metrics"]["tree"]
    assert len(states["csv"]) > 3
    assert all(same(states["csv"], other) for other in states.values())
    assert all(other == figures["csv"] for other in figures.values())


def test_from_a_file_to_predictions_and_a_report(tmp_path, table):
    data = same_data.write(table, tmp_path, "csv")
    arguments = ("-t", "label", "-m", "m.sgt", "--report", "r.html", *QUICK)
    done = command.run(tmp_path, "train", data, *arguments)
    assert done.returncode == 0
    for words in ("6,000 in", "rows/s", "majority class", "log loss", "m.sgt", "r.html"):
        assert words in done.stdout
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Model of label" in page

    text = data.read_bytes()
    done = command.run(
        tmp_path, "predict", "-", "-m", "m.sgt", "--proba", "--keep", "count", stdin=text
    )
    assert (done.returncode, done.stderr) == (0, "")
    header, *lines = done.stdout.splitlines()
    assert header.replace('"', "") == "count,prediction,p(big),p(small)"
    model = sgtrees.load(tmp_path / "m.sgt")
    X = table.select(["size", "count", "colour"])
    X = X.set_column(1, "count", X["count"].cast(pa.float64()))
    expected = model.predict(X)
    assert [line.split(",")[1].strip('"') for line in lines] == expected.tolist()

    done = command.run_here(
        tmp_path, "evaluate", data, "-m", "m.sgt", "--metrics", "accuracy", "--json"
    )
    accuracy = np.mean(expected == np.array(table["label"].to_pylist()))
    assert json.loads(done.stdout)["metrics"]["tree"]["accuracy"] == pytest.approx(accuracy)

    done = command.run_here(tmp_path, "inspect", "m.sgt", "--json")
    facts = json.loads(done.stdout)
    assert (facts["target"], facts["rows"], facts["labels"]) == ("label", 6000, ["big", "small"])
    assert sum(facts["importances"].values()) == pytest.approx(1.0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_an_interrupt_saves_what_was_learned_and_resuming_ends_in_the_same_model(tmp_path, table):
    data = same_data.write(table, tmp_path, "csv")
    lines = data.read_bytes().splitlines(keepends=True)
    arguments = ("train", "-", "-t", "label", "-m", "m.sgt", *QUICK)
    process = command.start(
        tmp_path, *arguments, "--nominal", "colour", "--numeric", "size,count",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    # More than a chunk of bytes, so that some is learned while the pipe stays open.
    head, rows = lines[0], lines[1:] * 40
    process.stdin.write(head + b"".join(rows))
    process.stdin.flush()
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Stopped. The model after" in stderr
    assert b"--resume" in stderr
    whole = head + b"".join(rows)
    assert command.run(tmp_path, *arguments, "--resume", "-q", stdin=whole).returncode == 0
    arguments = ("train", "-", "-t", "label", "-m", "once.sgt", *QUICK)
    assert command.run(tmp_path, *arguments, "-q", stdin=whole).returncode == 0
    assert sgtrees.load(tmp_path / "m.sgt")._model.core.n_rows == 240_000
    assert same(state(tmp_path / "m.sgt"), state(tmp_path / "once.sgt"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_a_terminal_shows_how_far_it_is(tmp_path, table):
    data = same_data.write(pa.concat_tables([table] * 40), tmp_path, "csv")
    ours, theirs = os.openpty()
    process = command.start(
        tmp_path, "train", data, "-t", "label", "-m", "m.sgt", stdout=subprocess.PIPE,
        stderr=theirs, environment={"COLUMNS": "140", "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    process.communicate(timeout=60)
    assert process.returncode == 0
    for words in (b"rows/s", b"left", b"% error", b"leaves"):
        assert words in shown


def test_a_bad_row_keeps_what_was_learned_before_it(tmp_path, table):
    data = same_data.write(table, tmp_path, "csv")
    good = data.read_text()
    lines = good.splitlines(keepends=True)
    lines[4000] = lines[4000].replace(",", ",x", 1)
    data.write_text("".join(lines))
    arguments = ("train", data, "-t", "label", "-m", "m.sgt", "--numeric", "count", *QUICK)
    done = command.run(tmp_path, *arguments)
    assert done.returncode == 3
    assert "line 4001, column 'count'" in done.stderr
    assert "The model after 3,999 rows is in m.sgt; --resume continues" in done.stderr
    data.write_text(good)
    assert command.run_here(tmp_path, *arguments, "--resume").returncode == 0
    arguments = ("train", data, "-t", "label", "-m", "once.sgt", *QUICK)
    assert command.run_here(tmp_path, *arguments).returncode == 0
    assert same(state(tmp_path / "m.sgt"), state(tmp_path / "once.sgt"))


@pytest.mark.parametrize(
    ("name", "options"),
    [("elec2", []), ("bike_sharing_hour", ["--loss", "poisson"]), ("letter", [])],
)
def test_real_files_through_csv_and_parquet(tmp_path, name, options):
    path = real_data.folder() / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"{name}.parquet is not in ../shared/data, nor where SGTREES_DATA says")
    rows = pa.parquet.read_table(path)
    words = {
        field.name: rows[field.name].cast(pa.string())
        if pa.types.is_dictionary(field.type)
        else rows[field.name].cast(pa.float64())
        if pa.types.is_floating(field.type)
        else rows[field.name]
        for field in rows.schema
    }
    pa.csv.write_csv(pa.table(words), tmp_path / "a.csv")
    pa.parquet.write_table(pa.table(words), tmp_path / "a.parquet")
    for source in ("a.csv", "a.parquet"):
        done = command.run_here(
            tmp_path, "train", source, "-t", "target", "-m", f"{source}.sgt", *options
        )
        assert done.returncode == 0, done.stderr
    assert same(state(tmp_path / "a.csv.sgt"), state(tmp_path / "a.parquet.sgt"))
