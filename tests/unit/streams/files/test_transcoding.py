"""Text in other encodings."""

import pytest

from sgtrees.streams import StreamError, open_stream
from sgtrees.streams.files import chunks, transcoding
from tests.unit.streams.same_data import rows_of

TEXT = "größe,name,t\n" + "".join(f"{i},é{i % 3}漢,{i % 2}\n" for i in range(500))


@pytest.fixture(params=[None, 7])
def small_reads(request, monkeypatch):
    """Read a few bytes at a time, so that characters are cut."""
    if request.param is not None:
        monkeypatch.setattr(transcoding, "_BYTES_PER_READ", request.param)
        monkeypatch.setattr(chunks, "_CHUNK_BYTES", 101)


@pytest.mark.usefixtures("small_reads")
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "gb18030"])
def test_text_of_any_encoding_is_read(file, encoding):
    expected = rows_of(open_stream(file(TEXT), "t"))
    path = file(TEXT.encode(encoding), "b.csv")
    assert rows_of(open_stream(path, "t", encoding=encoding)) == expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_byte_order_mark_is_enough(file, encoding):
    path = file(TEXT.encode(encoding), "a.txt")
    assert rows_of(open_stream(path, "t")) == rows_of(open_stream(file(TEXT), "t"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ndjson", '{"a": "é", "t": 1}\n'),
        ("a.arff", "@relation r\n@attribute a {é}\n@attribute t numeric\n@data\né,1\n"),
    ],
)
def test_other_text_formats_too(file, name, text):
    path = file(text.encode("utf-16"), name)
    assert rows_of(open_stream(path, "t")) == [("é", 1.0)]


@pytest.mark.usefixtures("small_reads")
def test_bytes_of_another_encoding_are_named_by_line_after_the_rows_before(file):
    good = "a,t\n1,2\n3,4\n".encode("utf-16")
    path = file(good + b"\x00\xd8\x00\xd8\n\x00")
    with pytest.raises(StreamError, match=r"line 4: these bytes are not UTF-16.*--encoding"):
        list(open_stream(path, "t"))
    path = file("a,t\nx,1\né,2\n".encode("latin-1"))
    with pytest.raises(StreamError, match="line 3"):
        list(open_stream(path, "t"))


def test_an_unknown_encoding_is_refused(file):
    for encoding in ("utf-99", "rot13"):
        with pytest.raises(StreamError, match=f"the encoding '{encoding}' is unknown"):
            open_stream(file(TEXT), "t", encoding=encoding)
