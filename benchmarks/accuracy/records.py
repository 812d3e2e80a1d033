"""Finished runs, a line of JSON each, so that an interrupted study continues."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

Key = tuple[str, str, str, int]
# The peers' runs, which do not change with our code.
PEERS = Path(__file__).resolve().parent / "peers.jsonl"


@dataclass(frozen=True)
class Run:
    """One learner over one stream in one order, and what came of it."""

    stream: str
    order: str
    learner: str  # spells out the settings
    measures: dict[str, float]
    nodes: int | None  # of all trees
    seconds: float  # CPU
    rows: int = 0  # the first of the order; 0: all
    curve: list[float] = field(default_factory=list)  # the first measure in parts of the stream
    ended: int = 0  # rows after which its time was over; 0: it had all of them

    @property
    def key(self) -> Key:
        return self.stream, self.order, self.learner, self.rows


class Records:
    """The runs in a file; new ones are added as they come."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        runs = [Run(**json.loads(line)) for line in lines]
        self.of: dict[Key, Run] = {run.key: run for run in runs}

    @classmethod
    def together(cls, *several: Records) -> Records:
        """Return the runs of several files, to read."""
        found = cls(Path())
        for records in several:
            found.of |= records.of
        return found

    def add(self, run: Run) -> None:
        self.of[run.key] = run
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(run)) + "\n")


def spelled(settings: dict[str, Any]) -> str:
    """Spell settings in one way."""
    return " ".join(f"{name}={value}" for name, value in sorted(settings.items())) or "default"
