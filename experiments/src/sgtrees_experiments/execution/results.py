"""Finished runs, kept in a file, so that the next start continues with the rest."""

import json
from dataclasses import dataclass
from pathlib import Path

from sgtrees_experiments.learners.runs import Run, as_values, run_from


@dataclass(frozen=True)
class Key:
    """Which run it is.

    Attributes
    ----------
    data, learner : str
        The version of the data set, and the learner.
    settings : str
        Everything that decides the result, as JSON.
    rows : int
        Rows of the shuffle; 0 for bags.
    seed : int
        Of the shuffle, or of the folds.
    """

    data: str
    learner: str
    settings: str
    rows: int
    seed: int


class Results:
    """Finished runs; each is a line in a file.

    Parameters
    ----------
    path : Path
        The file; a line at its end that was not finished is passed over.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sgtrees_experiments.learners.runs import BagRun
    >>> key = Key("musk1", "miti", "{}", 0, 3)
    >>> with TemporaryDirectory() as folder:
    ...     Results(Path(folder, "runs.jsonl")).add(key, BagRun(1.5, [0.5, 1.0]))
    ...     Results(Path(folder, "runs.jsonl")).of[key]
    BagRun(seconds=1.5, accuracies=[0.5, 1.0])
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.of: dict[Key, Run] = {}
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for line in text.splitlines():
            self._read(line)
        self._unfinished = bool(text) and not text.endswith("\n")

    def _read(self, line: str) -> None:
        try:
            values = json.loads(line)
        except json.JSONDecodeError:
            return
        self.of[Key(**values["key"])] = run_from(values["run"])

    def add(self, key: Key, run: Run) -> None:
        """Keep a run."""
        self.of[key] = run
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n" * self._unfinished)
            self._unfinished = False
            file.write(json.dumps({"key": vars(key), "run": as_values(run)}) + "\n")
