"""Text in other encodings, read as UTF-8."""

import codecs
import contextlib

from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.byte_reader import ByteReader, DamagedError

_BYTES_PER_READ = 1 << 20
# UTF-32's first: it starts with that of UTF-16.
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class TextReader:
    """The bytes of a text as UTF-8, with the interface of a `ByteReader`.

    Parameters
    ----------
    reader : ByteReader
        The text as it is.
    encoding : str
        Its encoding; a byte order mark of UTF-16 or UTF-32 has precedence over UTF-8.
    name : str
        Its name in messages.
    """

    def __init__(self, reader: ByteReader, encoding: str, name: str) -> None:
        self._reader = reader
        self._name = name
        self.encoding = _encoding(reader.peek(4), encoding, name)
        self._decoder = codecs.getincrementaldecoder(self.encoding)()
        self._ready = b""
        self._line = 1
        self._is_at_end = False

    @property
    def is_utf8(self) -> bool:
        """Whether the text is UTF-8 already, so that its bytes are read as they are."""
        return codecs.lookup(self.encoding).name == "utf-8"

    def peek(self, n_bytes: int) -> bytes:
        """Return the next bytes without consuming them."""
        if self.is_utf8:
            return self._reader.peek(n_bytes)
        data = self.read(n_bytes)
        self._ready = data + self._ready
        return data

    def read(self, n_bytes: int) -> bytes:
        """Return the next bytes: ``n_bytes`` of them, and fewer only at the end.

        Raises
        ------
        StreamError
            If the file is damaged, or bytes are not of the encoding. The bytes before are in
            ``error.rest``.
        """
        if self.is_utf8:
            return self._reader.read(n_bytes)
        parts, missing = [self._ready], n_bytes - len(self._ready)
        while missing > 0 and not self._is_at_end:
            try:
                part = self._decode(self._reader.read(_BYTES_PER_READ))
            except WrongEncodingError as error:
                error.rest = b"".join([*parts, error.rest])
                raise
            except DamagedError as error:
                error.rest = b"".join([*parts, self._decoder.decode(error.rest).encode()])
                raise
            parts.append(part)
            missing -= len(part)
        data = b"".join(parts)
        self._ready = data[n_bytes:]
        return data[:n_bytes]

    def _decode(self, data: bytes) -> bytes:
        self._is_at_end = len(data) < _BYTES_PER_READ
        before = self._decoder.getstate()
        try:
            text = self._decoder.decode(data, final=self._is_at_end).encode()
        except UnicodeError as error:
            good = self._before(error, data, before)
            line = self._line + good.count(b"\n")
            raise WrongEncodingError(self._name, line, self.encoding, good) from error
        self._line += text.count(b"\n")
        return text

    def _before(self, error: UnicodeError, data: bytes, state: tuple[bytes, int]) -> bytes:
        """Return what comes before the bytes that cannot be decoded."""
        if not isinstance(error, UnicodeDecodeError):
            return b""  # a text of UTF-16 without a byte order mark, for example
        decoder = codecs.getincrementaldecoder(self.encoding)()
        decoder.setstate(state)
        n_pending = len(error.object) - len(data)
        return decoder.decode(data[: max(0, error.start - n_pending)]).encode()

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


class WrongEncodingError(DamagedError):
    """Bytes that are not of the text's encoding."""

    def __init__(self, name: str, line: int, encoding: str, rest: bytes) -> None:
        StreamError.__init__(
            self,
            f"{name}, line {line}: these bytes are not {encoding.upper()}; give the file's "
            "encoding (--encoding), or convert it",
        )
        self.rest = rest


def _encoding(first: bytes, given: str, name: str) -> str:
    try:
        is_utf8 = codecs.lookup(given).name == "utf-8"
        # Some codecs are not of text: "hex". Others need more bytes than one.
        with contextlib.suppress(UnicodeError):
            b"a".decode(given)
    except LookupError as error:
        raise StreamError(
            f"{name}: the encoding {given!r} is unknown; give one such as utf-8, utf-16, latin-1 "
            "or cp1252"
        ) from error
    if is_utf8:
        marks = (known for mark, known in _BYTE_ORDER_MARKS.items() if first.startswith(mark))
        return next(marks, given)
    return given
