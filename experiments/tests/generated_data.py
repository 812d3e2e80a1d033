"""Generated files that pass for versions of the paper's data sets: of their names and shapes."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def write_higgs(folder: Path) -> None:
    """Two classes that some of 28 numbers tell."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15_983, 28)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.5 * rng.normal(size=len(X)) > 0).astype(np.int8)
    columns = {f"x{j}": X[:, j] for j in range(28)}
    pq.write_table(pa.table(columns | {"target": y}), folder / "higgs_16k.parquet")


def write_aws(folder: Path) -> None:
    """Prices by a few categories and numbers."""
    rng = np.random.default_rng(1)
    n = 426_745
    kinds = rng.integers(0, 20, n)
    columns = {f"n{j}": rng.integers(0, 60, n).astype(np.int16) for j in range(5)}
    for name, values in (("product", kinds * 0), ("type", kinds), ("zone", kinds % 3)):
        names = pa.array([f"{name}{k}" for k in range(20)])
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(values), names)
    target = (0.1 * kinds + 0.01 * columns["n0"] + rng.exponential(0.1, n)).astype(np.float32)
    pq.write_table(
        pa.table(columns | {"target": target}), folder / "aws_spot_us_east_1_2016.parquet"
    )


def write_bags(folder: Path, name: str, n_bags: int, n_instances: int, n_features: int) -> None:
    """Bags that are positive where one of their instances is high in the first feature."""
    rng = np.random.default_rng(2)
    bag = np.concatenate([np.arange(n_bags), rng.integers(0, n_bags, n_instances - n_bags)])
    X = rng.random((n_instances, n_features)).round(3)
    highest = np.zeros(n_bags)
    np.maximum.at(highest, bag, X[:, 0])
    positive = highest > np.median(highest)
    columns = {"bag": bag, "label": positive[bag].astype(np.int8)}
    columns |= {f"f{j}": X[:, j] for j in range(n_features)}
    pq.write_table(pa.table(columns), folder / f"mil_{name}.parquet")


def write_all(folder: Path) -> Path:
    """Write a stream of classes, one of numbers, and two sets of bags."""
    folder.mkdir(parents=True, exist_ok=True)
    write_higgs(folder)
    write_aws(folder)
    write_bags(folder, "atoms", 188, 1_618, 10)
    write_bags(folder, "musk1", 92, 476, 166)
    return folder
