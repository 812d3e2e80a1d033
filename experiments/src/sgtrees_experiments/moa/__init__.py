"""MOA's learners over a stream, test-then-train, in a Java loop, without Python."""

from sgtrees_experiments.moa.jar import MOA_VERSION, moa_jar
from sgtrees_experiments.moa.runner import MoaRun, run_moa
from sgtrees_experiments.moa.stream_files import NumericStream, StreamFiles

__all__ = [
    "MOA_VERSION",
    "MoaRun",
    "NumericStream",
    "StreamFiles",
    "moa_jar",
    "run_moa",
]
