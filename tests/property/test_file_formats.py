"""Whatever a table holds, its files hold too: text formats written plainly and read back."""

import csv
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtrees.streams import open_stream
from sgtrees.streams.files import chunks
from sgtrees.streams.files.csv_options import MISSING_VALUES

# Any text but what stands for a missing value; a lone surrogate is no text, and NUL ends it.
WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12
).filter(lambda word: word not in MISSING_VALUES)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)
ROWS = st.lists(
    st.tuples(st.one_of(st.none(), NUMBERS), st.one_of(st.none(), WORDS), WORDS),
    min_size=1,
    max_size=12,
)
NAMES = ("a number", "some, words", "the 'label'")


def text_of(rows):
    return "".join(str(value) for row in rows for value in row)


def as_csv(rows):
    sink = io.StringIO()
    # Ends of lines as they are: the reader must not change those inside of quotes.
    # Python's writer leaves a bare carriage return without quotes by default.
    quoting = csv.QUOTE_NONNUMERIC if "\r" in text_of(rows) else csv.QUOTE_MINIMAL
    writer = csv.writer(sink, lineterminator="\n", quoting=quoting)
    writer.writerow(NAMES)
    writer.writerows([["" if value is None else value for value in row] for row in rows])
    return sink.getvalue()


def as_json_lines(rows):
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows)


def as_arff(rows):
    def quoted(word):
        escaped = word.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')
        for character, mark in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
            escaped = escaped.replace(character, mark)
        return f"'{escaped}'"

    def cell(value):
        if value is None:
            return "?"
        return quoted(value) if isinstance(value, str) else repr(value)

    kinds = ("numeric", "string", "string")
    head = [f"@attribute {quoted(n)} {k}" for n, k in zip(NAMES, kinds, strict=True)]
    body = [",".join(map(cell, row)) for row in rows]
    return "\n".join(["@relation r", *head, "@data", *body, ""])


WRITERS = {"csv": as_csv, "ndjson": as_json_lines, "arff": as_arff}


@pytest.mark.parametrize("kind", WRITERS)
@settings(max_examples=150, deadline=None)
@given(rows=ROWS, chunk_bytes=st.integers(1, 200))
def test_a_file_gives_back_what_was_written(kind, rows, chunk_bytes):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, f"a.{kind}")
        path.write_bytes(WRITERS[kind](rows).encode())
        patch.setattr(chunks, "_CHUNK_BYTES", chunk_bytes)
        nominal = [] if kind == "ndjson" else ["some, words", "the 'label'"]
        numeric = [] if kind == "ndjson" else ["a number"]
        if kind == "ndjson":
            # The columns are those of the first block, so it must hold a value of each.
            patch.setattr(chunks, "_CHUNK_BYTES", 1 << 20)
            rows = [(0.5, "w", "v"), *rows]
            path.write_bytes(as_json_lines(rows).encode())
        stream = open_stream(path, NAMES[2], nominal=nominal, numeric=numeric)
        found = [
            (a, b, t)
            for block in stream
            for a, b, t in zip(
                block.X[NAMES[0]].to_pylist(),
                block.X[NAMES[1]].to_pylist(),
                block.y.to_pylist(),
                strict=True,
            )
        ]
    assert found == rows
