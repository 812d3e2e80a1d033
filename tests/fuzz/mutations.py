"""Ways to damage a model file: its bytes, its header, its arrays, its document."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np

ZEROS = "sha256:" + "0" * 64

STRANGE_INTEGERS = [-1, 0, 1, 2, 3, 7, 255, 256, 65535, 10**6, 2**31, 2**32 - 2, 2**40, 2**62]
STRANGE_INTEGERS += [2**63 - 1, -(2**63)]
STRANGE_NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e300, 1.7e308, 5e-324]
STRANGE_NUMBERS += [float("nan"), float("inf"), float("-inf")]
STRANGE_VALUES: list[Any] = [None, True, False, "", "a", "strings", "numbers", "x" * 3000, [], {}]
STRANGE_VALUES += [0, -1, 1, 2, 2**31, 2**63, 10**30, 0.5, 1e300, [1, 2], [[]], {"tuple": [1]}]
STRANGE_VALUES += [{"float": "nan"}, {"array": [1], "dtype": "<f8", "shape": [1]}, {"own": "f"}]
STRANGE_VALUES += [{"range": [0, 2**62, 1]}, {"dict": [[[], 1]]}, {"mt19937": [], "at": []}]
DTYPES = ["U8", "I64", "F64", "F32", "BOOL", "I128", "", None]


class File:
    """A model file in its parts, to be put together again after they have been changed."""

    def __init__(self, file: bytes) -> None:
        length = int.from_bytes(file[:8], "little")
        self.header: dict[str, Any] = json.loads(file[8 : 8 + length])
        self.texts: dict[str, str] = self.header["__metadata__"]
        self.data = bytearray(file[8 + length :])

    @property
    def names(self) -> list[str]:
        return [name for name in self.header if name != "__metadata__"]

    def signed(self) -> bytes:
        """Return the file with a checksum that is right."""
        self.texts["checksum"] = ZEROS
        text = json.dumps(self.header).encode()
        text += b" " * (-len(text) % 8)
        file = len(text).to_bytes(8, "little") + text + self.data
        return file.replace(
            ZEROS.encode(), b"sha256:" + hashlib.sha256(file).hexdigest().encode(), 1
        )

    def array(self, name: str) -> np.ndarray[Any, Any]:
        described = self.header[name]
        dtype = {"U8": "u1", "I64": "<i8", "F64": "<f8"}[described["dtype"]]
        begin, end = described["data_offsets"]
        return np.frombuffer(self.data[begin:end], dtype).copy()

    def replace(self, name: str, array: np.ndarray[Any, Any]) -> None:
        """Put another array in the place of one; those behind it move."""
        described = self.header[name]
        begin, end = described["data_offsets"]
        self.data[begin:end] = array.tobytes()
        longer = array.nbytes - (end - begin)
        described["dtype"] = {"u1": "U8", "i8": "I64", "f8": "F64"}[array.dtype.str[1:]]
        described["shape"] = list(array.shape)
        described["data_offsets"] = [begin, begin + array.nbytes]
        for other in self.names:
            offsets = self.header[other]["data_offsets"]
            if other != name and offsets[0] >= end:
                self.header[other]["data_offsets"] = [offset + longer for offset in offsets]


class Mutations:
    """Damaged files, each of which is the same for the same seed and number.

    Parameters
    ----------
    files : dict
        The files to start from, by name.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = list(files.values())
        self._kinds: list[tuple[Callable[[bytes, random.Random], bytes], int]] = [
            (self._raw, 20),
            (self._data, 15),
            (self._arrays, 40),
            (self._document, 15),
            (self._header, 7),
            (self._mixed, 3),
        ]

    def case(self, seed: int, number: int) -> bytes:
        """Return one damaged file."""
        choice = random.Random(seed * 1_000_000_007 + number)
        file = choice.choice(self._files)
        mutate = choice.choices(*zip(*self._kinds, strict=True))[0]
        return mutate(file, choice)

    def _raw(self, file: bytes, choice: random.Random) -> bytes:
        """Damage as disks and networks do it; the checksum is not made right."""
        damaged = bytearray(file)
        at = choice.randrange(len(damaged))
        match choice.randrange(7):
            case 0:
                return file[:at]
            case 1:
                damaged[at] ^= 1 << choice.randrange(8)
            case 2:
                damaged[at : at + choice.randrange(1, 100)] = choice.randbytes(
                    choice.randrange(100)
                )
            case 3:
                damaged[at:at] = choice.randbytes(choice.randrange(1, 100))
            case 4:
                del damaged[at : at + choice.randrange(1, 1000)]
            case 5:
                damaged[:8] = choice.randbytes(choice.randrange(9)).ljust(8, b"\0")
            case _:
                # In the header, where each byte means something.
                damaged[choice.randrange(min(3000, len(file)))] = choice.randrange(256)
        return bytes(damaged)

    def _data(self, file: bytes, choice: random.Random) -> bytes:
        parts = File(file)
        for _ in range(choice.choice([1, 1, 1, 3, 20])):
            if parts.data:
                at = choice.randrange(len(parts.data))
                parts.data[at] = choice.choice([0, 1, 127, 128, 255, choice.randrange(256)])
        return parts.signed()

    def _arrays(self, file: bytes, choice: random.Random) -> bytes:
        parts = File(file)
        for _ in range(choice.choice([1, 1, 1, 2, 4])):
            if not parts.names:
                break
            name = choice.choice(parts.names)
            if choice.random() < 0.03:
                self._remove(parts, name)
            else:
                parts.replace(name, _changed(parts.array(name), choice))
        return parts.signed()

    def _remove(self, parts: File, name: str) -> None:
        parts.replace(name, parts.array(name)[:0])
        del parts.header[name]

    def _document(self, file: bytes, choice: random.Random) -> bytes:
        parts = File(file)
        text = choice.choice([t for t in ("model", "model", "checkpoint") if t in parts.texts])
        document = json.loads(parts.texts[text])
        for _ in range(choice.choice([1, 1, 2])):
            _change_somewhere(document, choice)
        parts.texts[text] = json.dumps(document)
        if choice.random() < 0.02:
            deep = choice.choice([100, 900, 1100, 20_000])
            parts.texts[text] = "[" * deep + "]" * deep
        return parts.signed()

    def _header(self, file: bytes, choice: random.Random) -> bytes:
        parts = File(file)
        match choice.randrange(6):
            case 0:
                parts.texts[choice.choice(list(parts.texts))] = str(choice.choice(STRANGE_VALUES))
            case 1:
                del parts.texts[choice.choice(list(parts.texts))]
                parts.texts.setdefault("checksum", ZEROS)
            case 2:
                parts.header[str(choice.random())] = choice.choice(STRANGE_VALUES)
            case _ if parts.names:
                described = parts.header[choice.choice(parts.names)]
                key = choice.choice(["dtype", "shape", "data_offsets"])
                if key == "dtype":
                    described[key] = choice.choice(DTYPES)
                else:
                    described[key] = [
                        choice.choice([*STRANGE_INTEGERS, *described[key]])
                        for _ in range(choice.choice([0, 1, 2, 2, 3, 70]))
                    ]
            case _:
                pass
        return parts.signed()

    def _mixed(self, file: bytes, choice: random.Random) -> bytes:
        """Arrays, or the document, of another model."""
        parts, other = File(file), File(choice.choice(self._files))
        if choice.random() < 0.3:
            parts.texts["model"] = other.texts["model"]
            return parts.signed()
        shared = [name for name in parts.names if name in other.header]
        for name in choice.sample(shared, min(len(shared), choice.choice([1, 2, 5, 50]))):
            parts.replace(name, other.array(name))
        return parts.signed()


def _changed(array: np.ndarray[Any, Any], choice: random.Random) -> np.ndarray[Any, Any]:
    kind = choice.randrange(20)
    if kind == 0:
        return np.array([1, 2, 3], choice.choice(["u1", "<i8", "<f8"]))
    if kind == 1:
        return np.resize(array, choice.choice([0, 1, len(array) + 1, 2 * len(array), 4096]))
    if kind == 2 and len(array):
        return np.delete(array, choice.randrange(len(array)))
    if kind == 3:
        return np.concatenate([array, array[:1]])
    if kind == 4:
        return np.array(choice.sample(array.tolist(), len(array)), array.dtype)
    for _ in range(choice.choice([1, 1, 1, 2, 8]) if len(array) else 0):
        at = choice.randrange(len(array))
        if array.dtype.kind == "f":
            array[at] = choice.choice([*STRANGE_NUMBERS, -array[at], array[at] + 1])
        elif array.dtype.kind == "i":
            near = int(array[at]) + choice.choice([-1, 1])
            array[at] = choice.choice([*STRANGE_INTEGERS, max(min(near, 2**63 - 1), -(2**63))])
        else:
            array[at] = choice.randrange(256)
    return array


def _change_somewhere(document: Any, choice: random.Random) -> None:
    """Walk down a document of JSON and change what is there."""
    while True:
        keys = list(document) if isinstance(document, dict) else list(range(len(document)))
        if not keys:
            return
        key = choice.choice(keys)
        inner = document[key]
        if not isinstance(inner, dict | list) or not inner or choice.random() < 0.1:
            break
        document = inner
    match choice.randrange(6):
        case 0:
            del document[key]
        case 1 if isinstance(document, list):
            document.insert(choice.choice(keys), copy.deepcopy(document[key]))
        case 2 if isinstance(document, dict):
            document["strange"] = copy.deepcopy(choice.choice(STRANGE_VALUES))
        case _:
            document[key] = copy.deepcopy(choice.choice(STRANGE_VALUES))
