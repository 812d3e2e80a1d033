"""MOA's learners: a compiled Java loop over a stream that is in memory before the clock starts."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figures import Measurement, Outcome, Unavailable
from benchmarks.settings import Settings
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.moa import NumericStream, StreamFiles, run_moa
from sgtrees_experiments.moa.stream_files import write_numbers

SGT = "trees.StochasticGradientTree -R"  # -R: no re-splits, which cost it several times the time
HOEFFDING = "trees.HoeffdingTree"
HOEFFDING_MAJORITY = "trees.HoeffdingTree -l MC"
EFDT = "trees.EFDT"
FIMTDD = "trees.FIMTDD"
ORTO = "trees.ORTO"


class Stream:
    """A stream in the driver's file format, for any number of learners."""

    def __init__(self, files: StreamFiles, rows: int) -> None:
        self._files, self._rows = files, rows
        self._ends = write_numbers([rows], files.folder / "ends.i32")

    def measure(self, learner: str, repeats: int) -> Outcome:
        """Run a learner, given as MOA's command line spells it, test-then-train."""
        try:
            runs = list(run_moa(learner, self._files, self._ends, [None] * repeats))
        except AbsentError as missing:
            return Unavailable(str(missing))
        except RuntimeError as failure:
            return Unavailable(str(failure), broken=True)
        best = min(runs, key=lambda run: run.seconds)
        return Measurement(self._rows, best.seconds, best.losses[-1] / self._rows, best.nodes)


@contextmanager
def stream(data: NumericStream) -> Iterator[Stream]:
    """Write a stream where the driver can read it, for as long as the context lasts."""
    with tempfile.TemporaryDirectory() as scratch:
        yield Stream(StreamFiles.write(data, Path(scratch)), len(data.y))


def measure_all(
    load: Callable[[], NumericStream], learners: Mapping[str, str], settings: Settings
) -> dict[str, Outcome]:
    """Run several learners over one stream; if the stream is absent, so is each outcome."""
    try:
        data = load()
    except AbsentError as missing:
        return dict.fromkeys(learners, Unavailable(str(missing)))
    except ModuleNotFoundError as missing:
        return dict.fromkeys(learners, Unavailable(f"{missing.name} is not installed"))
    outcomes = {}
    with stream(data) as written:
        for name, learner in learners.items():
            settings.say(name)
            outcomes[name] = written.measure(learner, settings.repeats)
    return outcomes
