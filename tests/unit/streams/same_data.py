"""One small table in every format that streams read, and functions that read streams."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from sgtrees.streams import StreamError, open_stream

FORMATS = ("csv", "csv.gz", "csv.zst", "tsv", "ndjson", "ndjson.gz", "arff", "parquet", "feather",
           "arrows")  # fmt: skip


def table(n_rows: int = 3000, seed: int = 0) -> pa.Table:
    """Numbers with gaps, words with blanks, commas, quotes and gaps, and a label of words."""
    random = np.random.default_rng(seed)
    size = np.round(random.normal(size=n_rows), 6)
    count = random.integers(0, 50, n_rows)
    colour = random.choice(["red", "light blue", "green, dark", 'don\'t "care"'], n_rows)
    is_big = (size > 0.3) ^ (colour == "red") ^ (random.random(n_rows) < 0.1)
    gaps = random.random((2, n_rows)) < 0.05
    return pa.table(
        {
            "size": pa.array(np.where(gaps[0], np.nan, size), from_pandas=True),
            "count": pa.array(count),
            "colour": pa.array(np.where(gaps[1], None, colour), pa.string()),
            "label": pa.array(np.where(is_big, "big", "small"), pa.string()),
        }
    )


def write(rows: pa.Table, path: Path, kind: str) -> Path:
    """Write a table; the file's name ends in its kind."""
    file = path / f"data.{kind}"
    if kind == "parquet":
        pa.parquet.write_table(rows, file, row_group_size=1000)
    elif kind == "feather":
        pa.feather.write_feather(rows, file)
    elif kind == "arrows":
        with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=700)
    else:
        _pack(text_of(rows, kind.split(".", maxsplit=1)[0]), file, kind)
    return file


def _pack(text: str, file: Path, kind: str) -> None:
    data = text.encode()
    if kind.endswith(".gz"):
        data = gzip.compress(data)
    if kind.endswith(".zst"):
        with pa.CompressedOutputStream(str(file), "zstd") as sink:
            sink.write(data)
        return
    file.write_bytes(data)


def text_of(rows: pa.Table, kind: str) -> str:
    if kind == "ndjson":
        present = ({k: v for k, v in row.items() if v is not None} for row in rows.to_pylist())
        return "".join(json.dumps(row) + "\n" for row in present)
    if kind == "arff":
        return _arff(rows)
    mark = "," if kind == "csv" else "\t"
    lines = [rows.column_names, *(row.values() for row in rows.to_pylist())]
    return "".join(mark.join(_cell(value) for value in line) + "\n" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\t\n') else text


def _arff(rows: pa.Table) -> str:
    lines = ["% made for a test", "@RELATION things", ""]
    for name in rows.column_names:
        column = rows[name]
        if pa.types.is_string(column.type):
            values = sorted(value for value in set(column.to_pylist()) if value is not None)
            lines.append(f"@attribute '{name}' {{{', '.join(map(_quoted, values))}}}")
        else:
            lines.append(f"@ATTRIBUTE {name} REAL")
    lines.append("@DATA")
    lines += [", ".join(map(_quoted, row.values())) for row in rows.to_pylist()]
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    if value is None:
        return "?"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value)


def rows_of(stream):
    """Return all rows of a stream as Python values, with the stream's own column names."""
    names = [column.name for column in stream.columns]
    rows = []
    for block in stream:
        y = block.y.to_pylist() if hasattr(block.y, "to_pylist") else np.asarray(block.y).tolist()
        assert block.X.column_names == names
        features = [block.X[name].to_pylist() for name in names]
        rows += list(zip(*features, y, strict=True))
    return rows


def read(path, target="t", **options):
    """Return all rows, or those before the error; the error; and the skipped rows."""
    rows, error = [], None
    stream = open_stream(path, target, **options)
    try:
        for block in stream:
            rows += block.X.to_pylist()
    except StreamError as caught:
        error = caught
    return rows, error, stream.skipped
