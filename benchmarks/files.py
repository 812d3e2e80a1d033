"""The collider stream as files, and the command that learns them, each in its own process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from benchmarks.isolation import ENVIRONMENT_OF_COMMANDS
from benchmarks.streams import BLOCK_ROWS, COLLIDER_FEATURES, collider
from sgtrees import SGTClassifier
from sgtrees.evaluation import MajorityClass, prequential
from sgtrees.streams import open_stream

TARGET = "signal"


def write(folder: str, rows: int, copies: int) -> dict[str, Any]:
    """Write the stream as CSV and Parquet, and as a CSV of several copies, one after the other."""
    X, y = collider(rows)
    names = [f"x{place}" for place in range(COLLIDER_FEATURES)]
    table = pa.table([*X.T, y], names=[*names, TARGET])
    csv, parquet, large = (str(Path(folder, name)) for name in ("a.csv", "a.parquet", "large.csv"))
    pa.csv.write_csv(table, csv)
    pa.parquet.write_table(table, parquet, row_group_size=BLOCK_ROWS * 4)
    with Path(large).open("wb") as sink:
        for copy in range(copies):
            with Path(csv).open("rb") as source:
                if copy:
                    source.readline()
                shutil.copyfileobj(source, sink, 1 << 24)
    sizes = {"csv": csv, "parquet": parquet, "large": large}
    return {
        name: {"path": path, "bytes": Path(path).stat().st_size} for name, path in sizes.items()
    }


def parse(path: str) -> dict[str, Any]:
    """Read a file and do nothing with it: the CPU time of parsing, without that of imports."""
    begin = time.process_time()
    rows = sum(len(block) for block in open_stream(path, TARGET))
    return {"rows": rows, "seconds": time.process_time() - begin}


def in_memory(path: str, paper: bool) -> dict[str, Any]:
    """Learn the same rows from memory, as the command does: predict, learn, and count errors."""
    table = pyarrow.parquet.read_table(path)
    stream = open_stream(table, TARGET)
    begin = time.perf_counter()
    model = SGTClassifier.paper() if paper else SGTClassifier()
    result = prequential(stream, [model, MajorityClass()])
    return {"rows": result.rows, "seconds": time.perf_counter() - begin}


def train(path: str, folder: str, paper: bool) -> dict[str, Any]:
    """Run `sgtrees train` on a file: rows a second, all its CPU time, and its peak memory."""
    command = shutil.which("sgtrees", path=sysconfig.get_path("scripts"))
    model = str(Path(folder, "m.sgt"))
    arguments = [command, "train", path, "-t", TARGET, "-m", model, "--task", "classification"]
    arguments += ["--paper"] * paper
    process = subprocess.Popen(
        [*arguments, "--overwrite", "--json", "-q"],
        stdout=subprocess.PIPE,
        env=ENVIRONMENT_OF_COMMANDS,
    )
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"sgtrees train ended with {process.returncode}")
    result = json.loads(printed)
    return {
        "rows": result["rows"],
        "seconds": result["seconds"],
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_bytes": used.ru_maxrss * 1024,
        "error": result["metrics"]["tree"]["error"],
    }
