"""A reproduction, from plan to report."""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sgtrees.atomic_file import write_atomically
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets import Status
from sgtrees_experiments.datasets.locating import download_whole
from sgtrees_experiments.execution.plan import Choice, Plan, make_plan
from sgtrees_experiments.execution.results import Results
from sgtrees_experiments.execution.runner import Event, Failed, missing_runs, run_plan
from sgtrees_experiments.report.circumstances import circumstances
from sgtrees_experiments.report.document import all_tables, sections
from sgtrees_experiments.report.html_page import html_page
from sgtrees_experiments.report.json_record import as_json
from sgtrees_experiments.report.latex_tables import latex_document
from sgtrees_experiments.report.markdown_page import write_markdown
from sgtrees_experiments.report.summaries import Summaries, summarise

RUNS = "runs.jsonl"


@dataclass
class Reproduction:
    """One call of the command.

    Parameters
    ----------
    choice : Choice
        What to run.
    out : Path
        The folder for results; runs that it holds already are not run again.
    n_jobs : int
        Processes at a time.
    """

    choice: Choice
    out: Path
    n_jobs: int
    failures: list[Failed] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.results = Results(self.out / RUNS)
        self.plan: Plan = make_plan(self.choice)

    def download(self) -> Iterator[str]:
        """Download what is absent or incomplete; yields the name of each set first."""
        partly = [f.of for f in self.plan.found if f.version.status is not Status.WHOLE]
        for known in dict.fromkeys([*self.plan.absent, *partly]):
            if not any(files.downloads for files in known.whole.files):
                continue
            yield known.name
            try:
                download_whole(known)
            except AbsentError as absent:
                self.refused.append(str(absent))
        self.plan = make_plan(self.choice)

    @property
    def missing(self) -> int:
        """The number of runs that are to be made."""
        return missing_runs(self.plan, self.results)

    def run(self) -> Generator[Event, None, None]:
        """Run what is missing; yields what happens."""
        events = run_plan(self.plan, self.results, self.n_jobs, self.out)
        with contextlib.closing(events):
            for event in events:
                if isinstance(event, Failed):
                    self.failures.append(event)
                yield event

    @property
    def problems(self) -> list[str]:
        """What could not be run, and what to do about it; each reason once."""
        return [*self.plan.problems, *self.refused, *_together(self.failures)]

    @property
    def summaries(self) -> Summaries:
        """What there is."""
        return summarise(self.plan, self.results, [*self.refused, *_together(self.failures)])

    def write(self, markdown: Path | None = None) -> list[Path]:
        """Write the report in all its forms.

        Parameters
        ----------
        markdown : Path, optional
            Where the Markdown page goes besides the folder of results.

        Returns
        -------
        list of Path
            What was written.
        """
        summaries, facts = self.summaries, circumstances(self.choice)
        parts = sections(summaries, facts)
        self.out.mkdir(parents=True, exist_ok=True)
        texts = {
            "paper.json": as_json(summaries, facts),
            "paper.tex": latex_document(t for t in all_tables(parts) if t.caption),
            "paper.html": html_page(parts),
        }
        for name, text in texts.items():
            write_atomically(self.out / name, [text.encode()])
        pages = [self.out / "paper.md", *([markdown] if markdown else [])]
        for page in pages:
            write_markdown(parts, page)
        return [*(self.out / name for name in texts), *pages]


def _together(failures: Sequence[Failed]) -> list[str]:
    """Return each reason once, with all runs that it prevents."""
    by_reason: dict[str, set[str]] = {}
    for failure in failures:
        by_reason.setdefault(failure.reason, set()).add(failure.what)
    return [f"{_list(sorted(whats))}: {reason}" for reason, whats in by_reason.items()]


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
