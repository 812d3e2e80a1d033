import bz2
import gzip
import io
import lzma
import sys
import zipfile

import pytest

from sgtrees.streams import StreamError, open_stream
from tests.unit.streams.same_data import rows_of

TEXT = b"a,t\n" + b"1,2\n" * 5000


def zipped(*members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in members:
            archive.writestr(member, TEXT)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv.gz", gzip.compress(TEXT)),
        ("a.csv.bz2", bz2.compress(TEXT)),
        ("a.csv.xz", lzma.compress(TEXT)),
        ("a.zip", zipped("a.csv")),
        ("a.csv.zip", zipped("folder/", "folder/a.csv")),
        ("a.csv", lzma.compress(TEXT)),
    ],
    ids=["gz", "bz2", "xz", "zip", "zip with a folder", "xz without its ending"],
)
def test_compressed_files_are_read(file, name, data):
    assert rows_of(open_stream(file(data, name), "t")) == [(1.0, 2.0)] * 5000


@pytest.mark.parametrize("compress", [lzma.compress, lambda _: zipped("a.csv")])
def test_a_truncated_file_says_so(file, compress):
    data = compress(TEXT)
    with pytest.raises(StreamError, match=r"is truncated|not a complete ZIP"):
        list(open_stream(file(data[:-40], "a.csv"), "t"))


def test_damaged_bytes_say_so(file):
    data = bytearray(zipped("a.csv"))
    data[60] ^= 255
    with pytest.raises(StreamError, match="is damaged"):
        list(open_stream(file(bytes(data), "a.zip"), "t"))


def test_archives_of_several_files_and_spreadsheets_are_refused(file):
    with pytest.raises(StreamError, match=r"holds 2 files \(a.csv, b.csv\); unpack it"):
        open_stream(file(zipped("a.csv", "b.csv"), "a.zip"), "t")
    with pytest.raises(StreamError, match="is an Excel file"):
        open_stream(file(zipped("[Content_Types].xml", "xl/workbook.xml"), "a.csv"), "t")


def test_an_archive_cannot_come_through_a_pipe(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(zipped("a.csv"))))
    with pytest.raises(StreamError, match=r"ZIP archive, whose end must be read first.*unzip -p"):
        open_stream("-", "t")
