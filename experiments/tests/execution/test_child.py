import json
import subprocess
import sys

from sgtrees_experiments.learners.runs import StreamRun, run_from, shuffled
from sgtrees_experiments.learners.streams import run_sgtrees
from sgtrees_experiments.moa import StreamFiles


def child(folder, **work):
    defaults = {"engine": "sgtrees", "learner": "sgt", "settings": {}, "task": "classification"}
    words = json.dumps(defaults | {"folder": str(folder), "rows": 2000, "seeds": [0]} | work)
    return subprocess.run(
        [sys.executable, "-m", "sgtrees_experiments.execution.child", words],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_process_prints_a_line_for_each_run(classes, tmp_path):
    StreamFiles.write(classes, tmp_path)
    done = child(tmp_path, seeds=[4, 5])
    runs = [run_from(json.loads(line)) for line in done.stdout.splitlines()]
    assert [run.ends[-1] for run in runs] == [2000, 2000]
    direct = run_sgtrees(classes, shuffled(3000, 4, 2000), {})
    assert runs[0].losses == direct.losses
    assert isinstance(runs[0], StreamRun)


def test_a_process_that_fails_reports_the_reason(classes, tmp_path):
    StreamFiles.write(classes, tmp_path)
    done = child(tmp_path, settings={"grace_period": 0})
    assert done.returncode == 1
    assert "grace_period" in done.stderr.splitlines()[-1]
