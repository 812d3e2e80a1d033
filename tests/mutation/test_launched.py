import sys
from pathlib import Path

import pytest

from tests.mutation.launched import Launched

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes fork on POSIX only")


def test_programs_and_tests_say_whether_they_pass_and_end_in_time(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        "import os\ndef test_it():\n    assert os.environ['A'] == '1'\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    launched = Launched(tmp_path)
    try:
        tests = ["pytest", "-q", "-p", "no:cacheprovider", "test_a.py"]
        assert launched.run(tests, {"A": "1"})[0] is None
        assert launched.run(tests, {"A": "2"})[0] == ""
        # What one run has done does not reach the next.
        assert launched.run(tests, {"A": "1"})[0] is None
        assert launched.run([sys.executable, "-c", "pass"], {})[0] is None
        assert launched.run([sys.executable, "-c", "raise SystemExit(3)"], {})[0] == ""
        fault, seconds = launched.run([sys.executable, "-c", "while True: pass"], {}, 0.5)
        assert fault == " (time)"
        assert seconds > 0.5
        # (Memory that nobody touches: it is not there.)
        assert (
            launched.run([sys.executable, "-c", "import mmap; mmap.mmap(-1, 16 << 30)"], {})[0]
            == ""
        )
    finally:
        launched.close()
