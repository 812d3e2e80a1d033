"""The process of a job in Python: reads its description, prints a line for each run."""

import json
import sys
from pathlib import Path
from typing import Any

from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets import Task
from sgtrees_experiments.execution.jobs import ABSENT
from sgtrees_experiments.execution.prepared import read_bags
from sgtrees_experiments.learners.bags import run_bags
from sgtrees_experiments.learners.catalogue import Engine
from sgtrees_experiments.learners.runs import Run, as_values, shuffled
from sgtrees_experiments.learners.streams import (
    Runner,
    run_lightgbm,
    run_river,
    run_sgtrees,
)
from sgtrees_experiments.moa import StreamFiles

_RUNNERS: dict[Engine, Runner] = {
    Engine.SGTREES: run_sgtrees,
    Engine.SLIPPED_SGTREES: run_sgtrees,
    Engine.RIVER: run_river,
    Engine.LIGHTGBM: run_lightgbm,
}


def main(words: str) -> int:
    """Run a job, given as JSON; return the exit code."""
    work = json.loads(words)
    try:
        for seed in work["seeds"]:
            sys.stdout.write(json.dumps(as_values(_run(work, seed))) + "\n")
            sys.stdout.flush()
    except AbsentError as absent:
        sys.stderr.write(f"{absent}\n")
        return ABSENT
    return 0


def _run(work: dict[str, Any], seed: int) -> Run:
    folder = Path(work["folder"])
    if Task(work["task"]) is Task.BAGS:
        return run_bags(read_bags(folder), work["learner"], work["settings"], seed)
    stream = StreamFiles(folder).read()
    order = shuffled(len(stream.y), seed, work["rows"])
    return _RUNNERS[Engine(work["engine"])](stream, order, work["settings"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
