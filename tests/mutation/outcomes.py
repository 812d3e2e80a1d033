"""What became of the changes: recorded as they are judged, and written into the page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.mutation.mutants import Mutant

# Changes that no test can notice, as nothing that the library does depends on them: the key of
# each, and the reason.
EQUIVALENT = Path(__file__).with_name("equivalent.json")


@dataclass(frozen=True)
class Outcome:
    """What became of a change.

    ``text`` is what a reader sees, ``key`` what it is known by, ``killed_by`` the step that noticed
    it, or None.
    """

    text: str
    key: str
    killed_by: str | None
    seconds: float


class Record:
    """The outcomes so far, in a file, so that a run that was stopped goes on.

    Parameters
    ----------
    path : Path
        Lines of JSON, one for each outcome; a later one of the same change counts.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.by_key: dict[str, Outcome] = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            self._take(Outcome(**json.loads(line)))

    def add(self, outcome: Outcome) -> None:
        """Note an outcome."""
        self._take(outcome)
        with self.path.open("a") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")

    def has_survived(self, key: str) -> bool:
        """Return whether a change was judged, and no test noticed it."""
        return key in self.by_key and self.by_key[key].killed_by is None

    def outcomes_of(self, mutants: Iterable[Mutant]) -> list[Outcome]:
        """Return what became of these changes, in their order; equal lines count once."""
        keys = dict.fromkeys(mutant.key for mutant in mutants)
        return [self.by_key[key] for key in keys if key in self.by_key]

    def _take(self, outcome: Outcome) -> None:
        self.by_key[outcome.key] = outcome


def summary(title: str, outcomes: Sequence[Outcome], places: int, seed: int) -> str:
    """Return the counts, the survivors and the equivalent changes, as Markdown."""
    reasons: dict[str, str] = json.loads(EQUIVALENT.read_text())
    survivors = [outcome for outcome in outcomes if outcome.killed_by is None]
    equivalent = [outcome for outcome in survivors if outcome.key in reasons]
    others = [outcome for outcome in survivors if outcome.key not in reasons]
    n, killed = len(outcomes), len(outcomes) - len(survivors)
    drawn = f"{title}: {n} of {places:,} places were drawn at random (seed {seed})."
    noticed = f"Tests noticed {killed} of the {n} changes, {killed / max(n, 1):.1%};"
    rest = f"{len(equivalent)} of the others change nothing that the library does."
    lines = [f"{drawn} {noticed} {rest}"]
    lines += _listed("Not noticed:", [f"- {outcome.text}" for outcome in others])
    lines += _listed(
        "Without an effect:",
        [f"- {outcome.text}: {reasons[outcome.key]}" for outcome in equivalent],
    )
    return "\n".join(lines)


def _listed(title: str, items: Sequence[str]) -> list[str]:
    return ["", title, "", *items] if items else []
