"""`sgtrees train --dask`: from files to a model, on a cluster of this machine."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import sgtrees
from sgtrees import SGTClassifier, SGTForestClassifier
from tests.e2e.command import run, run_here


@pytest.fixture
def folder(tmp_path):
    random = np.random.default_rng(0)
    for number in range(3):
        a, b = random.normal(size=20_000), random.choice(["x", "y", "z"], 20_000)
        label = np.where((a > 0.3) ^ (b == "x"), "yes", "no")
        pd.DataFrame({"a": a, "b": b, "label": label}).to_parquet(tmp_path / f"{number}.parquet")
    return tmp_path


def test_the_command_learns_what_the_estimator_learns(folder) -> None:
    path = folder / "model.sgt"
    files, rest = str(folder / "*.parquet"), ["--max-memory", "unlimited", "--json"]
    done = run(folder, "train", files, "-t", "label", "-m", str(path), "--dask", "local", *rest)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 60_000
    assert "60,000 rows in" in done.stderr
    table = pd.concat([pd.read_parquet(folder / f"{number}.parquet") for number in range(3)])
    here = SGTClassifier(round_rows="auto", epochs=1).fit(table[["a", "b"]], table["label"])
    there = sgtrees.load(path)
    state = there._model.core.state()
    assert all(np.array_equal(state[k], v) for k, v in here._model.core.state().items())


def test_a_forest_too(folder) -> None:
    path = folder / "model.sgt"
    options = ["--method", "forest", "--n-estimators", 3, "--seed", 5, "--max-memory", "unlimited"]
    files = str(folder / "*.parquet")
    done = run(folder, "train", files, "-t", "label", "-m", str(path), "--dask", "local", *options)
    assert done.returncode == 0, done.stderr
    table = pd.concat([pd.read_parquet(folder / f"{number}.parquet") for number in range(3)])
    here = SGTForestClassifier(round_rows="auto", epochs=1, n_estimators=3, random_state=5)
    here.fit(table[["a", "b"]], table["label"])
    state = sgtrees.load(path)._model.core.state()
    assert all(np.array_equal(state[k], v) for k, v in here._model.core.state().items())


def train(folder, *more):
    model = str(folder / "m")
    return run_here(folder, "train", str(folder), "-t", "label", "-m", model, *more)


def test_a_scheduler_that_is_not_there_is_named(folder, monkeypatch) -> None:
    monkeypatch.setattr("sgtrees.cli.dask_training._SECONDS_TO_CONNECT", 1)
    done = train(folder, "--dask", "tcp://127.0.0.1:1")
    assert done.returncode == 1
    assert "there is no Dask scheduler at tcp://127.0.0.1:1" in done.stderr


def test_what_does_not_go_together(folder) -> None:
    done = train(folder, "--dask", "local", "--resume")
    assert done.returncode == 2
    assert "--resume cannot be combined with --dask" in done.stderr
