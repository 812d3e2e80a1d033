"""What the command line decides for every benchmark."""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    rows: int | None = None  # at most so many rows of every stream; None: all
    repeats: int = 3

    def capped(self, rows: int) -> int:
        return rows if self.rows is None else min(rows, self.rows)

    @staticmethod
    def say(message: str) -> None:
        print(f"  {message} ...", file=sys.stderr, flush=True)
