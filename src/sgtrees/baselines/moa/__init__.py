"""MOA's learners over a stream, test-then-train, in a Java loop that no Python slows down."""

from sgtrees.baselines.moa.jar import MOA_VERSION, moa_jar
from sgtrees.baselines.moa.running import MoaRun, run_moa
from sgtrees.baselines.moa.stream_files import NumericStream, StreamFiles

__all__ = [
    "MOA_VERSION",
    "MoaRun",
    "NumericStream",
    "StreamFiles",
    "moa_jar",
    "run_moa",
]
