"""The table of losses on real data can be made again."""

import subprocess
import sys
from pathlib import Path

from tests.oracle.real_data import require_file

ROOT = Path(__file__).resolve().parents[2]
STREAMS = (
    "airline_vega_2001_3m",
    "aws_spot_us_east_1_2016",
    "fremtpl2_freq",
    "bike_sharing_hour",
    "airline_nyc_2013",
)


def test_the_table_of_losses_is_made_from_the_first_rows(tmp_path):
    for name in STREAMS:
        require_file(name)
    page = tmp_path / "page.md"
    command = [sys.executable, "-m", "benchmarks.losses_on_real_data", "--rows", "3000"]
    finished = subprocess.run(
        [*command, "--shuffles", "1", "--without-peers", "--markdown", str(page)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    text = page.read_text()
    assert text == finished.stdout.rstrip("\n") + "\n"
    assert "a quick run, not a result" in text
    assert all(f"| {name} | file | 3,000 |" in text for name in STREAMS[:4])
    assert "| file | gamma=100, reg_lambda=0.01 | " in text
